# SPDX-License-Identifier: Apache-2.0
"""The figures of a proof as rows of text, for terminals and pages."""

from __future__ import annotations

from plexor.base.figure_words import source_text
from plexor.experiments.prove.model import (
    Proof,
    ProofFigure,
    ProofStep,
    StepOutcome,
    bounds_of,
    number,
)

WORDS = {
    StepOutcome.PROVEN: ("proven", "good"),
    StepOutcome.FAILED: ("FAILED", "bad"),
    StepOutcome.LEFT_OUT: ("left out", "doubt"),
}
"""What is printed of an outcome, and its style."""
HEAD = ["figure", "value", "error", "must be"]


def verdict(proof: Proof) -> tuple[str, str, str]:
    """Return style, head and text of the verdict."""
    done = [step.name for step in proof.steps if step.outcome == StepOutcome.PROVEN]
    missing = [step.name for step in proof.left_out]
    rest = f"not proven: {', '.join(missing)}" if missing else "every step was done"
    if proof.failed:
        lines = [f"{step.name}: {text}" for step in proof.failed for text in step.findings]
        return "bad", "Failed", "; ".join(lines)
    if not done:
        return "doubt", "Nothing proven", rest
    return ("doubt" if missing else "good"), f"Proven: {', '.join(done)}", rest


def figure_row(figure: ProofFigure) -> list[str]:
    """Return a figure's name, value, error and bounds."""
    unit = f" {figure.unit}" if figure.unit else ""
    error = "" if figure.error is None else f"± {number(figure.error)}{unit}"
    bounds = bounds_of(figure)
    return [figure.name, f"{number(figure.value)}{unit}", error, f"{bounds}{unit}" * bool(bounds)]


def source(proof: Proof) -> str:
    """Return where the figures come from."""
    return source_text(proof.simulated, proof.board)


def step_line(step: ProofStep) -> str:
    """Return what a step tested, or why it was left out."""
    return step.summary[:1].upper() + step.summary[1:]
