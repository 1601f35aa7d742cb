# SPDX-License-Identifier: Apache-2.0
"""One self-contained HTML page of a bound: the verdict, what was measured, and its phase scan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

from plexor.base.units import format_seconds, format_ticks
from plexor.library.parts.page import (
    ChannelTiles,
    PageHeading,
    Tile,
    html_box,
    html_details,
    html_figure,
    html_list,
    html_page,
    html_table,
    html_tiles,
    page_files,
)
from plexor.library.parts.phase import PhaseResult, notes, phase_plot, taken, window_rows
from plexor.library.parts.results import Distribution
from plexor.library.parts.show import MAX_SEEN, grouped
from plexor_lab.bound.estimate import ServiceEstimate
from plexor_lab.bound.model import Model, Platform
from plexor_lab.bound.picture import under_bound
from plexor_lab.bound.text import (
    OUTCOMES,
    bound_columns,
    bound_sections,
    doubts,
    exact,
    formula_text,
    margin_text,
    measured_text,
    overestimation,
)
from plexor_lab.bound.verdict import MARK, Bounded, MeasuredMaximum

_FOOTER = (
    "The bound is computed from counted accesses and their times. A run shows the worst case that "
    "came, not the worst that can come."
)
_NS = 10**9


@dataclass(frozen=True, slots=True)
class Sampled:
    """What a run measured."""

    distribution: Distribution
    tick_fs: int


def bound_page(
    model: Model,
    platform: Platform,
    estimate: ServiceEstimate,
    verdict: Bounded,
    n: int | None,
    sampled: Sampled | None,
    scan: PhaseResult | None,
    device: Sequence[tuple[str, str]] = (),
    document: Mapping[str, Any] | None = None,
) -> str:
    """Return the page's text in UTF-8.

    `sampled` is None for a maximum that was given; `scan` is None without a phase scan.
    """
    at_n = "" if n is None else f" at N\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{grouped(n)}"
    measured = verdict.measured
    body = ""
    if sampled is not None:
        body += html_figure(
            partial(
                under_bound,
                measured.what[:1].upper() + measured.what[1:],
                measured.provenance,
                sampled.distribution,
                sampled.tick_fs,
                verdict.estimate_ns,
            )
        )
    body += _scan(scan, estimate, n)
    body += f"<h2>The bound</h2>{_facts(estimate, verdict, n)}"
    ns = () if n is None else (n,)
    body += f"<h2>Sections</h2>{html_table(bound_sections(estimate, ns))}"
    body += f"<h2>Accesses</h2>{html_table(bound_columns(estimate, ns))}"
    body += page_files("bound", document, bound_sections(estimate, ns))
    if device:
        body += html_details("What was done, and with what", html_list(device))
    body += f"<footer>{escape(_FOOTER)}</footer>"
    word, style = OUTCOMES[verdict.outcome]
    head, _, text = word.partition(": ")
    reasons = [*measured.invalid_reasons, *doubts(verdict)]
    banner = html_box(style, head, "; ".join([text, *reasons]))
    banner += html_tiles([_tiles(model, verdict, style)])
    lead = f"{format_seconds(verdict.estimate_ns / _NS, 6)} at most, "
    lead += f"{_most(measured)} measured"
    title = f"{model.title} on {platform.title}{at_n}"
    return html_page(PageHeading(title, measured.provenance, lead, banner), body)


def _tiles(model: Model, verdict: Bounded, style: str) -> ChannelTiles:
    """Return the bound, the maximum that was measured, and how far they are apart."""
    measured = verdict.measured
    return ChannelTiles(
        model.title,
        measured.provenance,
        0,
        (
            Tile("bound", format_seconds(verdict.estimate_ns / _NS, 6), "computed"),
            Tile(MAX_SEEN, _most(measured), measured.what if measured.samples else "given"),
            Tile("margin", _margin(verdict), f"bound less {MAX_SEEN}", style),
        ),
    )


def _margin(verdict: Bounded) -> str:
    """Return the margin with the unit that the other tiles have."""
    if verdict.margin_ns is None:
        return margin_text(verdict)
    return format_seconds(verdict.margin_ns / _NS, 6)


def _most(measured: MeasuredMaximum) -> str:
    if measured.max_ns is None:
        return f"over {format_seconds((measured.over_ns or 0) / _NS, 6)}"
    return format_seconds(measured.max_ns / _NS, 6)


def _scan(scan: PhaseResult | None, estimate: ServiceEstimate, n: int | None) -> str:
    if scan is None:
        return ""
    body = ""
    if scan.invalid_reasons:
        reasons = "; ".join(scan.invalid_reasons)
        body += html_box("bad", "Invalid phase scan: it proves nothing", reasons)
    blocked = estimate.blocked_ns.at(n or 0) / _NS
    for channel_scan in scan.scans:
        body += html_figure(
            lambda width, channel_scan=channel_scan: phase_plot(scan, channel_scan, width)
        )
        body += f'<p class="lead">{escape(taken(channel_scan, scan.tick_fs))}</p>'
        summary = "no phase is masked"
        if channel_scan.windows:
            longest = max(window.width_ticks for window in channel_scan.windows)
            summary = f"the longest masked window is {format_ticks(float(longest), scan.tick_fs)}"
        summary += f"; the sections that block take {format_seconds(blocked)} at most"
        body += f"<p>{escape(summary)}</p>"
        doubtful = notes(channel_scan, scan.tick_fs)
        if doubtful:
            body += html_box("doubt", "About this scan", doubtful[0], doubtful[1:])
        heads, rows = window_rows(channel_scan, scan.tick_fs)
        if rows:
            body += f"<h2>Masked windows of {escape(channel_scan.channel)}</h2>"
            body += html_table((heads, rows))
    return body


def _facts(estimate: ServiceEstimate, verdict: Bounded, n: int | None) -> str:
    symbol = "T" if n is None else "T(N)"
    facts = [
        (symbol, f"{formula_text(estimate.total_ns)} ns"),
        ("of which blocking", f"{formula_text(estimate.blocked_ns)} ns"),
        ("estimate", f"{exact(verdict.estimate_ns)} ns, computed"),
        ("measured", measured_text(verdict)),
        ("events", verdict.measured.books),
        ("margin", margin_text(verdict)),
        ("overestimation", overestimation(verdict)),
        ("for comparison", f"{float(MARK.part * 100):.0f} % {MARK.about}"),
    ]
    return html_list(facts)
