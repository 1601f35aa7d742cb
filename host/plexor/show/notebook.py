# SPDX-License-Identifier: Apache-2.0
"""What a notebook and a Python prompt show of a run: a small table, and one line."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from plexor.base.counts import counted
from plexor.base.figure_words import MAX_SEEN
from plexor.figures.analyse.analyse import ChannelFigures, Report
from plexor.figures.analyse.bounds import extreme
from plexor.figures.analyse.percentiles import quantile_name
from plexor.model.results import Kind
from plexor.protocol.memory import ResponseClass
from plexor.show import facts
from plexor.show.pictures.scale import grouped
from plexor.show.table import NOTHING, Cell, known_time, quantile_cell, time_text
from plexor.show.tiles import channel_tiles

_QUANTILES = 3
"""The percentiles of a run that are shown: p50, p90 and p99."""
_STYLE = "text-align:right;padding:.1em .8em"


def run_line(report: Report) -> str:
    """Return a run in one line: how many strikes, and the first figures of each channel."""
    result = report.result
    kind = "simulated" if result.simulated else result.identity.board
    wrong = "" if report.valid else ", INVALID"
    lines = [channel_line(channel, result.tick_fs) for channel in report.channels]
    channels = "; ".join(lines) or "no channels"
    return f"{kind}{wrong}, {counted(result.strikes, 'strike')}: {channels}"


def channel_line(channel: ChannelFigures, tick_fs: int) -> str:
    """Return a channel in one line: `ISR p99 10.96 µs, max seen 13.48 µs, missed 0`."""
    shown = channel_tiles(channel, tick_fs)
    return f"{shown.name} {', '.join(f'{tile.name} {tile.text}' for tile in shown.tiles)}"


def run_html(report: Report) -> str:
    """Return a run as a small table, with what it was above and what is wrong with it below."""
    said = [facts.headline(report), facts.summary(report)]
    wrong = [f"INVALID RUN: {reason}" for reason in report.invalid_reasons]
    return _table(report.channels, report.result.tick_fs, said, wrong)


def channel_html(channel: ChannelFigures, tick_fs: int) -> str:
    """Return a channel as a table of one row."""
    return _table([channel], tick_fs, [], [])


def _table(
    channels: Sequence[ChannelFigures], tick_fs: int, above: Sequence[str], below: Sequence[str]
) -> str:
    names = [quantile_name(q.q) for q in _quantiles(channels)]
    head = ["channel", "n", "missed", "late", "min", *names, MAX_SEEN]
    rows = "".join(f"<tr>{_cells(_row(channel, tick_fs, names))}</tr>" for channel in channels)
    heads = "".join(f'<th style="{_STYLE}">{escape(name)}</th>' for name in head)
    said = "".join(f"<div>{escape(line)}</div>" for line in above)
    wrong = "".join(f"<div><b>{escape(line)}</b></div>" for line in below)
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    return f"<div>{said}{table}{wrong}</div>"


def _quantiles(channels: Sequence[ChannelFigures]):
    found = (channel.rise for channel in channels)
    return next((rise.quantiles[:_QUANTILES] for rise in found if rise is not None), ())


def _row(channel: ChannelFigures, tick_fs: int, names: Sequence[str]) -> list[Cell]:
    result, rise, answered = channel.result, channel.rise, channel.kinds.get(Kind.RISE)
    row = [(channel.name, f"from {result.reference}")]
    row.append((grouped(0 if answered is None else answered.count), ""))
    classes = (ResponseClass.MISSED, ResponseClass.LATE)
    row += [(grouped(result.classes[kind]), "") for kind in classes]
    if rise is None:
        return row + [(NOTHING, "")] * (len(names) + 2)
    row.append((time_text(rise.min_ticks, tick_fs), ""))
    row += [quantile_cell(found, tick_fs) for found in rise.quantiles[: len(names)]]
    row.append((known_time(extreme(rise, least=False), tick_fs), ""))
    return row


def _cells(row: Sequence[Cell]) -> str:
    return "".join(
        f'<td style="{_STYLE}">{escape(text)}{f"<br><small>{escape(note)}</small>" if note else ""}'
        "</td>"
        for text, note in row
    )
