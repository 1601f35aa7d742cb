# SPDX-License-Identifier: Apache-2.0
"""What came of a cell: its figures, or why there are none."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from plexor.base.errors import ExitCode, PlexorError
from plexor.base.units import plot_seconds
from plexor.figures.analyse.analyse import ChannelFigures
from plexor.figures.judge.verdict import Outcome as Judged
from plexor.library.cells.cell import Cell
from plexor.library.run import Run
from plexor.protocol.memory import ResponseClass

_P99 = Fraction(99, 100)


class CellState(StrEnum):
    """How far a cell has come."""

    OPEN = "open"  # not measured, because the farm ended before
    FAILED = "failed"  # tried, without a run
    KEPT = "kept"  # measured before, and not again
    MEASURED = "measured"


@dataclass(frozen=True, slots=True)
class CellFigures:
    """One channel. Times are seconds; None: there is no sample, or there are too few."""

    name: str
    samples: int
    missed: int
    p99_s: float | None
    max_s: float | None


@dataclass(frozen=True, slots=True)
class CellOutcome:
    """What came of a cell."""

    cell: Cell
    state: CellState = CellState.OPEN
    simulated: bool = False
    run: str = ""
    """Its identity in the archive."""
    figures: tuple[CellFigures, ...] = ()
    code: ExitCode = ExitCode.PASS
    """The exit code of its run, or of what failed."""
    reason: str = ""
    """Why it failed, proves nothing, or is over its budget."""

    @property
    def done(self) -> bool:
        """Whether it has a run."""
        return self.state in (CellState.KEPT, CellState.MEASURED)


def failed(cell: Cell, error: PlexorError) -> CellOutcome:
    """Return the outcome of a cell that could not be measured."""
    return CellOutcome(cell, CellState.FAILED, code=error.exit_code, reason=str(error))


def outcome(cell: Cell, run: Run, state: CellState, name: str) -> CellOutcome:
    """Return the outcome of a cell's run; `name` is its identity in the archive."""
    verdict, reason = None, "; ".join(run.invalid_reasons)
    if cell.budget is not None and run.valid:
        try:
            verdict = run.judge(cell.budget)
        except PlexorError as error:
            return CellOutcome(
                cell, CellState.FAILED, run.simulated, name, (), error.exit_code, str(error)
            )
        over = [c for c in verdict.checks if c.outcome != Judged.PASS and not c.limit.goal]
        reason = "; ".join(
            f"{c.named}: {c.outcome.value}{f' ({c.line})' if c.line else ''}" for c in over
        )
    figures = tuple(_figures(run, channel) for channel in run.report.channels)
    return CellOutcome(cell, state, run.simulated, name, figures, run.exit_code(verdict), reason)


def _figures(run: Run, channel: ChannelFigures) -> CellFigures:
    rise, missed = channel.rise, channel.result.classes[ResponseClass.MISSED]
    if rise is None or rise.max_ticks is None:
        return CellFigures(channel.name, 0, missed, None, None)
    p99 = rise.quantile(_P99)
    most = p99.value_ticks if p99 is not None and p99.enough else None
    return CellFigures(
        channel.name,
        rise.count,
        missed,
        None if most is None else plot_seconds(most, run.tick_fs),
        plot_seconds(rise.max_ticks, run.tick_fs),
    )
