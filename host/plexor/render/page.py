"""One self-contained HTML page of a run: inline pictures, no script, nothing fetched."""

from __future__ import annotations

from html import escape

from plexor.analyse import Report
from plexor.budget import Check, Outcome, Verdict
from plexor.protocol.memory import ResponseClass
from plexor.render import facts
from plexor.render.frame import provenance
from plexor.render.plots import course, histogram, shares, tail
from plexor.render.scale import grouped
from plexor.render.scope import scope
from plexor.render.svg import FONT, STYLE
from plexor.render.table import (
    Cell,
    distance_rows,
    found_text,
    jitter_rows,
    latency_rows,
    outlier_rows,
    period_rows,
    share_rows,
)
from plexor.render.trace import trace
from plexor.units import format_seconds

_PAGE = """
:root{color-scheme:light dark;--paper:#fff;--panel:#f6f7f9;--ink:#15181d;--muted:#5b6472;
--line:#dfe3e8;--good:#0a6b4b;--bad:#c2185b;--doubt:#8a6500}
@media(prefers-color-scheme:dark){:root{--paper:#0f1216;--panel:#161b21;--ink:#e9edf2;
--muted:#9aa5b3;--line:#2a313a;--good:#3fd6a3;--bad:#ff6f9c;--doubt:#e5bd4a}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 FONT;
font-variant-numeric:tabular-nums;-webkit-text-size-adjust:100%}
main{max-width:1080px;margin:0 auto;padding:40px 32px 56px}
h1{font-size:30px;line-height:1.2;letter-spacing:-.01em;margin:0 0 6px}
h2{font-size:18px;margin:44px 0 10px}
p{margin:0}
.lead{color:var(--muted);font-size:16px}
.badge{display:inline-block;font-size:12.5px;font-weight:600;padding:2px 10px;border-radius:20px;
border:1.5px solid currentColor;vertical-align:6px;margin-left:12px;letter-spacing:.02em}
.verdict{border-left:5px solid;padding:10px 16px;margin:24px 0 0;background:var(--panel);
border-radius:0 4px 4px 0}
.verdict b{display:block;font-size:17px}
.good{color:var(--good);border-color:var(--good)}.bad{color:var(--bad);border-color:var(--bad)}
.doubt{color:var(--doubt);border-color:var(--doubt)}
.verdict span{color:var(--ink)}
figure{margin:30px 0 0}
svg{display:block;width:100%;height:auto}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:14px}
th,td{text-align:right;padding:7px 0 7px 18px;border-bottom:1px solid var(--line);
white-space:nowrap;vertical-align:baseline}
th{font-weight:600;color:var(--muted);font-size:12.5px}
th:first-child,td:first-child{text-align:left;padding-left:0}
td small{font-weight:400;color:var(--muted);display:block;font-size:12px}
td.name{font-weight:600}
td.left,th.left{text-align:left}
.books{font-size:16px;background:var(--panel);border-radius:4px;padding:12px 16px}
.books small{display:block;color:var(--muted);font-size:13px}
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 24px;margin:0;font-size:14px}
dt{color:var(--muted)}dd{margin:0;overflow-wrap:anywhere}
footer{color:var(--muted);font-size:13px;margin-top:44px}
@media(max-width:640px){main{padding:24px 16px}.badge{margin-left:0}}
@media print{main{padding:0}figure{break-inside:avoid}}
""".replace("FONT", FONT)
_CLASS = {Outcome.PASS: "good", Outcome.BROKEN: "bad", Outcome.INSUFFICIENT: "doubt"}


