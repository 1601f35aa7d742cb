# SPDX-License-Identifier: Apache-2.0
"""One HTML page of a run as an archive has it: figures, classes and histograms, and no events."""

from __future__ import annotations

from functools import partial
from html import escape

from plexor.base.counts import counted
from plexor.base.figure_words import MAX_SEEN
from plexor.figures.analyse.analyse import PERCENTILES, ChannelFigures
from plexor.figures.analyse.percentiles import quantile_name
from plexor.files.archive.archived import Archived
from plexor.protocol.memory import ResponseClass
from plexor.show.archive import words
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
from plexor.show.pictures.overlay import overlaid_latency
from plexor.show.pictures.scale import grouped
from plexor.show.table import NOTHING, Cell, quantile_cell, time_text
from plexor.show.tiles import channel_tiles, html_tiles

_SHOWN = PERCENTILES[:4]


def archived_page(archived: Archived) -> str:
    """Return the page's text in UTF-8."""
    run = archived.run
    banner = ""
    if not run.valid:
        banner += html_box("bad", "Invalid: these figures prove nothing", run.invalid_reasons)
    if run.interrupted:
        banner += html_box("doubt", "Interrupted", "the run was ended before it had all strikes")
    tick_fs = archived.tick_fs
    banner += html_tiles([channel_tiles(channel, tick_fs) for channel in archived.channels])
    name = words.device_text(run)
    plots = "".join(
        html_figure(partial(overlaid_latency, [archived], [name], channel.name))
        for channel in archived.channels
        if channel.rise is not None
    )
    table = run_rows(archived)
    body = f"""{plots}
<h2>Channels</h2>
{html_table(table)}
{page_files("run", None, table)}
{html_details("Configuration", html_list(sorted(run.configuration.items())))}
<footer>{escape(run.run)}. An archive keeps figures and histograms of a run, and none of its
events.</footer>"""
    lead = f"{counted(run.strikes, 'strike')}: {words.run_text(run)}."
    return html_page(PageHeading(name, run.source, lead, banner), body)


def run_rows(archived: Archived) -> tuple[list[str], list[list[Cell]]]:
    """Return the heads and a row for each channel: classes, then latencies."""
    unknown = any(channel.result.unknown_strikes for channel in archived.channels)
    classes = ("answered", "late", "missed", "duplicate", "spurious")
    head = ["channel", "strikes", *classes, *["unknown"] * unknown, "min"]
    head += [*map(quantile_name, _SHOWN), MAX_SEEN]
    rows = [_row(channel, archived.tick_fs, unknown=unknown) for channel in archived.channels]
    return head, rows


def _row(channel: ChannelFigures, tick_fs: int, *, unknown: bool) -> list[Cell]:
    result, rise = channel.result, channel.rise
    counts = [result.classes[kind] for kind in _CLASSES]
    row: list[Cell] = [(channel.name, ""), (grouped(result.strikes), "")]
    row += [(grouped(count), "") for count in counts]
    if unknown:
        edges = f"and {counted(result.unknown_edges, 'edge')}" if result.unknown_edges else ""
        row.append((grouped(result.unknown_strikes), edges))
    if rise is None:
        return [*row, *[(NOTHING, "")] * (len(_SHOWN) + 2)]
    row.append((time_text(rise.min_ticks, tick_fs), ""))
    known = {found.q: found for found in rise.quantiles}
    row += [quantile_cell(known[q], tick_fs) if q in known else (NOTHING, "") for q in _SHOWN]
    return [*row, (time_text(rise.max_ticks, tick_fs), "")]


_CLASSES = (
    ResponseClass.ANSWERED,
    ResponseClass.LATE,
    ResponseClass.MISSED,
    ResponseClass.DUPLICATE,
    ResponseClass.SPURIOUS,
)
