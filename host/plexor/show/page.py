# SPDX-License-Identifier: Apache-2.0
"""One self-contained HTML page of a run: inline pictures and the script that moves them.

First what was measured, the verdict and three figures a channel, then pictures, then tables; what
was done folds out at the end. Nothing is fetched. Without a script all figures and pictures are
there; with it, persistence, histogram and tail are drawn over one axis with a waterfall, with
cursors, zoom and tooltips.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Protocol

from plexor.base.counts import counted
from plexor.base.units import format_seconds
from plexor.figures.analyse.analyse import Report
from plexor.figures.analyse.doubts import doubts
from plexor.figures.judge.budget import Check, Judged
from plexor.figures.judge.verdict import Outcome
from plexor.files.store.notes import Note
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Stream
from plexor.show import facts
from plexor.show.corrected import calibration_lines, corrected_rows
from plexor.show.drawn import run_data
from plexor.show.html import (
    PageHeading,
    html_box,
    html_details,
    html_figure,
    html_list,
    html_page,
    html_table,
)
from plexor.show.inline import html_stack
from plexor.show.page_files import histogram_csv, html_files, json_text
from plexor.show.pictures.canvas import Canvas
from plexor.show.pictures.frame import provenance
from plexor.show.pictures.latency import course, histogram, shares, tail
from plexor.show.pictures.scope import scope
from plexor.show.pictures.trace import trace
from plexor.show.table import (
    NOTHING,
    classes_last,
    distance_rows,
    found_text,
    jitter_rows,
    latency_rows,
    outlier_rows,
    period_rows,
    share_rows,
)
from plexor.show.tiles import html_tiles, tiles

_UPLOADS = {
    Stream.LIVE: "stream",
    Stream.OFF: "collect, then dump",
    Stream.AFTER: "collect, then dump with events",
}
_CLASS = {
    Outcome.PASS: "good",
    Outcome.FAIL: "bad",
    Outcome.TOO_FEW: "doubt",
    Outcome.NOT_COMPARABLE: "doubt",
}


class Draw(Protocol):
    """Draws a plot of a run at a given width; None if the run does not have that plot."""

    def __call__(self, report: Report, *, width: float) -> Canvas | None: ...


def page(
    report: Report,
    verdict: Judged | None = None,
    document: Mapping[str, Any] | None = None,
    notes: Sequence[Note] = (),
) -> str:
    """Return the page's text in UTF-8; `document` is the run's as JSON, which the page carries."""
    title = facts.headline(report)
    source = provenance(report.result)
    answered = any(channel.rise is not None for channel in report.channels)
    # Pictures of latencies have nothing to show without one.
    still: tuple[Draw, ...] = (scope, histogram, tail) if answered else ()
    others: tuple[Draw, ...] = (shares, course, trace) if answered else (trace,)
    data = run_data(report)
    body = f"""{html_stack(source, data, _figures(report, still))}
<div class="pictures">{_figures(report, others)}</div>
{_limits(report, verdict)}
<h2>Latency of each channel</h2>
{html_table(classes_last(latency_rows(report)))}
{_corrected(report)}
{_distances(report)}
{_jitter(report)}
{_shares(report)}
{_periods(report)}
{_outliers(report)}
<h2>Accounting</h2>
<p class="books">{escape(facts.accounting(report))}
<small>{escape(facts.conserved(report))}</small></p>
{_files(data, document)}
{html_details("What was done, and with what", _taken_with(report))}
<footer>{escape(_footer(report))}</footer>"""
    noted = "".join(html_box("", note.heading.capitalize(), note.text) for note in notes)
    first = _banner(report, verdict) + html_tiles(tiles(report)) + noted
    heading = PageHeading(title, source, facts.sentence(report), first)
    return html_page(heading, body, "report")


def _files(data: Mapping[str, Any], document: Mapping[str, Any] | None) -> str:
    """Return the run's figures and histograms as files to save."""
    if document is None:
        return ""
    return html_files("run", json_text(document), histogram_csv(data))


def _figures(report: Report, draws: tuple[Draw, ...]) -> str:
    return "".join(
        html_figure(lambda width, draw=draw: draw(report, width=width)) for draw in draws
    )


def _banner(report: Report, verdict: Judged | None) -> str:
    """Return what must be known before any figure; of many doubts the first, the others folded."""
    stop = facts.stop_line(report)
    box = _judged(report, verdict)
    box += html_box("doubt", "Stopped early", stop) if stop else ""
    first, *more = doubts(report) or ("",)
    return box + (html_box("doubt", "In doubt", first, more) if first else "")


