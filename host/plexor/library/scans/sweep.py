# SPDX-License-Identifier: Apache-2.0
"""Sweeps: the highest rate that a device sustains."""

from __future__ import annotations

from typing import Any

from plexor.base.counts import counted
from plexor.base.figure_words import source_word
from plexor.experiments.step import RateStep
from plexor.experiments.sweep.model import Knee, SweepResult
from plexor.experiments.sweep.store import SWEEP
from plexor.experiments.sweep.sweep import SweepSteps
from plexor.library.scans.scan import Scan
from plexor.library.scans.steps import step_scan
from plexor.library.scans.sweep_spec import SweepSpec, wanted_of
from plexor.library.specs.options import Target
from plexor.library.tables import steps_table, to_pandas
from plexor.show.sweep_page import sweep_page, sweep_svg
from plexor.show.terminal.sweep import sweep_text
from plexor.wire.desk.load import switched


class Sweep(Scan[SweepResult]):
    """A sweep that has ended, from `Instrument.sweep` or `plexor.load`."""

    what = "sweep"
    kept = SWEEP

    def __repr__(self) -> str:
        kind = source_word(self.simulated)
        return (
            f"<plexor.Sweep {kind}: {counted(len(self.steps), 'step')}, "
            f"{counted(len(self.knees), 'knee')}>"
        )

    @property
    def steps(self) -> tuple[RateStep, ...]:
        """All rates that were tried, with the figures of each channel."""
        return self.result.steps

    @property
    def knees(self) -> tuple[Knee, ...]:
        """Where each channel saturates under each load: `knee.bracket.passing_hz` and so on."""
        return self.result.knees

    def to_arrow(self) -> Any:
        """Return the steps as a pyarrow.Table, one row for each channel of a step."""
        return steps_table(self.result)

    def to_pandas(self) -> Any:
        """Return the steps as a pandas.DataFrame. Raises UsageError if pandas is not installed."""
        return to_pandas(self.to_arrow())

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return the figures as text for a terminal of `width` columns."""
        return sweep_text(self.result, width=width, colour=colour)

    def page(self) -> str:
        """Return the figures as an HTML page."""
        return sweep_page(self.result, self.document())

    def picture(self) -> str:
        """Return the figures as an SVG picture."""
        return sweep_svg(self.result)


def swept(asked: SweepSpec, target: Target) -> Sweep:
    """Find the highest rate that a device sustains, for each channel and each load.

    Raises UsageError for options that cannot be combined. Steps are taken as `step_scan` does, by
    other processes: in a script, call it below `if __name__ == "__main__":`.
    """
    name, goal = asked.naming, wanted_of(asked, target)
    switch = switched(asked.load_on, asked.load_off, (name("load_on"), name("load_off")))
    told = asked.on_step

    def on_step(_: object, step: RateStep, taken: int, expected: int) -> None:
        if told is not None:
            told(step, taken, expected)

    return step_scan(asked, target, SweepSteps(goal, switch), Sweep, on_step)
