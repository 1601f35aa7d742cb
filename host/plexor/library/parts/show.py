# SPDX-License-Identifier: Apache-2.0
"""Texts and tables as Plexor's own commands print them."""

from plexor.base.figure_words import MAX_SEEN as MAX_SEEN
from plexor.show.facts import books as books
from plexor.show.facts import device_name as device_name
from plexor.show.pictures.frame import provenance as provenance
from plexor.show.pictures.scale import grouped as grouped
from plexor.show.table import NOTHING as NOTHING
from plexor.show.table import Cell as Cell
from plexor.show.terminal.columns import LEAST_WIDTH as LEAST_WIDTH
from plexor.show.terminal.columns import Paint as Paint
from plexor.show.terminal.columns import table as table
from plexor.show.terminal.columns import wrapped as wrapped
from plexor.show.terminal.sweep import bracket_text as bracket_text
from plexor.show.terminal.sweep import notes as notes
