# SPDX-License-Identifier: Apache-2.0
"""The bound of a service on the terminal, and the bound beside what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from plexor.library.parts.results import Outcome
from plexor.library.parts.show import LEAST_WIDTH, Cell, Paint, grouped, table, wrapped
from plexor_lab.bound.estimate import ServiceEstimate
from plexor_lab.bound.formula import Formula, decimals
from plexor_lab.bound.model import Model, Platform
from plexor_lab.bound.verdict import MARK, MISSED, NS_FS, Bounded, MeasuredMaximum

OUTCOMES = {
    Outcome.PASS: ("SAFE: nothing that was measured exceeds the estimate", "good"),
    Outcome.FAIL: ("UNSAFE: what was measured exceeds the estimate", "bad"),
    Outcome.TOO_FEW: ("NOT PROVEN: the estimate may be exceeded", "doubt"),
    Outcome.NOT_COMPARABLE: ("NOT PROVEN: the estimate may be exceeded", "doubt"),
}
"""A sentence for each outcome, and its style."""


def exact(value: Fraction) -> str:
    """Return a number without rounding: `14,182`, `13.889`, or `14,099 4/9` if it never ends."""
    size = abs(value)
    whole, rest = divmod(size, 1)
    text = grouped(int(whole))
    digits = decimals(rest)
    if rest and digits is not None:
        text += f".{int(rest * 10**digits):0{digits}d}"
    elif rest:
        text = f"{text} {rest}" if whole else str(rest)
    return f"-{text}" if value < 0 else text


def formula_text(formula: Formula) -> str:
    """Return a formula as short as it can be: `41,752 + 1,152 N`, `18 N` or `52`."""
    if not formula.per_n:
        return exact(formula.fixed)
    factor = exact(formula.per_n)
    slope = f"({factor}) N" if " " in factor or "/" in factor else f"{factor} N"
    return f"{exact(formula.fixed)} + {slope}" if formula.fixed else slope


def bound_text(
    model: Model,
    platform: Platform,
    found: ServiceEstimate,
    ns: Sequence[int],
    *,
    width: int = 100,
    colour: bool = False,
) -> str:
    """Return sections and columns as tables, and the formulas, at most `width` columns wide."""
    width, paint = max(width, LEAST_WIDTH), Paint(colour)
    left = "T(N)" if model.grows else "T"
    lines = list(wrapped(f"{model.title} on {platform.title}", width, paint, "bold"))
    lines += wrapped("computed from the accesses that the model counts", width, paint, "muted")
    lines += ["", *wrapped(f"{left} = {formula_text(found.total_ns)}, in ns", width, paint, "bold")]
    blocked = f"of which {formula_text(found.blocked_ns)} in sections that block"
    lines += wrapped(blocked, width, paint, "")
    lines += ["", *table(*bound_sections(found, ns), width, paint)]
    lines += ["", *table(*bound_columns(found, ns), width, paint)]
    return paint.done(lines)


def bound_sections(found: ServiceEstimate, ns: Sequence[int]) -> tuple[list[str], list[list[Cell]]]:
    """Return what each section takes, as a table."""
    head = [
        "section",
        "repetition",
        "blocking",
        "ns once",
        "ns",
        *(f"ns, N = {grouped(n)}" for n in ns),
    ]
    rows = [
        [
            entry.section.name,
            str(entry.section.repetition),
            "yes" if entry.section.blocking else "no",
            exact(entry.once_ns),
            *_values(entry.total_ns, ns),
        ]
        for entry in found.sections
    ]
    rows.append(["in all", "", "", "", *_values(found.total_ns, ns)])
    rows.append(["blocking", "", "", "", *_values(found.blocked_ns, ns)])
    return head, _cells(rows)


def bound_columns(found: ServiceEstimate, ns: Sequence[int]) -> tuple[list[str], list[list[Cell]]]:
    """Return what all accesses to each region take, as a table."""
    mapped = any(entry.placed != entry.region for entry in found.columns)
    head = ["accesses", *(["lie in"] if mapped else []), "ns each", "number", "ns"]
    head += [text for n in ns for text in (f"number, N = {grouped(n)}", f"ns, N = {grouped(n)}")]
    rows: list[list[str]] = []
    for entry in found.columns:
        row = [entry.name, *([entry.placed] if mapped else []), exact(entry.time_ns)]
        row += [formula_text(entry.accesses), formula_text(entry.total_ns)]
        for n in ns:
            row += [exact(entry.accesses.at(n)), exact(entry.total_ns.at(n))]
        rows.append(row)
    return head, _cells(rows)


def _values(formula: Formula, ns: Sequence[int]) -> list[str]:
    return [formula_text(formula), *(exact(formula.at(n)) for n in ns)]


def _cells(rows: list[list[str]]) -> list[list[Cell]]:
    return [[(text, "") for text in row] for row in rows]


def check_text(
    model: Model,
    platform: Platform,
    n: int | None,
    found: Bounded,
    *,
    width: int = 100,
    colour: bool = False,
) -> str:
    """Return estimate, measurement and verdict as lines of at most `width` columns."""
    width, paint = max(width, LEAST_WIDTH), Paint(colour)
    at = "" if n is None else f", N = {grouped(n)}"
    lines = list(wrapped(f"{model.title} on {platform.title}{at}", width, paint, "bold"))
    for reason in found.measured.invalid_reasons:
        lines += wrapped(f"INVALID RUN: {reason}", width, paint, "bad")
    measured = found.measured
    lines += wrapped(f"estimate  {exact(found.estimate_ns)} ns, computed", width, paint, "")
    lines += wrapped(f"measured  {measured_text(found)}", width, paint, "")
    if measured.books:
        lines += wrapped(f"events    {measured.books}", width, paint, "muted")
    lines += wrapped(f"margin    {margin_text(found)}", width, paint, "")
    word, style = OUTCOMES[found.outcome]
    lines += ["", *wrapped(word, width, paint, style)]
    for doubt in doubts(found):
        lines += wrapped(doubt, width, paint, "doubt")
    lines += wrapped(f"overestimation  {overestimation(found)}", width, paint, "")
    mark = f"for comparison  {float(MARK.part * 100):.0f} % {MARK.about}"
    lines += wrapped(mark, width, paint, "muted")
    return paint.done(lines)


def measured_text(found: Bounded) -> str:
    """Return what was measured, and how."""
    measured = found.measured
    text = most_text(measured)
    if measured.tick_fs is not None:
        text += f" ± {exact(Fraction(measured.tick_fs, NS_FS))} ns (a tick)"
    text += f", maximum {measured.what}" if measured.samples is not None else ""
    text += f", {measured.provenance}"
    if measured.samples is not None:
        text += f", {grouped(measured.samples)} samples"
    if measured.missed is not None:
        text += f", {grouped(measured.missed)} strikes missed"
    return text


def most_text(measured: MeasuredMaximum) -> str:
    """Return the maximum that was measured, or what it is above if no more is known."""
    if measured.max_ns is None:
        return f"over {exact(measured.over_ns or Fraction(0))} ns"
    return f"{exact(measured.max_ns)} ns"


def margin_text(found: Bounded) -> str:
    """Return estimate less measurement."""
    return "not known" if found.margin_ns is None else f"{exact(found.margin_ns)} ns"


def doubts(found: Bounded) -> Iterator[str]:
    """Yield what leaves a verdict open."""
    if found.outcome == Outcome.TOO_FEW:
        yield found.line
    elif found.measured.missed:
        yield MISSED
    if found.within_a_tick:
        yield "the margin is smaller than a tick, so the instrument cannot tell which is longer"


def overestimation(found: Bounded) -> str:
    """Return the overestimation in both conventions."""
    return (
        f"{_percent(found.of_measured)} of what was measured, "
        f"{_percent(found.of_estimate)} of the estimate"
    )


def _percent(part: Fraction | None) -> str:
    return "not defined" if part is None else f"{float(part * 100):.3f} %"
