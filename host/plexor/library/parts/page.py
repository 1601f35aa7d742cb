# SPDX-License-Identifier: Apache-2.0
"""HTML pages that hold all that they show, as Plexor's own."""

from plexor.show.html import PageHeading as PageHeading
from plexor.show.html import html_box as html_box
from plexor.show.html import html_figure as html_figure
from plexor.show.html import html_list as html_list
from plexor.show.html import html_page as html_page
from plexor.show.html import html_table as html_table
