# SPDX-License-Identifier: Apache-2.0
"""HTML pages that hold all that they show, as Plexor's own."""

from plexor.render.html import PageHeading as PageHeading
from plexor.render.html import html_box as html_box
from plexor.render.html import html_figure as html_figure
from plexor.render.html import html_list as html_list
from plexor.render.html import html_page as html_page
from plexor.render.html import html_table as html_table
