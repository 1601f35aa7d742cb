# SPDX-License-Identifier: Apache-2.0
"""One self-contained HTML page of two and more results: what changed, and their pictures overlaid.

First a sentence a channel, the verdict, and the changes with their intervals; then the pictures;
then in what the results differ, and every figure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

from plexor.figures.analyse.analyse import Report
from plexor.figures.judge.compare import Difference
from plexor.figures.judge.gate import Judgement
from plexor.figures.judge.verdict import Outcome, worst
from plexor.show import facts
from plexor.show.changes import change_tiles, names_of, sentences
from plexor.show.html import (
    PageHeading,
    html_box,
    html_details,
    html_figure,
    html_list,
    html_page,
    html_table,
)
from plexor.show.page_files import html_files, json_text, table_csv
from plexor.show.pictures.overlay import (
    Overlaid,
    overlaid_channels,
    overlaid_latency,
    overlaid_scope,
)
from plexor.show.table import Cell
from plexor.show.terminal.compare import (
    apart_text,
    difference_table,
    judgement_text,
    verdict_text,
)
from plexor.show.tiles import html_tiles

_STYLES = {Outcome.PASS: "good", Outcome.FAIL: "bad"}
_MOST_SENTENCES = 4


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """A result of a comparison: its letter, its place, and in what it differs from A."""

    letter: str
    place: str
    values: Mapping[str, tuple[str, str]]


def compare_page(
    sides: Sequence[ComparedSide],
    found: Sequence[Difference],
    judgements: Sequence[Judgement],
    source: str,
    reports: Sequence[Overlaid] = (),
    *,
    invalid_reasons: Sequence[str] = (),
    notes: Sequence[str] = (),
    document: Mapping[str, Any] | None = None,
) -> str:
    """Return the page's text in UTF-8. `reports` are the runs that are drawn, on the same axes."""
    letters = [side.letter for side in sides]
    names = dict(zip(letters, names_of(letters, [s.place for s in sides]), strict=True))
    said, *more = sentences(found, names) or ["Nothing of both is known that could be compared."]
    boxes = "".join(html_box("bad", "Invalid: it proves nothing", text) for text in invalid_reasons)
    boxes += "".join(f'<p class="lead">{escape(each)}</p>' for each in more[: _MOST_SENTENCES - 1])
    if judgements:
        style = _STYLES.get(worst(judgements), "doubt")
        head, _, text = verdict_text(judgements).partition(": ")
        boxes += html_box(style, head, text)
    if notes:
        boxes += html_box("doubt", "About this comparison", notes[0], notes[1:])
    tiles = html_tiles(change_tiles(found, names))
    table = _named(difference_table(found), names)
    judged = "".join(f"<p>{escape(judgement_text(entry))}</p>" for entry in judgements)
    files = ""
    if document is not None:
        files = html_files("comparison", json_text(document), table_csv(table))
    body = f"""{_pictures(reports, list(names.values()))}
<h2>What is compared</h2>
{_sides(sides, names)}
{f"<h2>Conditions</h2>{judged}" if judged else ""}
<h2>Differences</h2>
{html_table(table)}
{files}
{_done(sides, reports, names)}
<footer>Intervals are 95 %, of independent samples. Max seen has none: more samples only make it
later.</footer>"""
    first, *others = names.values()
    title = f"{' and '.join(filter(None, (', '.join(others[:-1]), others[-1])))} against {first}"
    return html_page(PageHeading(title, source, said, boxes + tiles), body)


def _named(
    table: tuple[list[str], list[list[Cell]]], names: Mapping[str, str]
) -> tuple[list[str], list[list[Cell]]]:
    """Return the table of differences with the names of results in its heads, not their letters."""
    intervals = {f"{letter} - A, 95 %": f"{name} - {names['A']}, 95 %"
                 for letter, name in names.items()}  # fmt: skip
    head, rows = table
    return [names.get(text, intervals.get(text, text)) for text in head], rows


def _pictures(reports: Sequence[Overlaid], names: Sequence[str]) -> str:
    if not reports:
        return ""
    shown = html_figure(partial(overlaid_scope, reports, names))
    each = "".join(
        html_figure(partial(overlaid_latency, reports, names, channel))
        for channel in overlaid_channels(reports)
    )
    return f'{shown}<div class="pictures">{each}</div>'


def _sides(sides: Sequence[ComparedSide], names: Mapping[str, str]) -> str:
    """Return the results, and a row for each setting in which one of them differs, in red."""
    entries = "".join(
        f"<dt>{side.letter}</dt><dd>{escape(side.place)}{escape(_same(side))}</dd>"
        for side in sides
    )
    keys = dict.fromkeys(key for side in sides for key in side.values)
    if not keys:
        return f"<dl>{entries}</dl>"
    heads = "".join(f"<th>{escape(name)}</th>" for name in names.values())
    rows = "".join(_row(key, sides) for key in keys)
    return (
        f"<dl>{entries}</dl>"
        '<div class="scroll differing" tabindex="0"><table><thead><tr><th>setting that differs</th>'
        f"{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _titled(letter: str, names: Mapping[str, str]) -> str:
    name = names[letter]
    return escape(letter if name == letter else f"{letter}, {name}")


def _same(side: ComparedSide) -> str:
    return "" if side.values else apart_text(side.letter, side.values)


def _row(key: str, sides: Sequence[ComparedSide]) -> str:
    first = next(side.values[key][0] for side in sides if key in side.values)
    cells = ""
    for side in sides:
        own = side.values.get(key)
        mark = "" if own is None else ' class="bad"'
        text = _value(key, first) if own is None else f"≠ {_value(key, own[1])}"
        cells += f'<td class="wrap"><b{mark}>{escape(text)}</b></td>'
    return f'<tr><td class="name">{escape(key)}</td>{cells}</tr>'


def _value(key: str, text: str) -> str:
    return facts.load_word(text) if key == "load" else text


def _done(
    sides: Sequence[ComparedSide], reports: Sequence[Overlaid], names: Mapping[str, str]
) -> str:
    """Return what was done in each run, folded; an archive does not have it."""
    parts = "".join(
        f"<h2>{_titled(side.letter, names)}</h2>"
        + html_list([("instrument", facts.instrument(report)), *facts.done(report.result)])
        for side, report in zip(sides, reports, strict=False)
        if isinstance(report, Report)
    )
    return html_details("What was done, and with what", parts) if parts else ""
