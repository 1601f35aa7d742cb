# SPDX-License-Identifier: Apache-2.0
"""Result of a proof."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class StepOutcome(StrEnum):
    """How a step ended."""

    PROVEN = "proven"
    FAILED = "failed"
    LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure."""

    name: str
    value: float
    unit: str
    """`ps`, `B/s`, `ppm`, or empty for a count."""
    error: float | None = None
    """By how much the value is off at most, in its unit; None: it is exact, or a count."""
    least: float | None = None
    most: float | None = None
    """Bounds of a sound instrument; None: there is none."""

    @property
    def holds(self) -> bool:
        """Whether the value can lie within its bounds: it is not outside by more than its error."""
        error = self.error or 0.0
        low = self.least is None or self.value >= self.least - error
        return low and (self.most is None or self.value <= self.most + error)


@dataclass(frozen=True, slots=True)
class ProofStep:
    """One step: what was wired, what was found."""

    name: str
    """`selftest`, `bins`, `jumper`, `wire`, `tee`, `pps` or `soak`."""
    outcome: StepOutcome
    summary: str
    """What was tested, or why it was left out."""
    figures: tuple[Figure, ...] = ()
    findings: tuple[str, ...] = ()
    """Defects, each with what has it."""


@dataclass(frozen=True, slots=True)
class Proof:
    """All steps, in the order in which they were done, and the instrument that was proven."""

    link: str
    serial: str
    board: str
    gateware_hash: int
    build_id: int
    simulated: bool
    tick_fs: int
    made: str
    """Time of the proof's begin, ISO 8601 in UTC."""
    steps: tuple[ProofStep, ...]

    @property
    def failed(self) -> tuple[ProofStep, ...]:
        """Steps that found a defect."""
        return tuple(step for step in self.steps if step.outcome == StepOutcome.FAILED)

    @property
    def left_out(self) -> tuple[ProofStep, ...]:
        """Steps of which nothing is proven."""
        return tuple(step for step in self.steps if step.outcome == StepOutcome.LEFT_OUT)

    @property
    def placement(self) -> int:
        """The number that the proof is kept under; see Identity.placement."""
        return self.build_id or self.gateware_hash


def judged(
    name: str, summary: str, figures: tuple[Figure, ...] = (), findings: tuple[str, ...] = ()
) -> ProofStep:
    """Return a step that failed if it has findings, or figures beyond their bounds."""
    beyond = tuple(_beyond(figure) for figure in figures if not figure.holds)
    found = (*findings, *beyond)
    return ProofStep(
        name, StepOutcome.FAILED if found else StepOutcome.PROVEN, summary, figures, found
    )


def left_out(name: str, why: str) -> ProofStep:
    """Return a step of which nothing is proven, with the reason."""
    return ProofStep(name, StepOutcome.LEFT_OUT, why)


def number(value: float) -> str:
    """Return a figure's number with a digit behind the point below 100, and none above."""
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:,.1f}"


def bounds_of(figure: Figure) -> str:
    """Return what a figure must be, without its unit; empty if it has no bounds."""
    least, most = (None if n is None else number(n) for n in (figure.least, figure.most))
    if least is None or most is None:
        return f"at most {most}" if most is not None else f"at least {least}" if least else ""
    return f"{least} to {most}"


def _beyond(figure: Figure) -> str:
    off = f" ± {number(figure.error)}" if figure.error else ""
    unit = f" {figure.unit}" if figure.unit else ""
    value = f"{figure.name}: {number(figure.value)}{off}{unit}"
    return f"{value}; must be {bounds_of(figure)}{unit}"
