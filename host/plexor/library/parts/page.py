# SPDX-License-Identifier: Apache-2.0
"""HTML pages that hold all that they show, as Plexor's own."""

from plexor.show.html import PageHeading as PageHeading
from plexor.show.html import html_box as html_box
from plexor.show.html import html_details as html_details
from plexor.show.html import html_figure as html_figure
from plexor.show.html import html_list as html_list
from plexor.show.html import html_page as html_page
from plexor.show.html import html_table as html_table
from plexor.show.page_files import page_files as page_files
from plexor.show.tiles import ChannelTiles as ChannelTiles
from plexor.show.tiles import Tile as Tile
from plexor.show.tiles import html_tiles as html_tiles