def _judged(report: Report, verdict: Judged | None) -> str:
    if not report.valid:
        reasons = "; ".join(report.invalid_reasons)
        return html_box("bad", "Invalid: these figures prove nothing", reasons)
    if verdict is None:
        return ""
    title = verdict.budget.title
    if verdict.outcome == Outcome.PASS:
        count = sum(not check.limit.goal for check in verdict.checks)
        return html_box(
            "good", f"Within budget: {title}", f"{counted(count, 'limit')} checked, none broken"
        )
    head = "Over budget" if verdict.outcome == Outcome.FAIL else "Not proven"
    return html_box(_CLASS[verdict.outcome], f"{head}: {title}", verdict.line)


def _corrected(report: Report) -> str:
    rows, lines = corrected_rows(report), calibration_lines(report)
    table = html_table(rows) if rows[1] else ""
    text = "".join(f"<p><small>{escape(line)}</small></p>" for line in lines)
    return f"<h2>Latency, corrected by calibration</h2>{table}{text}" if lines else ""


def _distances(report: Report) -> str:
    rows = distance_rows(report)
    return f"<h2>Distance during the latency</h2>{html_table(rows)}" if rows[1] else ""


def _jitter(report: Report) -> str:
    rows = jitter_rows(report)
    known = any(text != NOTHING for row in rows[1] for text, _ in row[1:])
    return f"<h2>Jitter and shape</h2>{html_table(rows)}" if known else ""


def _outliers(report: Report) -> str:
    rows = outlier_rows(report)
    return f"<h2>Outliers</h2>{html_table(rows)}" if rows[1] else ""


def _shares(report: Report) -> str:
    rows = share_rows(report)
    return f"<h2>Where the time goes</h2>{html_table(rows)}" if rows[1] else ""


def _periods(report: Report) -> str:
    rows = period_rows(report)
    return (
        f"<h2>Periods of channels that run by themselves</h2>{html_table(rows)}" if rows[1] else ""
    )


def _limits(report: Report, verdict: Judged | None) -> str:
    if verdict is None:
        return ""
    rows = "".join(_limit_row(report, check) for check in verdict.checks)
    return (
        f"<h2>Budget {escape(verdict.budget.title)}</h2>"
        '<div class="scroll" tabindex="0"><table><thead><tr><th>channel</th>'
        '<th class="left">figure</th><th>limit</th><th>found</th><th>violations</th>'
        '<th class="left">verdict</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _limit_row(report: Report, check: Check) -> str:
    found, violations, first = found_text(check, report.result.tick_fs)
    goal = "goal " if check.limit.goal else ""
    reason = f"<small>{escape(check.line)}</small>" if check.line else ""
    small = f"<small>{escape(first)}</small>" if first else ""
    style, word = _CLASS[check.outcome], check.outcome.value
    if check.limit.goal and check.outcome == Outcome.FAIL:
        style, word = "doubt", "missed"
    return (
        f'<tr><td class="name">{escape(check.channel)}</td>'
        f'<td class="left">{escape(goal + check.limit.label)}</td>'
        f"<td>{escape(check.limit.text)}</td><td>{escape(found)}</td>"
        f"<td>{escape(violations)}{small}</td>"
        f'<td class="left"><b class="{style}">{word}</b>{reason}</td></tr>'
    )


def _taken_with(report: Report) -> str:
    result = report.result
    entries = [("instrument", facts.instrument(report))]
    entries += [(f"device {name}", value) for name, value in result.device.items()]
    entries += facts.done(result)
    entries += [
        ("started", result.started),
        ("policy", result.settings.policy.name.lower()),
        ("stopped by", result.stop_reason.name.lower()),
    ]
    if result.imported is None:
        entries.append(("upload", _UPLOADS[result.settings.stream or Stream.OFF]))
    entries += [("warm-up", line) for line in (facts.warm_up(report),) if line]
    entries += [("imported", line) for line in facts.imported(report)]
    entries += [("clock", line) for line in (facts.clock(report),) if line]
    entries += [("ways over pads", line) for line in (facts.ways(report),) if line]
    if report.base_ticks:
        clamped = sum(f.clamped for c in report.channels for f in c.kinds.values())
        text = f"{report.base_ticks} ticks subtracted from each latency, {clamped} clamped at 0"
        entries.append(("base result", text))
    if result.computed_on_host:
        entries.append(("computed on the host", ", ".join(result.computed_on_host)))
    if result.omitted:
        entries.append(("left out", ", ".join(result.omitted)))
    entries += [
        (
            echo.name,
            f"requested {format_seconds(echo.asked_s, 6)}, used {format_seconds(echo.taken_s, 6)}",
        )
        for echo in result.echo
        if echo.error_s
    ]
    entries += [(f"{name} version", text) for name, text in result.versions.items()]
    return html_list(entries)


def _footer(report: Report) -> str:
    early = sum(c.result.classes.get(ResponseClass.EARLY, 0) for c in report.channels)
    parts = [
        "Intervals are 95 % and distribution-free, by order statistics of independent samples.",
        "Max seen is the latest response seen: an observation, not a bound.",
    ]
    if early:
        parts.append(f"{counted(early, 'response')} came before their strike: latency is signed.")
    return " ".join(parts)
