# SPDX-License-Identifier: Apache-2.0
"""One self-contained HTML page of what explains a run: late answers, its timeline, its profile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from plexor.base.counts import agreed, counted
from plexor.base.units import format_ticks
from plexor.figures.explain.why import Explained
from plexor.model.results import RunResult
from plexor.show import facts
from plexor.show.html import PageHeading, html_box, html_page, html_table
from plexor.show.page_files import html_files, json_text, table_csv
from plexor.show.pictures.frame import provenance
from plexor.show.pictures.scale import grouped
from plexor.show.pictures.timeline import timeline_body, timeline_tiles
from plexor.show.table import NOTHING, Cell
from plexor.show.terminal.profile import ProfileView, Rows, notes
from plexor.show.terminal.why import (
    HEADS,
    Says,
    blame_rows,
    chain_text,
    cluster_rows,
    recurrence_text,
    summary,
)
from plexor.show.tiles import ChannelTiles, Tile, html_tiles
from plexor.show.timeline import TimelineView
from plexor.show.timeline import summary as shown_text

_MOST_BLAMED = 12
"""Rows of what the device did when it was struck."""


@dataclass(frozen=True, slots=True)
class WhyView:
    """The late answers of a run, and what its codes say."""

    channels: tuple[Explained, ...]
    says: Says


@dataclass(frozen=True, slots=True)
class ExplainedView:
    """What a page has of a run; None: it was not asked for, or the run has no codes."""

    result: RunResult
    why: WhyView | None = None
    timeline: TimelineView | None = None
    profile: ProfileView | None = None
    functions: Rows | None = None
    """The rows of the profile."""


def explain_page(view: ExplainedView, document: Mapping[str, Any] | None = None) -> str:
    """Return the page's text in UTF-8: nothing is fetched. It carries the `document`."""
    result = view.result
    banner = "".join(
        html_box("bad", "Invalid: these figures prove nothing", text)
        for text in result.invalid_reasons
    )
    tiles: list[ChannelTiles] = []
    body, files = "", ""
    if view.why is not None:
        tiles += _late_tiles(view.why, result)
        body += f"<h2>Late answers</h2>{_why(view.why, result)}"
        files += _table_of_clusters(view.why, result.tick_fs, document)
    if view.timeline is not None:
        tiles.append(timeline_tiles(view.timeline))
        body += timeline_body(view.timeline)
    if view.profile is not None and view.functions is not None:
        body += f"<h2>Profile</h2>{_profile(view.profile, view.functions)}"
        files = files or _data(document, view.functions)
    name = facts.device_name(result.device) or "Explained"
    heading = PageHeading(name, provenance(result), _lead(view), banner + html_tiles(tiles))
    return html_page(heading, body + files)


def _lead(view: ExplainedView) -> str:
    """Return the sentence that a reader wants first."""
    if view.why is None:
        return "What the device did." if view.timeline is None else shown_text(view.timeline)
    if not view.why.channels:
        return "No channel answers strikes."
    tick_fs = view.result.tick_fs
    return "; ".join(_said(entry, tick_fs) for entry in view.why.channels) + "."


def _said(entry: Explained, tick_fs: int) -> str:
    """Return how late answers of a channel recur; of several clusters, that of the latest."""
    if entry.tail is None:
        return f"{entry.name}: late answers are not known"
    late = entry.tail.count - entry.tail.usual
    if not entry.groups:
        return f"{entry.name}: no answer stands apart from the others"
    latest = entry.groups[-1]
    most = format_ticks(latest.cluster.high_ticks, tick_fs)
    how = recurrence_text(latest.recurrence, tick_fs)
    return (
        f"{entry.name}: {grouped(late)} of {counted(entry.tail.count, 'answer')} "
        f"{agreed(late, 'is', 'are')} late, up to {most}, {how}"
    )


def _late_tiles(why: WhyView, result: RunResult) -> Iterator[ChannelTiles]:
    """Yield of each channel how many answers are late, the usual latency, and the latest."""
    numbers = {channel.name: channel.number for channel in result.channels}
    tick_fs = result.tick_fs
    for entry in why.channels:
        number = numbers.get(entry.name, 0)
        if entry.tail is None:
            tiles = (Tile("late", NOTHING, f"not known, because {entry.missing}", "doubt"),)
            yield ChannelTiles(entry.name, "", number, tiles)
            continue
        late = entry.tail.count - entry.tail.usual
        usual = entry.tail.usual_ticks
        most = entry.groups[-1].cluster.high_ticks if entry.groups else None
        note = "" if usual is None else f"from {format_ticks(usual[0], tick_fs)} on"
        clusters = f"in {counted(len(entry.groups), 'cluster')}"
        yield ChannelTiles(
            entry.name,
            "answers",
            number,
            (
                Tile(
                    "late",
                    grouped(late),
                    f"of {counted(entry.tail.count, 'answer')}, {clusters}",
                    "doubt" if late else "",
                ),
                Tile("usual, at most", _time(None if usual is None else usual[1], tick_fs), note),
                Tile("latest", _time(most, tick_fs), "of the late ones" if entry.groups else ""),
            ),
        )


def _time(ticks: int | None, tick_fs: int) -> str:
    return NOTHING if ticks is None else format_ticks(ticks, tick_fs)


def _why(why: WhyView, result: RunResult) -> str:
    """Return clusters and how they recur, what the device did when struck, and the latest."""
    html = ""
    for entry in why.channels:
        html += f"<h3>{escape(entry.name)}</h3><p>{escape(summary(entry, result.tick_fs))}</p>"
        rows = list(cluster_rows(entry, result.tick_fs))
        if rows:
            html += html_table((HEADS, rows))
        if entry.blamed:
            heads, blamed = blame_rows(entry, why.says, result.tick_fs)
            html += html_table((heads, blamed[:_MOST_BLAMED]))
            if len(blamed) > _MOST_BLAMED:
                html += f"<p>and {len(blamed) - _MOST_BLAMED} more; the JSON file has them.</p>"
        chains = [
            chain_text(chain, why.says, result.start_ticks, result.tick_fs)
            for chain in entry.chains
        ]
        if chains:
            html += f"<ul>{''.join(f'<li>{escape(text)}</li>' for text in chains)}</ul>"
    return html or '<p class="doubt">No channel answers strikes.</p>'


def _profile(profile: ProfileView, rows: Rows) -> str:
    html = html_table(rows) if rows[1] else '<p class="doubt">The device sent no whole call.</p>'
    return html + "".join(f'<p class="doubt">{escape(note)}</p>' for note in notes(profile))


def _table_of_clusters(why: WhyView, tick_fs: int, document: Mapping[str, Any] | None) -> str:
    rows: list[list[Cell]] = [
        [(entry.name, ""), *row] for entry in why.channels for row in cluster_rows(entry, tick_fs)
    ]
    return _data(document, (["channel", *HEADS], rows))


def _data(document: Mapping[str, Any] | None, rows: Rows) -> str:
    text = "" if document is None else json_text(document)
    return html_files("explained", text, table_csv(rows) if rows[1] else "")
