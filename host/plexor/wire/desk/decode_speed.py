# SPDX-License-Identifier: Apache-2.0
"""How fast the host is: bytes of a link to a histogram of latencies, on one core."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plexor.protocol.frames import (
    MAX_WORDS,
    POLARITY_SHIFT,
    SOURCE_CHANNEL,
    SOURCE_SHIFT,
    SOURCE_STRIKE,
    Frame,
    FrameType,
    cobs_decode,
    event_word,
    split_event_word,
    to_stream,
)
from plexor.wire.decode.batch import EventBatch
from plexor.wire.decode.decoder import Decoder

CHUNK_BYTES = 1 << 20
HISTOGRAM_TICKS = 1 << 16
_RISING = 1 << (POLARITY_SHIFT - SOURCE_SHIFT)
_EVENTS_A_STRIKE = 4


@dataclass(frozen=True, slots=True)
class DecodeSpeed:
    """One way of decoding one stream."""

    name: str
    events: int
    wall_s: float
    cpu_s: float
    """CPU time of one core; less than `wall_s` on a shared machine."""
    samples: int
    sum_ticks: int

    @property
    def events_per_s(self) -> float:
        """Events decoded, paired and counted in a second of one core."""
        return self.events / self.cpu_s


def stream(period_ticks: int, strikes: int) -> tuple[bytes, int, int]:
    """Return bytes of full frames, how many events they hold, and the sum of the latencies.

    Each strike is answered within its period, after a latency that differs from strike to strike.
    """
    words: list[tuple[int, int, int]] = []
    total = 0
    spread = max(period_ticks // 8, 1)
    for number in range(strikes):
        time_ticks = number * period_ticks
        latency = period_ticks // 4 + number * 7919 % spread
        total += latency
        words += [
            (time_ticks, SOURCE_STRIKE, 1),
            (time_ticks + latency, SOURCE_CHANNEL, 1),
            (time_ticks + period_ticks // 2, SOURCE_STRIKE, 0),
            (time_ticks + 3 * period_ticks // 4, SOURCE_CHANNEL, 0),
        ]
    words_a_frame = MAX_WORDS // _EVENTS_A_STRIKE * _EVENTS_A_STRIKE
    frames: list[bytes] = []
    for sequence, start in enumerate(range(0, len(words), words_a_frame)):
        piece = words[start : start + words_a_frame]
        base = piece[0][0]
        payload = struct.pack(
            f"<{len(piece)}I",
            *(
                event_word(time_ticks - base, source, polarity)
                for time_ticks, source, polarity in piece
            ),
        )
        frames.append(to_stream(Frame(FrameType.EVENTS, 0, 0, sequence, start, base, payload)))
    return b"".join(frames), len(words), total


def vectorised(data: bytes) -> NDArray[np.int64]:
    """Return the histogram of latencies by the host's decoder; strikes and responses alternate."""
    histogram = np.zeros(HISTOGRAM_TICKS, dtype=np.int64)
    decoder = Decoder()
    for start in range(0, len(data), CHUNK_BYTES):
        for decoded in decoder.feed(data[start : start + CHUNK_BYTES]):
            if isinstance(decoded, EventBatch):
                keys = decoded.words >> np.uint32(SOURCE_SHIFT)
                times = decoded.time_ticks()
                strikes = times[keys == _RISING | SOURCE_STRIKE]
                responses = times[keys == _RISING | SOURCE_CHANNEL]
                latencies = (responses - strikes).astype(np.int64)
                histogram += np.bincount(latencies, minlength=HISTOGRAM_TICKS)
    return histogram


def plain(data: bytes) -> NDArray[np.int64]:
    """Return the same by a loop over frames and words: the baseline."""
    histogram = [0] * HISTOGRAM_TICKS
    strike = 0
    for stretch in data.split(b"\0"):
        if not stretch:
            continue
        frame = Frame.decode(cobs_decode(stretch))
        for (word,) in struct.iter_unpack("<I", frame.payload):
            delta, source, polarity = split_event_word(word)
            if polarity:
                if source == SOURCE_STRIKE:
                    strike = frame.base_ticks + delta
                elif source == SOURCE_CHANNEL:
                    histogram[frame.base_ticks + delta - strike] += 1
    return np.array(histogram, dtype=np.int64)


_STREAMS = {"20 kHz": 50_000, "1 MHz": 1000, "every clock": 32}
"""Strike periods in ticks of a nanosecond; the shorter, the more zeros have the words."""


def decode_speeds(strikes: int = 500_000, repeats: int = 3) -> list[DecodeSpeed]:
    """Return decode-to-histogram of three streams, and the plain loop on a part of the first.

    The best of `repeats`. Raises ValueError where a histogram is not what was planted.
    """
    results: list[DecodeSpeed] = []
    for name, period_ticks in _STREAMS.items():
        data, events, total = stream(period_ticks, strikes)
        results.append(_timed(f"{name}, vectorised", vectorised, data, events, total, repeats))
    data, events, total = stream(_STREAMS["20 kHz"], max(strikes // 20, 1))
    results.append(_timed("20 kHz, plain loop", plain, data, events, total, 1))
    return results


def _timed(
    name: str,
    decode: Callable[[bytes], NDArray[np.int64]],
    data: bytes,
    events: int,
    total: int,
    repeats: int,
) -> DecodeSpeed:
    wall_s = cpu_s = float("inf")
    histogram = np.zeros(0, dtype=np.int64)
    for _ in range(repeats):
        wall_before, cpu_before = time.perf_counter(), time.process_time()
        histogram = decode(data)
        cpu_s = min(cpu_s, time.process_time() - cpu_before)
        wall_s = min(wall_s, time.perf_counter() - wall_before)
    samples = int(histogram.sum())
    summed = int((histogram * np.arange(len(histogram))).sum())
    if samples * _EVENTS_A_STRIKE != events or summed != total:
        raise ValueError(f"{name}: {samples} latencies of sum {summed}; planted sum {total}")
    return DecodeSpeed(name, events, wall_s, cpu_s, samples, summed)
