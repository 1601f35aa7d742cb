# SPDX-License-Identifier: Apache-2.0
"""A first look at a device: where the window of one-tick bins of each channel is to lie."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from plexor.base.errors import InvalidRunError
from plexor.figures.analyse.analyse import is_complete, samples_of
from plexor.model.results import Kind, RunResult
from plexor.model.settings import Channel, Settings
from plexor.protocol.registers import Stream

STRIKES = 500
"""Strikes of a first look: their events find room on the chip, whatever the rate."""
LONGEST_S = Fraction(1, 10)
"""Its length where nothing strikes at a rate of its own."""
_FS = 10**15


def look_of(settings: Settings) -> Settings:
    """Return the settings of a first look: those of the run, shorter, with all events."""
    periods = [strike.period_s for strike in settings.strikes if strike.period_s is not None]
    times_s = [STRIKES * min(periods) if periods else LONGEST_S]
    times_s += [] if settings.time_s is None else [settings.time_s]
    return replace(
        settings,
        time_s=min(times_s),
        stream=Stream.LIVE,
        keep_events=True,
        report_s=None,
        latency_over_s=None,
        stop_on_missed=False,
        stall=None,
        stop_code=None,
    )


def zoomed(settings: Settings, look: RunResult) -> Settings:
    """Return settings whose windows lie where a first look has most values of each measurement.

    A measurement without values has no window. Raises InvalidRunError if the look lost events.
    """
    window_ticks = (1 << look.identity.geometry.zoom_bits) - 2
    firsts: dict[int, dict[str, Fraction]] = {}
    for channel in look.answering:
        if not is_complete(look, channel):
            raise InvalidRunError(
                f"zoom auto: the first look lost events of {channel.name}; say where to look, such "
                "as --zoom 9.9us"
            )
        samples = samples_of(look, channel)
        values = {kind: getattr(samples, kind.value).value_ticks for kind in Kind}
        firsts[channel.number] = {
            f"zoom_{kind.value}_s": Fraction(first_of(own, window_ticks) * look.tick_fs, _FS)
            for kind, own in values.items()
            if len(own)
        }

    def placed(channel: Channel) -> Channel:
        starts = firsts.get(channel.number, {})
        return replace(
            channel, **{name: own for name, own in starts.items() if not getattr(channel, name)}
        )

    return replace(settings, channels=tuple(map(placed, settings.channels)))


def first_of(values_ticks: NDArray[np.int64], window_ticks: int) -> int:
    """Return where a window begins that has most of the values, in the middle; at least 1."""
    values = np.sort(values_ticks)
    ends = np.searchsorted(values, values + window_ticks, "left")
    best = int(np.argmax(ends - np.arange(len(values))))
    least, most = int(values[best]), int(values[ends[best] - 1])
    return max(least - (window_ticks - (most - least + 1)) // 2, 1)