def page(report: Report, verdict: Verdict | None = None) -> str:
    """Return the page's text in UTF-8."""
    title = facts.headline(report)
    source = provenance(report.result)
    colour = "bad" if source == "simulated" else "good"
    pictures = [scope(report), histogram(report), tail(report), shares(report), course(report)]
    pictures.append(trace(report))
    figures = "".join(
        f"<figure>{picture.render(style=False)}</figure>" for picture in pictures if picture
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)} · {escape(source)} · Plexor</title>
<style>{_PAGE}{STYLE}</style>
</head>
<body>
<main>
<header>
<h1>{escape(title)}<span class="badge {colour}">{escape(source)}</span></h1>
<p class="lead">{escape(facts.summary(report))}</p>
{_banner(report, verdict)}
</header>
{figures}
<h2>Latency of each channel</h2>
{_table(latency_rows(report))}
{_distances(report)}
<h2>Jitter and shape</h2>
{_table(jitter_rows(report))}
{_shares(report)}
{_periods(report)}
<h2>Outliers</h2>
{_table(outlier_rows(report))}
<h2>Accounting</h2>
<p class="books">{escape(facts.accounting(report))}
<small>{escape(facts.conserved(report))}</small></p>
{_limits(report, verdict)}
<h2>Taken with</h2>
{_taken_with(report)}
<footer>{escape(_footer(report))}</footer>
</main>
</body>
</html>
"""


def _banner(report: Report, verdict: Verdict | None) -> str:
    if not report.valid:
        reasons = "; ".join(report.invalid_reasons)
        return _box("bad", "Invalid: these figures prove nothing", reasons)
    if verdict is None:
        return ""
    title = verdict.budget.title
    if verdict.outcome == Outcome.PASS:
        count = sum(not check.limit.goal for check in verdict.checks)
        return _box("good", f"Within budget: {title}", f"{count} limits checked, none broken")
    if verdict.outcome == Outcome.BROKEN:
        lines = "; ".join(f"{c.channel} {c.limit.label} {c.limit.text}" for c in verdict.broken)
        return _box("bad", f"Over budget: {title}", lines)
    open_ones = [c for c in verdict.checks if c.outcome == Outcome.INSUFFICIENT]
    lines = "; ".join(f"{c.channel} {c.limit.label}: {c.reason}" for c in open_ones)
    return _box("doubt", f"Not proven: {title}", lines or "no limit applies to this run")


def _box(style: str, head: str, text: str) -> str:
    return f'<div class="verdict {style}"><b>{escape(head)}</b><span>{escape(text)}</span></div>'


def _table(table: tuple[list[str], list[list[Cell]]]) -> str:
    head, rows = table
    cells = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = ""
    for row in rows:
        body += "<tr>"
        for place, (text, note) in enumerate(row):
            style = ' class="name"' if place == 0 else ""
            small = f"<small>{escape(note)}</small>" if note else ""
            body += f"<td{style}>{escape(text)}{small}</td>"
        body += "</tr>"
    return (
        f'<div class="scroll"><table><thead><tr>{cells}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _distances(report: Report) -> str:
    rows = distance_rows(report)
    return f"<h2>Distance during the latency</h2>{_table(rows)}" if rows[1] else ""


def _shares(report: Report) -> str:
    rows = share_rows(report)
    return f"<h2>Where the time goes</h2>{_table(rows)}" if rows[1] else ""


def _periods(report: Report) -> str:
    rows = period_rows(report)
    return f"<h2>Period of what runs by itself</h2>{_table(rows)}" if rows[1] else ""


def _limits(report: Report, verdict: Verdict | None) -> str:
    if verdict is None:
        return ""
    rows = "".join(_limit_row(report, check) for check in verdict.checks)
    return (
        f"<h2>Budget {escape(verdict.budget.title)}</h2>"
        '<div class="scroll"><table><thead><tr><th>channel</th><th class="left">figure</th>'
        '<th>limit</th><th>found</th><th>violations</th><th class="left">verdict</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _limit_row(report: Report, check: Check) -> str:
    found, violations, first = found_text(check, report.result.tick_fs)
    goal = "goal " if check.limit.goal else ""
    reason = f"<small>{escape(check.reason)}</small>" if check.reason else ""
    small = f"<small>{escape(first)}</small>" if first else ""
    style, word = _CLASS[check.outcome], check.outcome.value
    if check.limit.goal and check.outcome == Outcome.BROKEN:
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
    entries += [
        ("started", result.started),
        ("policy", result.settings.policy.name.lower()),
        ("stopped by", result.stop_reason.name.lower()),
        ("upload", "stream" if result.settings.stream else "collect, then dump"),
    ]
    if report.base_ticks:
        clamped = sum(f.clamped for c in report.channels for f in c.kinds.values())
        text = f"{report.base_ticks} ticks taken off each latency, {clamped} clamped at 0"
        entries.append(("base result", text))
    if result.computed_on_host:
        entries.append(("computed on the host", ", ".join(result.computed_on_host)))
    entries += [
        (
            echo.name,
            f"asked {format_seconds(echo.asked_s, 6)}, taken {format_seconds(echo.taken_s, 6)}",
        )
        for echo in result.echo
        if echo.error_s
    ]
    entries += [(f"{name} version", text) for name, text in result.versions.items()]
    rows = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in entries if text
    )
    return f"<dl>{rows}</dl>"


def _footer(report: Report) -> str:
    early = sum(c.result.classes.get(ResponseClass.EARLY, 0) for c in report.channels)
    parts = [
        "Intervals are 95 % and distribution-free, by order statistics of independent samples.",
        "The back wall is the latest response seen: an observation, not a bound.",
    ]
    if early:
        parts.append(f"{grouped(early)} responses came before their strike: latency is signed.")
    return " ".join(parts)
