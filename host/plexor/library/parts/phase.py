# SPDX-License-Identifier: Apache-2.0
"""A phase scan, as its own page shows it."""

from plexor.phase.model import PhaseResult as PhaseResult
from plexor.render.pictures.phase import phase_plot as phase_plot
from plexor.render.terminal.phase import notes as notes
from plexor.render.terminal.phase import taken as taken
from plexor.render.terminal.phase import window_rows as window_rows
