# SPDX-License-Identifier: Apache-2.0
"""Takes observations from events, for an instrument that sends them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from plexor.base.units import FEMTOSECONDS, seconds_of
from plexor.experiments.calibration.density import by_phase
from plexor.experiments.calibration.loopback import behind_ps
from plexor.experiments.calibration.observation import (
    LOOPED_WIDTH_CLOCKS,
    Behind,
    FreeEdges,
    Looped,
    LoopedEdges,
    Ticks,
)
from plexor.experiments.calibration.runs import SPACES, complete_run, whole_run
from plexor.model.calibration import ChannelInstants, Instants
from plexor.model.results import EVENT_DTYPE, EventArray
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import InputSelect
from plexor.wire.device.device import Device

FIRST_CHUNK_S = Fraction(1, 2000)
MOST_CHUNK_S = Fraction(1, 2)
MOST_CHUNKS = 64
LOOPBACK_PERIOD_S = Fraction(1, 1000)
LOOPBACK_ROUNDS = 8
"""Number of strikes at each phase of the sampler."""


class EventObserver:
    """Observes each edge through its event."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self._events = np.empty(0, EVENT_DTYPE)

    def source(self, edges: int) -> FreeEdges:
        """Return the source's edges.

        Events that overrun the link are dropped whatever their phase, so the rest is unbiased.
        """
        geometry = self.device.identity.geometry
        self._events = events = _source_events(self.device, edges)
        counts = {
            (number, polarity): by_phase(times_of(events, number, polarity), geometry.phases)
            for number in range(geometry.channels)
            for polarity in (1, 0)
        }
        return FreeEdges(counts, _period_fs(events, geometry.tick_fs))

    def behind(self, channels: Sequence[ChannelInstants]) -> Behind:
        """Return how much later than the first each channel sees their common edges, in ps."""
        tick_fs = self.device.identity.tick_fs

        def seen(channel: ChannelInstants, polarity: int) -> tuple[Ticks, Instants]:
            bins = channel.rise if polarity else channel.fall
            return times_of(self._events, channel.number, polarity), bins

        return {
            polarity: [
                behind_ps(seen(channels[0], polarity), seen(entry, polarity), tick_fs)
                for entry in channels
            ]
            for polarity in (1, 0)
        }

    def looped(self, output: int) -> Looped:
        """Return an output's strikes, looped back; without echoes if events are missing."""
        return self._struck(output, loopback_settings(self.device.identity.geometry, output))

    def wired(self, output: int, channels: Sequence[int]) -> Looped:
        """Return an output's strikes, through jumpers; without echoes if events are missing."""
        geometry = self.device.identity.geometry
        return self._struck(output, loopback_settings(geometry, output, channels))

    def _struck(self, output: int, settings: Settings) -> Looped:
        result = complete_run(self.device, settings)
        books, events = result.accounting, result.whole_events
        echoes: dict[tuple[int, int], LoopedEdges] = {}
        if events is not None and books.received == books.generated:
            for number in (channel.number for channel in settings.channels):
                for polarity in (1, 0):
                    strikes = times_of(events, SOURCE_STRIKE + output, polarity)
                    seen = times_of(events, number, polarity)
                    echoes[number, polarity] = LoopedEdges(len(strikes), len(seen), strikes, seen)
        generated = {entry.source: entry.generated for entry in books.sources}
        return Looped(generated, books.received, echoes, books.lost_on_link)


def loopback_settings(
    geometry: Geometry, output: int, wired: Sequence[int] | None = None
) -> Settings:
    """Return settings that loop an output back to every channel, at each phase of the sampler.

    With `wired` these channels see their own pins instead, which jumpers connect to the output. The
    run is slow enough for the slowest link to carry every event.
    """
    count = LOOPBACK_ROUNDS * geometry.phases
    rounds = int(LOOPBACK_PERIOD_S * FEMTOSECONDS / (geometry.phases * geometry.tick_fs))
    period_ticks = rounds * geometry.phases + 1
    width_ticks = LOOPED_WIDTH_CLOCKS * geometry.samples
    return Settings(
        strikes=(
            Stimulus(
                output,
                seconds_of(period_ticks, geometry.tick_fs),
                seconds_of(width_ticks, geometry.tick_fs),
                count=count,
            ),
        ),
        channels=tuple(
            Channel(number, reference=f"strike{output}")
            for number in (range(geometry.channels) if wired is None else wired)
        ),
        input_select=InputSelect.LOOPBACK if wired is None else InputSelect.PINS,
        loopback_output=output,
        spaces=SPACES,
    )


def times_of(events: EventArray, source: int, polarity: int) -> Ticks:
    """Return the times of a source's edges of one direction, in ticks."""
    chosen = (events["source"] == source) & (events["polarity"] == polarity)
    return events["time_ticks"][chosen].astype(np.int64)


def _source_events(device: Device, edges: int) -> EventArray:
    """Return the source's events: `edges` of each direction on each channel, or as many as came."""
    geometry = device.identity.geometry
    parts: list[EventArray] = []
    least = 0
    chunk_s = FIRST_CHUNK_S
    for _ in range(MOST_CHUNKS):
        settings = Settings(
            channels=tuple(Channel(number) for number in range(geometry.channels)),
            time_s=chunk_s,
            input_select=InputSelect.ASYNCHRONOUS,
            spaces=SPACES,
        )
        found = whole_run(device, settings)
        if found.events is not None:
            parts.append(found.events)
        counts = np.zeros(2 * geometry.channels, np.int64)
        for part in parts:
            key = part["source"].astype(np.int64) * 2 + part["polarity"]
            counts += np.bincount(key[key < len(counts)], minlength=len(counts))
        seen = counts[counts > 0]
        before, least = least, int(seen.min()) if len(seen) else 0
        # A channel without an edge so far will not get any.
        if (least >= edges or not len(seen)) and (len(seen) == len(counts) or len(parts) > 1):
            break
        gained = max(least - before, 1)
        longer = Fraction(edges - least, gained) * Fraction(11, 10)
        chunk_s = min(max(chunk_s * longer, FIRST_CHUNK_S), 16 * chunk_s, MOST_CHUNK_S)
    return np.concatenate(parts) if parts else np.empty(0, EVENT_DTYPE)


def _period_fs(events: EventArray, tick_fs: int) -> int:
    """Return the source's mean period in fs. Longer steps are gaps and left out."""
    steps = np.diff(times_of(events, 0, 1))
    if not len(steps):
        return 0
    near = steps[(steps > 0) & (steps < 1.5 * np.median(steps))]
    return round(float(near.mean()) * tick_fs) if len(near) else 0
