# SPDX-License-Identifier: Apache-2.0
"""A burst scan as a picture: the longest burst that loses no strike, over its spacing."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from plexor.base.units import format_seconds
from plexor.experiments.burst.model import BurstResult, SpacingLimit
from plexor.show import facts
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
from plexor.show.pictures.canvas import Canvas, Stroke
from plexor.show.pictures.frame import (
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    alone,
    framed,
    legend,
    panel,
    x_axis,
    y_line,
    y_name,
)
from plexor.show.pictures.scale import Axis, grouped, number, time_unit
from plexor.show.terminal.burst import lengths_text, limit_rows, notes, summary
from plexor.show.tiles import ChannelTiles, Tile, html_tiles

HEIGHT = 400.0


def burst_plot(result: BurstResult, width: float = WIDTH) -> Canvas:
    """Return the plot: a dot for each limit, hollow where no longer burst was tried."""
    source = "simulated" if result.simulated else "measured"
    said = f"Strikes in a burst, {format_seconds(result.period_s)} from burst to burst"
    canvas = framed("Burst tolerance", said, HEIGHT, source, width)
    top, bottom = TOP, HEIGHT - 46
    panel(canvas, top, bottom)
    spacings = [float(entry.spacing_s) for entry in result.limits]
    if not spacings:
        canvas.text(width / 2, (top + bottom) / 2, "no limit", style="muted", anchor="middle")
        return canvas
    x = Axis(min(spacings) / 1.1, max(spacings) * 1.1, LEFT, width - RIGHT, True)
    x_axis(canvas, x, top, bottom, time_unit(x.high))
    most = max(entry.lengths.passing for entry in result.limits)
    y = Axis(0.7, max(most * 1.6, 10), bottom, top, True)
    for value in y.ticks(6):
        if value >= 1:
            y_line(canvas, y.at(value), number(value))
    y_name(canvas, "longest burst that is answered, strikes", log=True)
    for place, name in enumerate(result.channels):
        own = {entry.spacing_s: entry for entry in result.limits if entry.channel == name}
        points: list[tuple[float, float, SpacingLimit]] = []
        line = ""
        for spacing_s in sorted({entry.spacing_s for entry in result.limits}):
            entry = own.get(spacing_s)
            if entry is None:
                line += "|"
                continue
            at, height = x.at(float(spacing_s)), y.at(max(entry.lengths.passing, y.low))
            points.append((at, height, entry))
            line += f"L{at:.1f} {height:.1f}"
        # A spacing that was not tried leaves a gap.
        for part in filter(None, line.split("|")):
            canvas.path(f"M{part[1:]}", f"s{place}", Stroke(1.8))
        for at, height, entry in points:
            _dot(canvas, at, height, entry, place)
    entries = [(name, f"s{place}", Stroke(3)) for place, name in enumerate(result.channels)]
    legend(canvas, entries, bottom + 36, "spacing; arrow: no longer one was tried")
    return canvas


def _dot(canvas: Canvas, x: float, y: float, entry: SpacingLimit, place: int) -> None:
    fill = "paper" if entry.lengths.failing is None else f"f{place}"
    if entry.lengths.failing is None:
        # Only a bound is known: the longest burst may be any longer one.
        canvas.path(f"M{x:.1f} {y - 4:.1f}v-16m-4 5l4-5l4 5", f"s{place}", Stroke(1.6))
    canvas.dot(x, y, 4, f"{fill} s{place}", Stroke(1.6))


def burst_picture(result: BurstResult) -> str:
    """Return one SVG file."""
    return alone(burst_plot(result))


def burst_page(result: BurstResult, document: Mapping[str, Any] | None = None) -> str:
    """Return the page's text in UTF-8: nothing is fetched. It carries the scan's `document`."""
    body = html_figure(partial(burst_plot, result))
    body += f"<h2>Longest burst at each spacing</h2>{html_table(limit_rows(result))}"
    said = notes(result)
    body += html_box("doubt", "About this scan", "; ".join(said)) if said else ""
    entries = [(f"device {name}", text) for name, text in result.device.items()]
    entries += facts.began(result)
    entries += [(f"{name} version", text) for name, text in result.versions.items()]
    body += page_files("burst", document, limit_rows(result))
    body += html_details("What was done, and with what", html_list(entries))
    name = facts.device_name(result.device) or "Burst tolerance"
    source = "simulated" if result.simulated else "measured"
    tiles = html_tiles([_tiles(result, *named) for named in enumerate(result.channels)])
    return html_page(PageHeading(name, source, summary(result), tiles), body)


def _tiles(result: BurstResult, number: int, channel: str) -> ChannelTiles:
    """Return the longest bursts of a channel at the least and the greatest spacing."""
    own = sorted((e for e in result.limits if e.channel == channel), key=lambda e: e.spacing_s)
    ends = (own[0], own[-1]) if own[1:] else tuple(own)
    tiles = [
        Tile(
            f"longest burst, {format_seconds(entry.spacing_s)} apart",
            lengths_text(entry.lengths),
            f"fails {grouped(entry.lengths.failing)}" if entry.lengths.failing else "",
        )
        for entry in ends
    ]
    return ChannelTiles(channel, "", number, tuple(tiles))
