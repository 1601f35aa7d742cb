# SPDX-License-Identifier: Apache-2.0
"""The terms of a core and how well they fit, on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from plexor.library.parts.show import LEAST_WIDTH, Cell, Paint, grouped, table, wrapped
from plexor_lab.bound.fitting import FETCH, READ, WRITE, EstimatedService, Fit, errors
from plexor_lab.bound.text import exact

_MEANING = {
    FETCH: "an instruction takes at least",
    READ: "a read takes beside its memory's time",
    WRITE: "a write takes beside its memory's time",
}


def fit_text(fit: Fit, tried: Sequence[EstimatedService], *, width: int, colour: bool) -> str:
    """Return terms, errors and services as tables, at most `width` columns wide."""
    width, paint = max(width, LEAST_WIDTH), Paint(colour)
    lines = list(wrapped("what the core adds, computed", width, paint, "bold"))
    for term in fit.terms:
        meaning = _MEANING.get(term.name, f"an access {term.name} takes")
        lines += wrapped(f"{term.name:<8}{exact(term.time_ns)} ns: {meaning}", width, paint, "")
    if not fit.is_unique:
        doubt = "these services do not tell all terms apart: others would fit as well"
        lines += wrapped(doubt, width, paint, "doubt")
    margin = f"no service took more than {exact(fit.margin)} times its estimate"
    lines += wrapped(margin, width, paint, "")
    head = ["services", "number", "mean error", "worst", "of a plain sum", "worst"]
    groups = [("fitted", fit.services), *([("not fitted", tried)] if tried else [])]
    rows: list[list[str]] = []
    for name, compared in groups:
        rows.append([name, grouped(len(compared)), *map(_percent, errors(compared))])
    lines += ["", *table(head, _cells(rows), width, paint)]
    head = [
        "service",
        "platform",
        "N",
        "measured ns",
        "estimate ns",
        "error",
        "plain sum ns",
        "error",
    ]
    rows = [
        [
            service.service.model.title,
            service.service.platform.title,
            grouped(service.service.n),
            exact(service.service.measured_ns),
            grouped(round(service.estimate_ns)),
            f"{float(service.error * 100):+.1f} %",
            grouped(round(service.plain_ns)),
            f"{float(service.plain_error * 100):+.1f} %",
        ]
        for _, compared in groups
        for service in compared
    ]
    lines += ["", *table(head, _cells(rows), width, paint)]
    return paint.done(lines)


def _percent(share: Fraction) -> str:
    return f"{float(share * 100):.1f} %"


def _cells(rows: list[list[str]]) -> list[list[Cell]]:
    return [[(text, "") for text in row] for row in rows]
