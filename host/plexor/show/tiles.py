# SPDX-License-Identifier: Apache-2.0
"""The three figures of each channel that are read first: a percentile, the maximum, the misses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape

from plexor.base.counts import counted
from plexor.base.figure_words import MAX_SEEN, PEAK_TO_PEAK
from plexor.figures.analyse.analyse import ChannelFigures, Figures, Report
from plexor.figures.analyse.bounds import KNOWN, extreme
from plexor.figures.analyse.pairing import AMBIGUOUS
from plexor.figures.analyse.percentiles import Quantile, least_count, quantile_name
from plexor.model.results import Kind
from plexor.protocol.memory import ResponseClass
from plexor.show.pictures.scale import grouped
from plexor.show.table import NOTHING, known_time, mean_text, quantile_cell, time_text

FIRST = Fraction(99, 100)
"""The percentile that is shown, where the samples carry it."""
LAST = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Tile:
    """One figure in large letters: its name, its text, and a note below."""

    name: str
    text: str
    note: str = ""
    style: str = ""
    """`doubt`, `good` or `bad`, where the figure must be noticed."""


@dataclass(frozen=True, slots=True)
class ChannelTiles:
    """The tiles of one channel; `number` is that of its colour."""

    name: str
    note: str
    number: int
    tiles: tuple[Tile, ...]


def tiles(report: Report) -> tuple[ChannelTiles, ...]:
    """Return the tiles of each channel."""
    return tuple(channel_tiles(channel, report.result.tick_fs) for channel in report.channels)


def carried(rise: Figures) -> Quantile | None:
    """Return p99, or the highest lower percentile that the samples carry; None if they carry none.

    Samples carry a percentile if there are enough of them for an upper bound of it.
    """
    lower = sorted((q for q in rise.quantiles if q.q <= FIRST), key=lambda found: -found.q)
    return next((found for found in lower if found.enough), None)


def share_text(count: int, of: int) -> str:
    """Return a share as text that tells a rare one from none, and most from all."""
    share = 100 * count / max(of, 1)
    if count < of and share >= 99.995:
        return "over 99.99 %"
    return f"{share:.2g} %" if share < 10 else f"{share:.4g} %"


def channel_tiles(channel: ChannelFigures, tick_fs: int) -> ChannelTiles:
    """Return the tiles of one channel."""
    result = channel.result
    period = channel.kinds.get(Kind.PERIOD)
    if not result.strikes and period is not None and period.count:
        return ChannelTiles(channel.name, "", result.number, _of_period(period, tick_fs))
    found = (_percentile(channel, tick_fs), _most(channel, tick_fs), _missed(channel))
    return ChannelTiles(channel.name, f"from {result.reference}", result.number, found)


def _why(channel: ChannelFigures) -> str:
    return "no response" if channel.paired else f"not known: {AMBIGUOUS}"


def _percentile(channel: ChannelFigures, tick_fs: int) -> Tile:
    rise = channel.rise
    if rise is None:
        return Tile(quantile_name(FIRST), NOTHING, _why(channel))
    found = carried(rise)
    if found is None:
        needs = f"{grouped(rise.count)} of {counted(least_count(LAST), 'sample')}"
        return Tile(quantile_name(LAST), "too few", needs, "doubt")
    text, note = quantile_cell(found, tick_fs)
    name = quantile_name(found.q)
    return Tile(name, text, f"95 %: {note}" if note else "at the instrument's limit")


def _most(channel: ChannelFigures, tick_fs: int) -> Tile:
    rise = channel.rise
    if rise is None:
        return Tile(MAX_SEEN, NOTHING)
    at = rise.max_time_ticks
    note = "" if at is None else f"at {time_text(at, tick_fs)} in the run"
    return Tile(MAX_SEEN, known_time(extreme(rise, least=False), tick_fs), note)


def _missed(channel: ChannelFigures) -> Tile:
    result = channel.result
    missed, strikes = result.classes[ResponseClass.MISSED], result.strikes
    note = f"of {counted(strikes, 'strike')}"
    if missed:
        note += f", {share_text(missed, strikes)}"
    if result.pending:
        note += f"; {grouped(result.pending)} pending"
    if result.unknown_strikes:
        note += f"; {grouped(result.unknown_strikes)} unknown"
    return Tile("missed", grouped(missed), note, "doubt" if missed else "")


def _of_period(period: Figures, tick_fs: int) -> tuple[Tile, ...]:
    """Return the tiles of a channel that runs by itself."""
    mean = mean_text(period, tick_fs)
    if period.mean_ticks is None:
        mean = known_time(KNOWN["mean"](period), tick_fs)
    return (
        Tile("mean period", mean, f"of {grouped(period.count)}"),
        Tile(MAX_SEEN, known_time(extreme(period, least=False), tick_fs)),
        Tile(PEAK_TO_PEAK, known_time(KNOWN["peak_to_peak"](period), tick_fs)),
    )


def html_tiles(found: Sequence[ChannelTiles]) -> str:
    """Return the tiles of all channels, one row a channel; nothing without a channel."""
    rows = "".join(_row(channel) for channel in found)
    return f'<div class="tiles">{rows}</div>' if rows else ""


def _row(channel: ChannelTiles) -> str:
    shown = "".join(_tile(tile) for tile in channel.tiles)
    note = f"<small>{escape(channel.note)}</small>" if channel.note else ""
    return (
        f'<section class="of c{channel.number % 8}"><h2>{escape(channel.name)}{note}</h2>'
        f"<dl>{shown}</dl></section>"
    )


def _tile(tile: Tile) -> str:
    style = f' class="{tile.style}"' if tile.style else ""
    note = f"<small>{_unbroken(tile.note)}</small>" if tile.note else ""
    return (
        f'<div class="tile"><dt>{escape(tile.name)}</dt>'
        f"<dd><b{style}>{_unbroken(tile.text)}</b>{note}</dd></div>"
    )


_UNIT = re.compile(r"(?<=\d) (?=(?:[nµm]?s|[kM]?Hz|%)(?:\W|$))")


def _unbroken(text: str) -> str:
    """Return a text, escaped, in which no line ends between a number and its unit."""
    return _UNIT.sub("\N{NO-BREAK SPACE}", escape(text))
