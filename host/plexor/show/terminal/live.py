# SPDX-License-Identifier: Apache-2.0
"""The view of a run under way: a histogram, a persistence line and the figures of each channel."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from plexor.base.figure_words import MAX_SEEN
from plexor.base.units import format_ticks, plot_seconds
from plexor.figures.analyse.from_bins import of_bins
from plexor.figures.analyse.percentiles import Distribution, quantile
from plexor.figures.analyse.traces import persistence
from plexor.model.results import ChannelResult, Kind, SnapshotResult
from plexor.protocol.memory import ResponseClass
from plexor.show.pictures.scale import Axis, grouped, time_unit
from plexor.show.terminal.blocks import BLOCKS, EIGHTHS, MARGIN, axis_line, columns_of
from plexor.show.terminal.columns import CHANNEL_COLOURS, LEAST_WIDTH, Paint, wrapped

SHADES = " ░▒▓█"
_PERCENTILES = (Fraction(50, 100), Fraction(99, 100))


def live_text(
    snapshot: SnapshotResult,
    heading: str,
    tick_fs: int,
    start_ticks: int | None,
    *,
    width: int,
    colour: bool,
) -> str:
    """Return the view of a snapshot for a width in columns.

    `heading` says how far the run is. `start_ticks` is the run's start, from which the time of the
    maximum counts; None leaves that out.
    """
    width, paint = max(width, LEAST_WIDTH), Paint(colour)
    lines = list(wrapped(heading, width, paint, "bold"))
    shown = [(channel, _rise(channel)) for channel in snapshot.channels]
    lines += _pictures(shown, tick_fs, width, paint)
    for channel, rise in shown:
        lines += _figures(channel, rise, tick_fs, start_ticks, width, paint)
    if not snapshot.on_chip:
        lines += wrapped("computed on the host from events", width, paint, "muted")
    return paint.done(lines)


def _rise(channel: ChannelResult) -> Distribution | None:
    found = channel.measurement(Kind.RISE)
    return None if found is None or not found.statistics.count else of_bins(found)


def _fall(channel: ChannelResult) -> Distribution | None:
    found = channel.measurement(Kind.FALL)
    return None if found is None or not found.statistics.count else of_bins(found)


def _pictures(
    shown: Sequence[tuple[ChannelResult, Distribution | None]],
    tick_fs: int,
    width: int,
    paint: Paint,
) -> Iterator[str]:
    """Yield a histogram and a persistence line for each channel, on one axis."""
    maxima = [_max_ticks(channel) for channel, rise in shown if rise is not None]
    if not maxima:
        yield paint("no response yet", "muted")
        return
    columns = columns_of(width)
    end_ticks = max(max(maxima) * 21 // 20, columns)
    for channel, rise in shown:
        if rise is None:
            continue
        image = persistence(rise, _fall(channel), (0, end_ticks), columns, channel.strikes)
        style = CHANNEL_COLOURS[channel.number]
        most = max(float(image.rises.max()), 1.0)
        blocks = "".join(BLOCKS[_eighths(count, most)] for count in image.rises.tolist())
        yield f"{_label(channel.name)} {paint(blocks.rstrip(), style)}".rstrip()
        # An edge that is there is shown, however rare.
        edges = (image.rises + image.falls) > 0
        share = image.high / max(float(image.high.max()), 1e-9)
        levels = np.maximum(np.ceil(share * (len(SHADES) - 1)), edges).astype(int)
        shades = "".join(SHADES[level] for level in levels.tolist())
        yield f"{'':{MARGIN - 1}} {paint(shades.rstrip(), style)}".rstrip()
    axis = Axis(0.0, plot_seconds(end_ticks, tick_fs), 0.0, float(columns))
    yield axis_line(axis, *time_unit(axis.high), paint)


def _eighths(count: float, most: float) -> int:
    """Return the height of a bar by the logarithm of its count; one sample is seen."""
    if count <= 0:
        return 0
    top = max(math.log1p(most - 1), 1e-9)
    return 1 + round((EIGHTHS - 1) * math.log1p(max(count - 1, 0)) / top)


def _label(name: str) -> str:
    cut = name if len(name) < MARGIN else f"{name[: MARGIN - 2]}…"
    return cut.rjust(MARGIN - 1)


def _max_ticks(channel: ChannelResult) -> int:
    found = channel.measurement(Kind.RISE)
    return 0 if found is None else found.statistics.max_ticks or 0


def _figures(
    channel: ChannelResult,
    rise: Distribution | None,
    tick_fs: int,
    start_ticks: int | None,
    width: int,
    paint: Paint,
) -> Iterator[str]:
    count = channel.classes
    pieces = [f"{channel.name}:"]
    if rise is not None:
        for q in _PERCENTILES:
            found = quantile(rise, q)
            if found is not None and found.value_ticks is not None:
                pieces.append(f"p{float(q * 100):g} {format_ticks(found.value_ticks, tick_fs)}")
        pieces.append(_maximum(channel, tick_fs, start_ticks))
    answered = count[ResponseClass.ANSWERED] + count[ResponseClass.LATE]
    pieces.append(f"answered {grouped(answered)}")
    pieces.append(f"missed {grouped(count[ResponseClass.MISSED])}")
    for kind in (ResponseClass.LATE, ResponseClass.DUPLICATE, ResponseClass.SPURIOUS):
        if count[kind]:
            pieces.append(f"{kind.name.lower()} {grouped(count[kind])}")
    if channel.unknown_strikes:
        pieces.append(f"unknown {grouped(channel.unknown_strikes)}")
    style = "bad" if count[ResponseClass.MISSED] or count[ResponseClass.LATE] else ""
    yield from wrapped("  ".join(pieces), width, paint, style)


def _maximum(channel: ChannelResult, tick_fs: int, start_ticks: int | None) -> str:
    text = f"{MAX_SEEN} {format_ticks(_max_ticks(channel), tick_fs)}"
    found = channel.measurement(Kind.RISE)
    at_ticks = None if found is None else found.statistics.max_time_ticks
    if at_ticks is None or start_ticks is None:
        return text
    return f"{text} at {format_ticks(at_ticks - start_ticks, tick_fs)}"
