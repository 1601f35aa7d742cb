# SPDX-License-Identifier: Apache-2.0
"""A device at the pins: it sees strike words and answers after random picoseconds."""

from __future__ import annotations

import heapq
import random
from typing import Any

import numpy as np

from plexor.protocol.geometry import Geometry
from plexor_sim.golden.edges import PinEdges

FS_PER_PS = 1000


class Device:
    """An Agent: each strike raises its channel's pin after a latency, some twice, some never.

    `clock_count` is the core clock whose words stand at the ports, 1 after a reset. Latencies
    are at least two clocks, for the device sees a word in the clock after it.
    """

    def __init__(self, dut: Any, geometry: Geometry, rng: random.Random) -> None:
        self._dut, self._geometry, self._rng = dut, geometry, rng
        self._due: list[tuple[int, int, int]] = []
        self._levels = [0] * geometry.channels
        self._log: list[list[tuple[int, int]]] = [[] for _ in range(geometry.channels)]
        self._strike_level = [0] * geometry.strikes
        self._word = 0
        self.clock_count = 1
        self.rises: list[list[int]] = [[] for _ in range(geometry.strikes)]
        """Ticks of each output's rises, as the device saw them."""

    @property
    def quiet(self) -> bool:
        """No edge is to come."""
        return not self._due

    def clock(self) -> None:
        """See Agent."""
        word, width = int(self._dut.strikes.value), self._geometry.samples
        if word or any(self._strike_level):
            for output, level in enumerate(self._strike_level):
                self._look(output, level, word >> output * width & (1 << width) - 1)
        self.clock_count += 1
        self._drive()

    def _look(self, output: int, level: int, word: int) -> None:
        for sample in range(self._geometry.samples):
            now = word >> sample & 1
            if now and not level:
                tick = self.clock_count * self._geometry.samples + sample
                self.rises[output].append(tick)
                self._answer(output, tick)
            level = now
        self._strike_level[output] = level

    def _answer(self, output: int, tick: int) -> None:
        tick_ps = self._geometry.tick_fs // FS_PER_PS
        least = 2 * self._geometry.samples * tick_ps
        if self._rng.random() < 0.1:
            return
        for _ in range(self._rng.choice((1, 1, 1, 2))):
            rise = tick * tick_ps + least + int(self._rng.expovariate(1 / (80 * tick_ps)))
            fall = rise + self._rng.randrange(100, 40 * tick_ps)
            heapq.heappush(self._due, (rise, output, 1))
            heapq.heappush(self._due, (fall, output, 0))

    def _drive(self) -> None:
        # The word whose first sample is at clock_count: level k is the level at k ticks.
        samples, tick_fs = self._geometry.samples, self._geometry.tick_fs
        first = self.clock_count * samples
        end_ps = (first + samples - 1) * tick_fs // FS_PER_PS
        words = [level * ((1 << samples) - 1) for level in self._levels]
        while self._due and self._due[0][0] <= end_ps:
            time_ps, channel, level = heapq.heappop(self._due)
            self._log[channel].append((time_ps, level))
            self._levels[channel] = level
            sample = max(-(-time_ps * FS_PER_PS // tick_fs) - first, 0)
            after = (1 << samples) - (1 << sample)
            words[channel] = words[channel] & ~after | after * level
        word = sum(each << samples * channel for channel, each in enumerate(words))
        if word != self._word:
            self._dut.samples.value = self._word = word

    def pins(self) -> dict[int, PinEdges]:
        """Return every edge so far, for the golden model."""
        return {
            channel: PinEdges(
                np.array([time for time, _ in log], np.int64),
                np.array([level for _, level in log], np.bool_),
            )
            for channel, log in enumerate(self._log)
        }
