# SPDX-License-Identifier: Apache-2.0
"""Texts and tables as Plexor's own commands print them."""

from plexor.render.facts import books as books
from plexor.render.facts import device_name as device_name
from plexor.render.pictures.frame import provenance as provenance
from plexor.render.pictures.scale import grouped as grouped
from plexor.render.table import NOTHING as NOTHING
from plexor.render.table import Cell as Cell
from plexor.render.terminal.columns import LEAST_WIDTH as LEAST_WIDTH
from plexor.render.terminal.columns import Paint as Paint
from plexor.render.terminal.columns import table as table
from plexor.render.terminal.columns import wrapped as wrapped
from plexor.render.terminal.sweep import bracket_text as bracket_text
from plexor.render.terminal.sweep import notes as notes
