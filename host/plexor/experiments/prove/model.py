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
class ProofFigure:
    """One measured figure."""

    name: str
    value: float
    unit: str
    """`ps`, `B/s`, `ppm`, or empty for a count."""
    error: float | None = None
    """Maximum error of the value, in its unit; None: it is exact, or a count."""
    least: float | None = None
    most: float | None = None
    """Bounds of a sound instrument; None: no bound."""

    @property
    def holds(self) -> bool:
        """Whether the value is within its bounds, or outside by no more than its error."""
        error = self.error or 0.0
        low = self.least is None or self.value >= self.least - error
        return low and (self.most is None or self.value <= self.most + error)


@dataclass(frozen=True, slots=True)
class ProofStep:
    """One step of a proof: its figures and findings."""

    name: str
    """The step, as `plexor.experiments.prove.run.STEPS` has it."""
    outcome: StepOutcome
    summary: str
    """What was tested, or why it was left out."""
    figures: tuple[ProofFigure, ...] = ()
    findings: tuple[str, ...] = ()
    """Defects, each with the part that has it."""


@dataclass(frozen=True, slots=True)
class Proof:
    """All steps in the order of execution, and the instrument."""

    link: str
    serial: str
    board: str
    gateware_hash: int
    build_id: int
    simulated: bool
    tick_fs: int
    made: str
    """Start of the proof, ISO 8601 in UTC."""
    steps: tuple[ProofStep, ...]

    @property
    def failed(self) -> tuple[ProofStep, ...]:
        """Steps that found a defect."""
        return tuple(step for step in self.steps if step.outcome == StepOutcome.FAILED)

    @property
    def left_out(self) -> tuple[ProofStep, ...]:
        """Steps that were not taken."""
        return tuple(step for step in self.steps if step.outcome == StepOutcome.LEFT_OUT)

    @property
    def placement(self) -> int:
        """The number that the proof is stored under; see Identity.placement."""
        return self.build_id or self.gateware_hash


def judged(
    name: str, summary: str, figures: tuple[ProofFigure, ...] = (), findings: tuple[str, ...] = ()
) -> ProofStep:
    """Return a step; it failed if it has findings, or figures beyond their bounds."""
    beyond = tuple(_beyond(figure) for figure in figures if not figure.holds)
    all_findings = (*findings, *beyond)
    return ProofStep(
        name,
        StepOutcome.FAILED if all_findings else StepOutcome.PROVEN,
        summary,
        figures,
        all_findings,
    )


def left_out(name: str, reason: str) -> ProofStep:
    """Return a step that was not taken, with the reason."""
    return ProofStep(name, StepOutcome.LEFT_OUT, reason)


def number(value: float) -> str:
    """Return a number as text, with one decimal below 100 and none above."""
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:,.1f}"


def bounds_of(figure: ProofFigure) -> str:
    """Return a figure's bounds as text, without the unit; empty if it has none."""
    least, most = (None if n is None else number(n) for n in (figure.least, figure.most))
    if least is None or most is None:
        return f"at most {most}" if most is not None else f"at least {least}" if least else ""
    return f"{least} to {most}"


def _beyond(figure: ProofFigure) -> str:
    off = f" ± {number(figure.error)}" if figure.error else ""
    unit = f" {figure.unit}" if figure.unit else ""
    value = f"{figure.name}: {number(figure.value)}{off}{unit}"
    return f"{value}; must be {bounds_of(figure)}{unit}"
