"""The figures of a proof as rows of text, for terminals and pages."""

from __future__ import annotations

from plexor.prove.model import Figure, Outcome, Proof, Step

WORDS = {
    Outcome.PROVEN: ("proven", "good"),
    Outcome.FAILED: ("FAILED", "bad"),
    Outcome.LEFT_OUT: ("left out", "doubt"),
}
"""What is printed of an outcome, and its style."""
HEAD = ["figure", "value", "error", "must be"]


def verdict(proof: Proof) -> tuple[str, str, str]:
    """Return style, head and text of the verdict."""
    done = [step.name for step in proof.steps if step.outcome == Outcome.PROVEN]
    missing = [step.name for step in proof.left_out]
    rest = f"not proven: {', '.join(missing)}" if missing else "every step was done"
    if proof.failed:
        lines = [f"{step.name}: {text}" for step in proof.failed for text in step.findings]
        return "bad", "Failed", "; ".join(lines)
    if not done:
        return "doubt", "Nothing proven", rest
    return ("doubt" if missing else "good"), f"Proven: {', '.join(done)}", rest


def figure_row(figure: Figure) -> list[str]:
    """Return a figure's name, value, error and bounds."""
    unit = f" {figure.unit}" if figure.unit else ""
    error = "" if figure.error is None else f"± {_number(figure.error)}{unit}"
    least, most = (None if n is None else _number(n) for n in (figure.least, figure.most))
    bounds = f"{least or ''} to {most or ''}"
    if least is None or most is None:
        bounds = f"at most {most}" if most is not None else f"at least {least}" if least else ""
    if least is not None and least == most:
        bounds = least
    return [figure.name, f"{_number(figure.value)}{unit}", error, f"{bounds}{unit}" * bool(bounds)]


def source(proof: Proof) -> str:
    """Return where the figures come from."""
    return "simulated" if proof.simulated else f"measured on {proof.board or 'hardware'}"


def step_line(step: Step) -> str:
    """Return what a step tested, or why it was left out."""
    return step.summary[:1].upper() + step.summary[1:]


def _number(value: float) -> str:
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:,.1f}"
