# SPDX-License-Identifier: Apache-2.0
"""Sweeps: the highest rate that a device sustains."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from plexor.desk.load import switched
from plexor.errors import StoreError
from plexor.library.pins import described
from plexor.library.scans.scan import Scan
from plexor.library.scans.sweep_spec import SweepSpec, wanted_of
from plexor.library.scans.watched import watched
from plexor.library.scans.workers import workers_of
from plexor.library.specs.options import Target
from plexor.library.tables import steps_table, to_pandas
from plexor.session.prepare import now
from plexor.session.session import versions
from plexor.sweep.executor import Workers
from plexor.sweep.model import Knee, RateStep, SweepResult
from plexor.sweep.store import SWEEP, StepStore, question_of, save
from plexor.sweep.sweep import SearchState, SweepGoal
from plexor.sweep.sweep import sweep as find
from plexor.units import format_seconds


class Sweep(Scan[SweepResult]):
    """A sweep that has ended, from `Instrument.sweep` or `plexor.load`."""

    what = "sweep"

    def __repr__(self) -> str:
        kind = "simulated" if self.simulated else "measured"
        return f"<plexor.Sweep {kind}: {len(self.steps)} steps, {len(self.knees)} knees>"

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
        from plexor.render.terminal.sweep import sweep_text  # noqa: PLC0415

        return sweep_text(self.result, width=width, colour=colour)

    def document(self) -> dict[str, Any]:
        """Return the figures as the document that `plexor sweep --json` prints."""
        return SWEEP.of(self.result)

    def page(self) -> str:
        """Return the figures as an HTML page."""
        from plexor.render.sweep_page import sweep_page  # noqa: PLC0415

        return sweep_page(self.result)

    def picture(self) -> str:
        """Return the figures as an SVG picture."""
        from plexor.render.sweep_page import sweep_svg  # noqa: PLC0415

        return sweep_svg(self.result)


def swept(asked: SweepSpec, target: Target) -> Sweep:
    """Find the highest rate that a device sustains, for each channel and each load.

    Its stop, KeyboardInterrupt or an exception of its `on_step` ends a sweep after the steps that
    are under way. What was found by then is kept. An exception of `on_step` is then raised;
    otherwise it is returned, also if a step failed: then its `error` says why.

    Raises UsageError for options that cannot be combined, and what made the first step fail. Steps
    are taken by other processes: in a script, call it below `if __name__ == "__main__":`.
    """
    started, name = now(), asked.naming
    wanted = wanted_of(asked, target)
    workers = workers_of(target.link, asked.executor, name)
    description = described(target.link, target.dut, asked.device or {})
    question = question_of("sweep", wanted, [load.dut for load in wanted.loads.values()])
    switch = switched(asked.load_on, asked.load_off, (name("load_on"), name("load_off")))
    store = StepStore(asked.out, question, force=asked.force, names=(name("out"), name("force")))
    with store, watched(asked.on_step, asked.stop) as tell, Workers(workers) as opened:
        found = find(wanted, opened, store, tell, switch)
        if not found.steps:
            # Nothing is known of a device then, not even whether it is simulated.
            raise found.error or KeyboardInterrupt
        made = Sweep(
            replace(
                _result(asked, wanted, found, description),
                started=started,
                command=shlex.join(asked.command),
            ),
            found.error,
        )
        if asked.out is not None:
            try:
                store.finish()
                save(made.result, asked.out)
            except StoreError as error:
                made.unsaved = error
    return made


def _result(
    asked: SweepSpec, wanted: SweepGoal, found: SearchState, description: Mapping[str, str]
) -> SweepResult:
    shape = "half of the period, at most 10 µs"
    if asked.width is not None:
        shape = f"width {format_seconds(asked.width)}"
    if asked.duty is not None:
        shape = f"duty {float(asked.duty):.4g}"
    return SweepResult(
        found.steps[0].tick_fs,
        any(step.simulated for step in found.steps),
        tuple(entry.text for entry in wanted.criteria),
        wanted.low_hz,
        wanted.high_hz,
        wanted.width,
        shape,
        tuple(found.steps),
        tuple(found.knees),
        found.interrupted,
        description,
        versions(),
    )
