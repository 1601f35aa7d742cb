# SPDX-License-Identifier: Apache-2.0
"""A run's figures as Markdown, with the tables of GitHub: for a pull request or a report."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from plexor.figures.analyse.analyse import Report
from plexor.figures.analyse.doubts import doubts
from plexor.figures.judge.budget import SILENT, Check, Judged
from plexor.figures.judge.verdict import Outcome
from plexor.show import facts
from plexor.show.corrected import calibration_lines, corrected_rows
from plexor.show.export.about import about
from plexor.show.export.source import ExportSource
from plexor.show.table import (
    Cell,
    distance_rows,
    found_text,
    jitter_rows,
    latency_rows,
    outlier_rows,
    period_rows,
    share_rows,
)

_VERDICTS = {
    Outcome.PASS: "**PASS**: within budget {}",
    Outcome.FAIL: "**FAIL**: over budget {}",
    Outcome.TOO_FEW: "**NOT PROVEN**: budget {} cannot be decided",
    Outcome.NOT_COMPARABLE: "**NOT PROVEN**: budget {} cannot be decided",
}
_WORDS = {
    Outcome.PASS: "pass",
    Outcome.FAIL: "**broken**",
    Outcome.TOO_FEW: "not proven",
    Outcome.NOT_COMPARABLE: "not proven",
}
_SPECIAL = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_{}[]<>#|~&"})
_LINK = re.compile(r"(?i)(?=://)|(?<=\bwww)(?=\.)")
"""Where GitHub finds the address of a link without brackets."""
_MENTION = re.compile(r"@(?=\w)")
_BLOCK = re.compile(r"^(?=[-+](\s|$)|--)|(?<=^\d)(?=[.)]\s)")
"""Where a line would begin a list or a rule."""


def write_markdown(source: ExportSource, path: Path, name: Path) -> None:
    """Write figures, the checks of a budget, and the facts of the run.

    Raises UsageError if the budget names a channel that the run does not have.
    """
    del name
    path.write_text("\n".join(_lines(source)) + "\n", encoding="utf-8")


def _lines(source: ExportSource) -> Iterator[str]:
    report, verdict = source.report, source.verdict
    yield f"# {plain(facts.headline(report))}"
    yield f"\n{plain(facts.summary(report))}"
    stop = facts.stop_line(report)
    if stop:
        yield f"\n{plain(stop)}"
    for reason in report.invalid_reasons:
        yield f"\n**INVALID RUN**: {plain(reason)}"
    for line in doubts(report):
        yield f"\n{plain(line)}"
    if verdict is not None:
        yield from _checks(report, verdict)
    tables = (
        ("Latency", latency_rows(report)),
        ("Latency, corrected by calibration", corrected_rows(report)),
        ("Distance", distance_rows(report)),
        ("Jitter", jitter_rows(report)),
        ("Where the time goes", share_rows(report)),
        ("Periods", period_rows(report)),
        ("Outliers", outlier_rows(report)),
    )
    for title, (head, rows) in tables:
        if rows:
            yield f"\n## {title}\n"
            yield from _table(head, rows)
    yield from (f"\n{plain(line)}" for line in calibration_lines(report))
    yield f"\n## Accounting\n\n{plain(facts.accounting(report))}"
    yield f"\n{plain(facts.conserved(report))}"
    yield "\n## Taken with\n"
    yield from _table(["", ""], [[(key, ""), (text, "")] for key, text in about(source).items()])


def _checks(report: Report, verdict: Judged) -> Iterator[str]:
    title = plain(verdict.budget.title)
    yield f"\n{_VERDICTS[verdict.outcome].format(title)}\n"
    yield "| channel | figure | limit | found | violations | verdict |"
    yield "|---|---|---|---|---|---|"
    for check in verdict.checks:
        yield _row(_check(report, check))
    for name in verdict.silent:
        yield f"\n{plain(f'{name}: {SILENT.line}')}"


def _check(report: Report, check: Check) -> list[str]:
    value, violations, first = found_text(check, report.result.tick_fs)
    goal = check.limit.goal
    word = _WORDS[check.outcome]
    if goal:
        word = "goal met" if check.outcome == Outcome.PASS else "goal missed"
    notes = "; ".join(note for note in (first, check.line) if note)
    label = f"goal {check.limit.label}" if goal else check.limit.label
    cells = [plain(text) for text in (check.channel, label, check.limit.text, value, violations)]
    return [*cells, f"{word} ({plain(notes)})" if notes else word]


def _table(head: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Iterator[str]:
    yield _row([plain(title) for title in head])
    yield _row(["---"] * len(head))
    for row in rows:
        yield _row([plain(f"{text} ({note})" if note else text) for text, note in row])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def plain(text: str) -> str:
    """Return a text as Markdown that shows it as it is, on one line."""
    line = _LINK.sub(r"\\", " ".join(text.split()).translate(_SPECIAL))
    # A zero-width space stops GitHub from linking the name or the address.
    return _BLOCK.sub(r"\\", _MENTION.sub("@&#8203;", line))
