# SPDX-License-Identifier: Apache-2.0
"""One self-contained HTML page of a comparison: what differs, its verdict, and the histograms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape

from plexor.figures.analyse.analyse import Report
from plexor.figures.judge.compare import Difference
from plexor.figures.judge.gate import Judgement
from plexor.figures.judge.verdict import Outcome, worst
from plexor.show.html import PageHeading, html_box, html_figure, html_list, html_page, html_table
from plexor.show.pictures.canvas import Canvas
from plexor.show.pictures.latency import Heading, histogram
from plexor.show.terminal.compare import (
    apart_text,
    difference_table,
    judgement_text,
    verdict_text,
)

_STYLES = {Outcome.PASS: "good", Outcome.FAIL: "bad"}
_HEIGHT = 320.0


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
    reports: Sequence[Report] = (),
    *,
    invalid_reasons: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> str:
    """Return the page's text in UTF-8. `reports` are the runs that are drawn, on the same axes."""
    boxes = [html_box("bad", "Invalid: it proves nothing", text) for text in invalid_reasons]
    if judgements:
        style = _STYLES.get(worst(judgements), "doubt")
        head, _, text = verdict_text(judgements).partition(": ")
        boxes.append(html_box(style, head, text))
    boxes += [html_box("doubt", "About this comparison", "; ".join(notes))] if notes else []
    figures = "".join(_figure(reports, n, side) for n, side in enumerate(sides[: len(reports)]))
    entries = [(s.letter, f"{s.place}{apart_text(s.letter, s.values)}") for s in sides]
    judged = "".join(f"<p>{escape(judgement_text(entry))}</p>" for entry in judgements)
    body = f"""<h2>What is compared</h2>
{html_list(entries)}
{figures}
<h2>Differences</h2>
{html_table(difference_table(found))}
{f"<h2>Conditions</h2>{judged}" if judged else ""}
<footer>Intervals are 95 %.</footer>"""
    letters, places = zip(*((side.letter, side.place) for side in sides), strict=True)
    title = f"A compared with {', '.join(letters[1:])}"
    heading = PageHeading(title, source, " · ".join(places), "".join(boxes))
    return html_page(heading, body)


def _figure(reports: Sequence[Report], place: int, side: ComparedSide) -> str:
    heading = Heading(f"{side.letter}, latency", side.place, _HEIGHT)
    return html_figure(partial(_drawn, reports, place, heading))


def _drawn(reports: Sequence[Report], place: int, heading: Heading, width: float) -> Canvas:
    return histogram(reports[place], heading, reports, width)
