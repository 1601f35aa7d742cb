# SPDX-License-Identifier: Apache-2.0
"""A phase scan, as its own page shows it."""

from plexor.experiments.phase.model import PhaseResult as PhaseResult
from plexor.show.pictures.phase import phase_plot as phase_plot
from plexor.show.terminal.phase import notes as notes
from plexor.show.terminal.phase import taken as taken
from plexor.show.terminal.phase import window_rows as window_rows
