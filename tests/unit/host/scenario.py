# SPDX-License-Identifier: Apache-2.0
"""What a fake device pretends to have seen, and what its memories hold of it.

Written from docs/instrument.md and plexor.protocol; no code of the host is used.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.memory import (
    CLASSES,
    STATISTICS,
    STATISTICS_SETS,
    ResponseClass,
    Space,
    banks,
    bin_of,
    entries,
    entry_words,
    first_bin,
    mantissa_bits,
)

START_TICKS = 5000
PERIOD_TICKS = 1000
STRIKE_WIDTH_TICKS = 10
RESPONSE_WIDTH_TICKS = 20
GEOMETRY = Geometry(
    channels=2,
    strikes=2,
    latency_mantissa_bits=4,
    interval_mantissa_bits=4,
    fall_mantissa_bits=3,
    zoom_bits=6,
    features=ALL_FEATURES,
)


@dataclass
class Scenario:
    """Strikes of output 0, PERIOD_TICKS apart; channel 0 answers after `latencies`, or never.

    Latencies lie between the strike's width and what keeps a response inside its period.
    """

    latencies: Sequence[int | None]
    geometry: Geometry = GEOMETRY
    dropped_before_merge: int = 0
    """Edges of channel 1 that were counted, then dropped, after the last event."""
    upload_dropped: Sequence[int] = ()
    """Numbers of events that never entered the link's FIFO."""
    end_ticks: int = 0
    events: list[tuple[int, int, int]] = field(default_factory=list)
    """(time, source, polarity) of merged events."""

    def __post_init__(self) -> None:
        for number, latency in enumerate(self.latencies):
            strike = START_TICKS + 100 + number * PERIOD_TICKS
            self.events += [(strike, 8, 1), (strike + STRIKE_WIDTH_TICKS, 8, 0)]
            if latency is not None:
                answer = strike + latency
                self.events += [(answer, 0, 1), (answer + RESPONSE_WIDTH_TICKS, 0, 0)]
        self.end_ticks = START_TICKS + 100 + (len(self.latencies) + 2) * PERIOD_TICKS

    def samples(self) -> dict[str, list[tuple[int, int, int]]]:
        """(value, index, time) of each sample of channel 0."""
        found: dict[str, list[tuple[int, int, int]]] = {
            "rise": [],
            "fall": [],
            "width": [],
            "period": [],
        }
        strike = active = before = None
        for index, (time_ticks, source, polarity) in enumerate(self.events):
            if source == 8 and polarity:
                strike = time_ticks
            elif source == 0 and polarity:
                found["rise"].append((time_ticks - strike, index, time_ticks))
                if before is not None:
                    found["period"].append((time_ticks - before, index, time_ticks))
                active = before = time_ticks
            elif source == 0:
                found["fall"].append((time_ticks - strike, index, time_ticks))
                found["width"].append((time_ticks - active, index, time_ticks))
        return found

    def memories(self) -> dict[tuple[Space, int], list[int]]:
        """Words of every space and bank; statistics and counts alternate between the banks."""
        geometry = self.geometry
        words = {
            (space, bank): [0] * (entries(geometry, space) * entry_words(space))
            for space in Space
            for bank in range(banks(geometry, space))
            if entries(geometry, space)
        }
        answered = sum(latency is not None for latency in self.latencies)
        classes = {
            ResponseClass.ANSWERED: answered,
            ResponseClass.MISSED: len(self.latencies) - answered,
            ResponseClass.STRIKES: len(self.latencies),
        }
        for name, count in classes.items():
            # Channel 1 listens to the same strikes and never answers.
            for channel in range(2):
                value = count
                if channel:
                    value = 0 if name == ResponseClass.ANSWERED else len(self.latencies)
                _split(words, Space.CLASSES, channel * CLASSES + name, value)
        for source, polarity in ((8, 0), (8, 1), (0, 0), (0, 1)):
            edges = sum(event[1:] == (source, polarity) for event in self.events)
            _split(words, Space.EDGES, source * 2 + polarity, edges)
        for source in range(entries(geometry, Space.UPLOAD_DROPS)):
            drops = sum(self.events[number][1] == source for number in self.upload_dropped)
            _split(words, Space.UPLOAD_DROPS, source, drops)
        for kind, (name, samples) in enumerate(self.samples().items()):
            self._accumulate(words, name, kind % 2, samples)
        return words

    def _accumulate(self, words, name, kind, samples) -> None:
        interval = name in ("width", "period")
        geometry = self.geometry
        needed = Feature.INTERVALS if interval else Feature.FALL
        if name != "rise" and needed not in geometry.features:
            return
        key = kind << geometry.key_bits
        keys = 2 << geometry.key_bits
        bins, zoom, statistics = (
            (Space.INTERVAL_BINS, Space.INTERVAL_ZOOM, Space.INTERVAL_STATISTICS)
            if interval
            else (Space.LATENCY_BINS, Space.LATENCY_ZOOM, Space.LATENCY_STATISTICS)
        )
        count = banks(geometry, statistics)
        for bank in range(count):
            for set_number in range(STATISTICS_SETS):
                mine = [
                    sample
                    for n, sample in enumerate(samples)
                    if n % count == bank and n // count % STATISTICS_SETS == set_number
                ]
                record = _record(mine, geometry.features)
                place = (set_number * keys + key) * STATISTICS.size_bytes // 4
                words[statistics, bank][place : place + len(record)] = record
        bits = mantissa_bits(geometry, bins, kind)
        first = first_bin(geometry, bins, kind, 0)
        for value, _, _ in samples:
            words[bins, 0][first + bin_of(value, bits)] += 1
            if Feature.ZOOM in geometry.features:
                last = (1 << geometry.zoom_bits) - 1
                # The windows of these tests start at 0.
                words[zoom, 0][(key << geometry.zoom_bits) + min(value + 1, last)] += 1


def _split(words, space: Space, entry: int, count: int) -> None:
    """Put a 64-bit count into the banks, a third into the first."""
    found = [bank for (name, bank) in words if name == space]
    parts = [count // 3, count - count // 3] if len(found) == 2 else [count]
    for bank, part in zip(found, parts, strict=True):
        words[space, bank][entry * 2 : entry * 2 + 2] = [part & 0xFFFFFFFF, part >> 32]


def _record(samples, features) -> list[int]:
    values = dict.fromkeys((entry.name for entry in STATISTICS.fields), 0)
    if samples:
        squares = sum(value * value for value, _, _ in samples)
        least = min(samples, key=lambda sample: (sample[0], sample[1]))
        most = min(samples, key=lambda sample: (-sample[0], sample[1]))
        values |= {
            "count": len(samples),
            "sum_ticks": sum(value for value, _, _ in samples),
            "min_ticks": least[0],
            "max_ticks": most[0],
        }
        if Feature.SUM_SQUARES in features:
            values |= {
                "sum_sq_low_ticks2": squares & (1 << 64) - 1,
                "sum_sq_high_ticks2": squares >> 64,
            }
        if Feature.EXTREMES in features:
            values |= {
                "min_index": least[1],
                "max_index": most[1],
                "min_time_ticks": least[2],
                "max_time_ticks": most[2],
            }
    packed = STATISTICS.pack(values)
    return list(struct.unpack(f"<{len(packed) // 4}I", packed))
