# SPDX-License-Identifier: Apache-2.0
"""One self-contained HTML page of a suite's run: what its operations take, test by test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from html import escape
from typing import Any

from plexor.base.counts import counted
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
from plexor.library.parts.show import MAX_SEEN, books, device_name, grouped, provenance
from plexor_lab.bench.figures import TestedFigures
from plexor_lab.bench.picture import extents
from plexor_lab.bench.text import (
    SuiteView,
    book_rows,
    mean_text,
    own_rows,
    time_rows,
    time_text,
    worst_rows,
)

_FOOTER = (
    "A time is that between the codes around an operation, less the base: the median of the "
    "samples with nothing between their codes. Max seen is an observation, not a bound."
)


def bench_page(
    view: SuiteView, about: Sequence[tuple[str, str]], document: Mapping[str, Any] | None = None
) -> str:
    """Return the page's text in UTF-8, with what was done, `about`, folded in."""
    result, source = view.result, provenance(view.result)
    name = device_name(result.device)
    title = f"{view.suite} on {name}" if name else view.suite
    banner = ""
    if view.reasons:
        banner += html_box("bad", "Invalid: these figures prove nothing", "; ".join(view.reasons))
    banner += html_tiles([_tiles(view)] if view.figures else [])
    body = ""
    if view.figures:
        body += html_figure(partial(_picture, view))
        body += f"<h2>Times of one operation, less the base</h2>{html_table(time_rows(view, True))}"
        body += f"<h2>Base, and what the firmware counted</h2>{html_table(book_rows(view))}"
        if any(each.own for each in view.figures):
            head = "The firmware's own counter of cycles, and its error"
            body += f"<h2>{head}</h2>{html_table(own_rows(view))}"
        head = "The longest sample of each test, and what ran meanwhile"
        body += f"<h2>{head}</h2>{html_table(worst_rows(view))}"
        body += page_files("bench", document, time_rows(view, True))
    body += html_details("What was done, and with what", html_list(about))
    body += f"<footer>{escape(_FOOTER)}</footer>"
    samples = sum(len(each.samples) for each in view.figures)
    lead = f"{counted(len(_tests(view)), 'test')}, {counted(samples, 'sample')}; {source}; "
    return html_page(
        PageHeading(title, source, lead + books(result.accounting) + ".", banner), body
    )


def _picture(view: SuiteView, width: float) -> Any:
    return extents(view.figures, view.result.tick_fs, provenance(view.result), width)


def _tiles(view: SuiteView) -> ChannelTiles:
    """Return the slowest operation, the longest sample of all, and how many samples there are."""
    tests = _tests(view) or [*view.figures]
    slowest = max(tests, key=lambda each: each.operations.mean_ticks)
    longest = max(tests, key=lambda each: each.operations.max_ticks)
    samples = sum(each.operations.count for each in tests)
    return ChannelTiles(
        view.suite,
        counted(len(tests), "test"),
        0,
        (
            Tile("slowest in the mean", mean_text(view, slowest.operations), _of(slowest)),
            Tile(MAX_SEEN, time_text(view, longest.operations.max_ticks), _of(longest)),
            Tile("samples", grouped(samples), "invalid" if view.reasons else "all counted"),
        ),
    )


def _tests(view: SuiteView) -> list[TestedFigures]:
    return [each for each in view.figures if each.test.base is not None]


def _of(figures: TestedFigures) -> str:
    return f"{figures.test.id} {figures.test.title}"
