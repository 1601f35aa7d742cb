# SPDX-License-Identifier: Apache-2.0
"""The bound of a service on the terminal, and the bound beside what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from plexor.base.counts import counted
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
    whole_part, fraction = divmod(size, 1)
    text = grouped(int(whole_part))
    digits = decimals(fraction)
    if fraction and digits is not None:
        text += f".{int(fraction * 10**digits):0{digits}d}"
    elif fraction:
        text = f"{text} {fraction}" if whole_part else str(fraction)
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
    estimate: ServiceEstimate,
    ns: Sequence[int],
    *,
    width: int,
    colour: bool,
) -> str:
    """Return sections and columns as tables, and the formulas, at most `width` columns wide."""
    width, paint = max(width, LEAST_WIDTH), Paint(colour)
    symbol = "T(N)" if model.grows else "T"
    lines = list(wrapped(f"{model.title} on {platform.title}", width, paint, "bold"))
    lines += wrapped("computed from the accesses that the model counts", width, paint, "muted")
    lines += [
        "",
        *wrapped(f"{symbol} = {formula_text(estimate.total_ns)}, in ns", width, paint, "bold"),
    ]
    blocked = f"of which {formula_text(estimate.blocked_ns)} in sections that block"
    lines += wrapped(blocked, width, paint, "")
    lines += ["", *table(*bound_sections(estimate, ns), width, paint)]
    lines += ["", *table(*bound_columns(estimate, ns), width, paint)]
    return paint.done(lines)


def bound_sections(
    estimate: ServiceEstimate, ns: Sequence[int]
) -> tuple[list[str], list[list[Cell]]]:
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
            section_bound.section.name,
            str(section_bound.section.repetition),
            "yes" if section_bound.section.blocking else "no",
            exact(section_bound.once_ns),
            *_values(section_bound.total_ns, ns),
        ]
        for section_bound in estimate.sections
    ]
    rows.append(["in all", "", "", "", *_values(estimate.total_ns, ns)])
    rows.append(["blocking", "", "", "", *_values(estimate.blocked_ns, ns)])
    return head, _cells(rows)


def bound_columns(
    estimate: ServiceEstimate, ns: Sequence[int]
) -> tuple[list[str], list[list[Cell]]]:
    """Return what all accesses to each region take, as a table."""
    mapped = any(column.placed != column.region for column in estimate.columns)
    head = ["accesses", *(["lie in"] if mapped else []), "ns each", "number", "ns"]
    head += [text for n in ns for text in (f"number, N = {grouped(n)}", f"ns, N = {grouped(n)}")]
    rows: list[list[str]] = []
    for column in estimate.columns:
        row = [column.name, *([column.placed] if mapped else []), exact(column.time_ns)]
        row += [formula_text(column.accesses), formula_text(column.total_ns)]
        for n in ns:
            row += [exact(column.accesses.at(n)), exact(column.total_ns.at(n))]
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
    verdict: Bounded,
    *,
    width: int,
    colour: bool,
) -> str:
    """Return estimate, measurement and verdict as lines of at most `width` columns."""
    width, paint = max(width, LEAST_WIDTH), Paint(colour)
    at_n = "" if n is None else f", N = {grouped(n)}"
    lines = list(wrapped(f"{model.title} on {platform.title}{at_n}", width, paint, "bold"))
    for reason in verdict.measured.invalid_reasons:
        lines += wrapped(f"INVALID RUN: {reason}", width, paint, "bad")
    measured = verdict.measured
    lines += wrapped(f"estimate  {exact(verdict.estimate_ns)} ns, computed", width, paint, "")
    lines += wrapped(f"measured  {measured_text(verdict)}", width, paint, "")
    if measured.books:
        lines += wrapped(f"events    {measured.books}", width, paint, "muted")
    lines += wrapped(f"margin    {margin_text(verdict)}", width, paint, "")
    word, style = OUTCOMES[verdict.outcome]
    lines += ["", *wrapped(word, width, paint, style)]
    for doubt in doubts(verdict):
        lines += wrapped(doubt, width, paint, "doubt")
    lines += wrapped(f"overestimation  {overestimation(verdict)}", width, paint, "")
    mark = f"for comparison  {float(MARK.part * 100):.0f} % {MARK.about}"
    lines += wrapped(mark, width, paint, "muted")
    return paint.done(lines)


def measured_text(verdict: Bounded) -> str:
    """Return what was measured, and how."""
    measured = verdict.measured
    text = most_text(measured)
    if measured.tick_fs is not None:
        text += f" ± {exact(Fraction(measured.tick_fs, NS_FS))} ns (a tick)"
    text += f", maximum {measured.what}" if measured.samples is not None else ""
    text += f", {measured.provenance}"
    if measured.samples is not None:
        text += f", {counted(measured.samples, 'sample')}"
    if measured.missed is not None:
        text += f", {counted(measured.missed, 'strike')} missed"
    return text


def most_text(measured: MeasuredMaximum) -> str:
    """Return the maximum that was measured, or what it is above if no more is known."""
    if measured.max_ns is None:
        return f"over {exact(measured.over_ns or Fraction(0))} ns"
    return f"{exact(measured.max_ns)} ns"


def margin_text(verdict: Bounded) -> str:
    """Return estimate less measurement."""
    return "not known" if verdict.margin_ns is None else f"{exact(verdict.margin_ns)} ns"


def doubts(verdict: Bounded) -> Iterator[str]:
    """Yield what leaves a verdict open."""
    if verdict.outcome == Outcome.TOO_FEW:
        yield verdict.line
    elif verdict.measured.missed:
        yield MISSED
    if verdict.within_a_tick:
        yield "the margin is smaller than a tick, so the instrument cannot tell which is longer"


def overestimation(verdict: Bounded) -> str:
    """Return the overestimation in both conventions."""
    return (
        f"{_percent(verdict.of_measured)} of what was measured, "
        f"{_percent(verdict.of_estimate)} of the estimate"
    )


def _percent(share: Fraction | None) -> str:
    # `z`: what rounds to zero has no sign.
    return "not defined" if share is None else f"{float(share * 100):z.3f} %"
