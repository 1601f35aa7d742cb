# SPDX-License-Identifier: Apache-2.0
"""The pins around the event that stopped a run, as a logic analyser shows them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from plexor.base.counts import counted
from plexor.base.units import format_seconds, format_ticks, plot_seconds
from plexor.figures.analyse.analyse import Report
from plexor.model.levels import with_levels
from plexor.model.results import EventArray, RunResult
from plexor.model.sources import source_name
from plexor.protocol.frames import (
    SOURCE_CODE,
    SOURCE_CODE_VALUE,
    SOURCE_LOAD,
    SOURCE_STEP,
    SOURCE_STRIKE,
)
from plexor.protocol.registers import StopReason
from plexor.show.pictures.canvas import Canvas, Stroke
from plexor.show.pictures.frame import (
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    beside,
    framed,
    provenance,
    x_axis,
)
from plexor.show.pictures.scale import Axis, time_unit

BEFORE, AFTER = 14, 8
"""Events shown in detail on each side of the trigger."""
ROW, SWING = 40.0, 22.0
THIN_ROW, THIN_SWING = 17.0, 10.0
FOOT, LABEL = 46.0, 16.0
_TRIGGER = Stroke(1.4, dash=(5, 3))
_MOMENTS = (SOURCE_STEP, SOURCE_CODE)
"""Sources whose events are moments, and no edges of a level."""


class _Row(NamedTuple):
    """One pin: its name, how it is drawn, and its edges."""

    name: str
    style: str
    ink: str
    time_ticks: npt.NDArray[np.int64]
    """From the trigger."""
    polarity: npt.NDArray[np.uint8]
    is_level: bool


def trace(report: Report, width: float = WIDTH) -> Canvas | None:
    """Return the events kept around the trigger; None for a run that has none.

    A few of them in detail, and above them all that were kept where those are more.
    """
    result = report.result
    events, trigger_ticks = result.trace, result.trigger_ticks
    if events is not None:
        events = events[events["source"] != SOURCE_CODE_VALUE]
    if events is None or trigger_ticks is None or not len(events):
        return None
    rows = _rows(report, events, trigger_ticks)
    times = events["time_ticks"].astype(np.int64) - trigger_ticks
    place = int(np.searchsorted(events["index"], result.trigger_index or 0))
    near = times[max(place - BEFORE, 0) : place + AFTER + 1]
    few = len(near) == len(times)
    overview = 0.0 if few else THIN_ROW * len(rows) + FOOT
    height = TOP + overview + LABEL + ROW * len(rows) + 12 + FOOT
    heading = "Around the trigger"
    canvas = framed(heading, _subtitle(result, len(events)), height, provenance(result), width)
    top = TOP
    if not few:
        axis = _axis(times, result.tick_fs, width)
        bottom = top + THIN_ROW * len(rows)
        detail = _axis(near, result.tick_fs, width)
        left, right = axis.at(detail.low), axis.at(detail.high)
        _panel(canvas, axis, top, bottom)
        canvas.rect(left, top, max(right - left, 2), bottom - top, "region", radius=2)
        _draw(canvas, rows, axis, top, (THIN_ROW, THIN_SWING), result.tick_fs)
        _mark(canvas, axis, top, bottom)
        top = bottom + FOOT
    top += LABEL
    axis = _axis(near, result.tick_fs, width)
    bottom = top + ROW * len(rows) + 12
    _panel(canvas, axis, top, bottom)
    _draw(canvas, rows, axis, top + 6, (ROW, SWING), result.tick_fs)
    _mark(canvas, axis, top, bottom)
    canvas.text(LEFT, bottom + 36, "time from the trigger", style="muted")
    anchor, text = _anchor(axis), _label(report, events, trigger_ticks)
    canvas.text(axis.at(0), top - 6, text, style="alarm", anchor=anchor, bold=True)
    return canvas


def _subtitle(result: RunResult, kept: int) -> str:
    over_s = result.settings.latency_over_s
    if result.stop_reason == StopReason.MISSED:
        why = "A missed strike ended the run"
    elif result.stop_reason == StopReason.LATENCY and over_s is not None:
        why = f"A latency above {format_seconds(over_s)} ended the run"
    elif result.stop_reason == StopReason.CODE:
        why = "A code ended the run"
    elif result.stop_reason == StopReason.STALL:
        why = "A stall ended the run"
    else:
        why = "A threshold ended the run"
    return f"{why}; the instrument kept {counted(kept, 'event')} around it."


def _label(report: Report, events: EventArray, trigger_ticks: int) -> str:
    """Return what triggered, and when in the run."""
    result = report.result
    at = format_ticks(trigger_ticks - result.start_ticks, result.tick_fs)
    if result.stop_reason == StopReason.MISSED:
        return f"missed, seen at {at}"
    own = events[events["index"] == result.trigger_index]
    name = _name(report, int(own["source"][0])) if len(own) else "trigger"
    return f"{name} at {at}"


def _name(report: Report, source: int) -> str:
    among = [channel.name for channel in report.channels]
    names = {channel.result.number: beside(channel.name, among) for channel in report.channels}
    return names.get(source, source_name(source))


def _rows(report: Report, events: EventArray, trigger_ticks: int) -> list[_Row]:
    """Return strikes, channels, steps, codes and the load, those that have an event."""
    found: list[_Row] = []
    events = with_levels(events, report.result.settings)
    sources = sorted(set(events["source"].tolist()), key=lambda s: (s < SOURCE_STRIKE, s))
    if SOURCE_LOAD in sources:
        sources.remove(SOURCE_LOAD)
        sources.append(SOURCE_LOAD)
    for source in sources:
        own = events[events["source"] == source]
        response = source < SOURCE_STRIKE
        found.append(
            _Row(
                _name(report, source),
                f"s{source}" if response else "rule",
                f"f{source}" if response else "muted",
                own["time_ticks"].astype(np.int64) - trigger_ticks,
                own["polarity"],
                source not in _MOMENTS,
            )
        )
    return found


def _axis(times: npt.NDArray[np.int64], tick_fs: int, width: float) -> Axis:
    """Return an axis around times and the trigger."""
    low, high = min(int(times.min()), 0), max(int(times.max()), 0)
    margin = max((high - low) * 0.03, 1)
    return Axis(
        plot_seconds(low - margin, tick_fs),
        plot_seconds(high + margin, tick_fs),
        LEFT,
        width - RIGHT,
    )


def _panel(canvas: Canvas, axis: Axis, top: float, bottom: float) -> None:
    canvas.rect(LEFT, top, canvas.width - LEFT - RIGHT, bottom - top, "panel", radius=4)
    x_axis(canvas, axis, top, bottom, time_unit(max(-axis.low, axis.high)))


def _draw(
    canvas: Canvas,
    rows: list[_Row],
    axis: Axis,
    top: float,
    size: tuple[float, float],
    tick_fs: int,
) -> None:
    height, swing = size
    for place, row in enumerate(rows):
        base = top + height * (place + 1) - (height - swing) / 2
        canvas.text(
            LEFT - 9,
            base - swing / 2 + 4,
            row.name,
            style=row.ink,
            anchor="end",
            bold=height == ROW,
        )
        width = 1.8 if height == ROW else 1.1
        if not row.is_level:
            seconds = [plot_seconds(time, tick_fs) for time in row.time_ticks.tolist()]
            inside = [axis.at(at) for at in seconds if axis.low <= at <= axis.high]
            marks = "".join(f"M{x:.1f} {base:.1f}V{base - swing:.1f}" for x in inside)
            canvas.path(marks, row.style, Stroke(width))
            continue
        level = 1 - int(row.polarity[0])
        data = [f"M{LEFT:.1f} {base - swing * level:.1f}"]
        for time, polarity in zip(row.time_ticks.tolist(), row.polarity.tolist(), strict=True):
            seconds = plot_seconds(time, tick_fs)
            if seconds > axis.high:
                break
            if seconds < axis.low:
                data = [f"M{LEFT:.1f} {base - swing * polarity:.1f}"]
                continue
            data.append(f"H{axis.at(seconds):.1f}V{base - swing * polarity:.1f}")
        data.append(f"H{axis.end:.1f}")
        canvas.path("".join(data), row.style, Stroke(width))


def _mark(canvas: Canvas, axis: Axis, top: float, bottom: float) -> None:
    canvas.line(axis.at(0), top, axis.at(0), bottom, "worst", _TRIGGER)


def _anchor(axis: Axis) -> str:
    """Return how a text at the trigger is anchored so that it stays on the picture."""
    part = (axis.at(0) - axis.start) / (axis.end - axis.start)
    return "start" if part < 0.2 else "end" if part > 0.8 else "middle"
