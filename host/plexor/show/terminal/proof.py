# SPDX-License-Identifier: Apache-2.0
"""A proof for a terminal."""

from __future__ import annotations

from plexor.experiments.prove.model import Proof, StepOutcome
from plexor.show.proof import HEAD, WORDS, figure_row, source, step_line, verdict
from plexor.show.terminal.columns import Paint, table, wrapped


def proof_text(proof: Proof, seal: str, *, width: int, colour: bool) -> str:
    """Return each step with its figures, the verdict, and the proof's digest."""
    paint = Paint(colour)
    title = f"Proof of {proof.serial}, build {proof.placement:016x} · {source(proof)}"
    lines = [*wrapped(title, width, paint, "bold")]
    for step in proof.steps:
        word, style = WORDS[step.outcome]
        lines.append("")
        lines += wrapped(f"{step.name}: {word}. {step_line(step)}", width, paint, style)
        for text in step.findings:
            lines += wrapped(f"  {text}", width, paint, "bad")
        if step.figures and step.outcome != StepOutcome.LEFT_OUT:
            rows = [[(cell, "") for cell in figure_row(figure)] for figure in step.figures]
            lines += table(HEAD, rows, width, paint)
    style, head, text = verdict(proof)
    lines += ["", *wrapped(f"{head}; {text}", width, paint, style)]
    lines += wrapped(f"SHA-256 {seal}", width, paint, "muted")
    return paint.done(lines)
