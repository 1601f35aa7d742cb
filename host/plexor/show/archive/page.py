# SPDX-License-Identifier: Apache-2.0
"""One self-contained HTML page of a trend: its pictures, changes and histories."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from html import escape
from typing import Any

from plexor.files.archive.trend import Histories
from plexor.show.archive import words
from plexor.show.archive.picture import MOST_PLOTS, course, plots
from plexor.show.html import (
    PageHeading,
    html_box,
    html_details,
    html_figure,
    html_list,
    html_page,
    html_table,
)
from plexor.show.page_files import page_files
from plexor.show.pictures.scale import grouped
from plexor.show.table import NOTHING, Cell
from plexor.show.tiles import ChannelTiles, Tile, html_tiles


def trend_page(trend: Histories, document: Mapping[str, Any] | None = None) -> str:
    """Return the page's text in UTF-8; it carries the trend's `document`."""
    shown = plots(trend)
    pictures = "".join(html_figure(partial(course, plot)) for plot in shown[:MOST_PLOTS])
    notes = [*words.too_few(trend), *words.undecided(trend)]
    if len(shown) > MOST_PLOTS:
        notes.append(
            f"{len(shown) - MOST_PLOTS} more plots are left out, of histories that ended earlier"
        )
    doubts = "".join(f'<p class="doubt">{escape(note)}</p>' for note in notes)
    common = _common(trend)
    body = f"""{pictures}
{doubts}
{_changes(trend)}
<h2>Histories</h2>
{html_table(words.history_rows(trend))}
{page_files("trend", document, words.history_rows(trend))}
{html_details("Common to all runs", html_list(common))}
<footer>{escape(words.METHOD)}</footer>"""
    source = words.source(trend.histories)
    banner = _banner(trend) + html_tiles([_tiles(trend)])
    heading = PageHeading(words.title(trend), source, words.extent(trend), banner)
    return html_page(heading, body)


def _tiles(trend: Histories) -> ChannelTiles:
    """Return how many changes there are, in how many histories, of how many runs."""
    changes = len(_told(trend))
    runs = sum(len(history.points) for history in trend.histories)
    return ChannelTiles(
        " and ".join(own.figure.word for own in trend.histories[0].courses),
        "from run to run",
        0,
        (
            Tile("changes", grouped(changes), "of level", "doubt" if changes else ""),
            Tile("histories", grouped(len(trend.histories)), "of one configuration each"),
            Tile("runs", grouped(runs), "that are valid"),
        ),
    )


def _told(trend: Histories) -> list[str]:
    return [
        words.step_text(trend, history, own, step)
        for history in trend.histories
        for own in history.courses
        for step in own.steps
    ]


def _banner(trend: Histories) -> str:
    told, undecided = _told(trend), words.undecided(trend)
    if not told and undecided:
        more = "; and more" if undecided[3:] else ""
        return html_box("doubt", "Too few runs to tell", "; ".join(undecided[:3]) + more)
    if not told:
        return html_box("good", "No change", "no history of these changes its level")
    head = "One change" if len(told) == 1 else f"{len(told)} changes"
    return html_box("doubt", head, "; ".join(told[:3]) + ("; and more" if told[3:] else ""))


def _changes(trend: Histories) -> str:
    head = ["history", "figure", "commit", "began, UTC", "change", "before", "after", "error"]
    rows: list[list[Cell]] = []
    for number, history in enumerate(trend.histories, 1):
        for own in history.courses:
            for step in own.steps:
                texts = (
                    words.label(trend, history) or str(number),
                    own.figure.word,
                    history.points[step.place].commit or NOTHING,
                    words.started_text(history.points[step.place].started),
                    words.change(step),
                    words.value(own, step.before),
                    words.value(own, step.after),
                    words.percent(step.error),
                )
                rows.append([(text, "") for text in texts])
    return f"<h2>Changes</h2>{html_table((head, rows))}" if rows else ""


def _common(trend: Histories) -> list[tuple[str, str]]:
    differing = set(trend.differing())
    return [(k, v) for k, v in trend.histories[0].configuration.items() if k not in differing]
