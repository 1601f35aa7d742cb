"""Sweeps: the highest rate that a device sustains."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from plexor.desk.load import switched
from plexor.errors import StoreError
from plexor.jsonable import to_json
from plexor.library.pins import described
from plexor.library.scans.scan import Scan
from plexor.library.scans.sweep_asked import READERS, SweepAsked, SweepOptions, wanted_of
from plexor.library.scans.watched import watched
from plexor.library.scans.workers import workers_of
from plexor.library.tables import steps_table, to_pandas
from plexor.library.values import Naming, path_of, plain, read
from plexor.session.prepare import now
from plexor.session.session import versions
from plexor.session.stop import Stop
from plexor.sweep.executor import Workers
from plexor.sweep.model import Knee, Step, SweepResult
from plexor.sweep.store import StepStore, question_of, save
from plexor.sweep.sweep import Found, Wanted
from plexor.sweep.sweep import sweep as find
from plexor.units import format_seconds

OnStep = Callable[[Step, int, int], None]
"""Gets each step, how many were taken, and about how many there will be."""


class Sweep(Scan[SweepResult]):
    """A sweep that has ended, from `Instrument.sweep` or `plexor.load`."""

    what = "sweep"

    def __repr__(self) -> str:
        kind = "simulated" if self.simulated else "measured"
        return f"<plexor.Sweep {kind}: {len(self.steps)} steps, {len(self.knees)} knees>"

    @property
    def steps(self) -> tuple[Step, ...]:
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
        return to_json(self.result)

    def page(self) -> str:
        """Return the figures as an HTML page."""
        from plexor.render.sweep_page import sweep_page  # noqa: PLC0415

        return sweep_page(self.result)

    def picture(self) -> str:
        """Return the figures as an SVG picture."""
        from plexor.render.sweep_page import sweep_svg  # noqa: PLC0415

        return sweep_svg(self.result)


def sweep(
    link: str = "sim:",
    *,
    dut: str | None = None,
    device: Mapping[str, str] | None = None,
    out: str | Path | None = None,
    force: bool = False,
    on_step: OnStep | None = None,
    stop: Stop | None = None,
    **options: Unpack[SweepOptions],
) -> Sweep:
    """Find the highest rate that a device sustains, for each channel and each load.

    `link` and `dut` are those of `plexor.open`. The options are those of SweepOptions: `low="1k"`,
    `high="200k"`, `criteria="missed<1%"`, `loads=["none", "cpu"]`. `device` describes what is
    measured. Steps and result are kept in the folder `out`; a sweep with the same options that is
    there already continues. `force` replaces it. `on_step` gets each step.

    `stop`, KeyboardInterrupt or an exception of `on_step` ends the sweep after the steps that are
    under way. What was found by then is kept. An exception of `on_step` is then raised; otherwise
    it is returned, also if a step failed: then its `error` says why.

    Raises UsageError for options that cannot be read or combined, and what made the first step
    fail. Steps are taken by other processes: in a script, call it below
    `if __name__ == "__main__":`.
    """
    asked = SweepAsked(link=link, dut=dut, **read(options, READERS, ("low", "high")))
    target = None if out is None else path_of(out)
    return swept(asked, device=device, out=target, force=force, on_step=on_step, stop=stop)


def swept(
    asked: SweepAsked,
    *,
    device: Mapping[str, str] | None = None,
    out: Path | None = None,
    force: bool = False,
    on_step: OnStep | None = None,
    stop: Stop | None = None,
    name: Naming = plain,
    command: Sequence[str] = (),
) -> Sweep:
    """Take a sweep of exact options.

    `name` gives an option's name for messages; `command` are the words of the command line.
    """
    started = now()
    wanted = wanted_of(asked, name)
    workers = workers_of(asked.link, asked.executor, name)
    description = described(asked.link, asked.dut, device or {})
    question = question_of("sweep", wanted, [load.dut for load in wanted.loads.values()])
    switch = switched(asked.load_on, asked.load_off, (name("load_on"), name("load_off")))
    store = StepStore(out, question, force=force, names=(name("out"), name("force")))
    with store, watched(on_step, stop) as tell, Workers(workers) as opened:
        found = find(wanted, opened, store, tell, switch)
        if not found.steps:
            # Nothing is known of a device then, not even whether it is simulated.
            raise found.error or KeyboardInterrupt
        made = Sweep(
            replace(
                _result(asked, wanted, found, description),
                started=started,
                command=shlex.join(command),
            ),
            found.error,
        )
        if out is not None:
            try:
                store.finish()
                save(made.result, out)
            except StoreError as error:
                made.unsaved = error
    return made


def _result(
    asked: SweepAsked, wanted: Wanted, found: Found, description: Mapping[str, str]
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
