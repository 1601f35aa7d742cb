# SPDX-License-Identifier: Apache-2.0
"""cocotb side: every edge is an event or counted as dropped, in order and at its tick."""

import os
import random
from itertools import pairwise

import cocotb
import numpy as np
from amaranth.lib import data
from clocked import Driver, Monitor, Packing, clocks, start

from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import CHANNEL
from plexor_hdl.interfaces import Beat, block_layout
from plexor_hdl.results.count_memory import COUNT_BITS
from plexor_sim.golden.edges import (
    TickEdges,
    collapsed,
    filtered,
    inverted,
    mended,
    merged,
    windowed,
)

SAMPLES, CHANNELS, CLOCKS = (int(os.environ[name]) for name in ("SAMPLES", "CHANNELS", "CLOCKS"))
GEOMETRY = Geometry(channels=CHANNELS, strikes=2, samples=SAMPLES, word_fifo_depth=16)
SOURCES = GEOMETRY.sources
BEAT = Packing(Beat(GEOMETRY))
CHANNEL_SETTINGS = Packing(block_layout(CHANNEL))
BEFORE_CLOCKS, AFTER_CLOCKS = 20, 40
"""Clocks of words before and after the run's."""


class Words:
    """An Agent: a word of every source each clock, from clock `first` on, and the run's window."""

    def __init__(self, dut, levels: np.ndarray, first: int) -> None:
        by_clock = levels.reshape(len(SOURCES), -1, SAMPLES).transpose(1, 0, 2)
        packed = np.packbits(by_clock.reshape(len(by_clock), -1), axis=1, bitorder="little")
        self._words = [int.from_bytes(row.tobytes(), "little") for row in packed]
        self._dut, self._at = dut, 0
        self._run = range(BEFORE_CLOCKS, len(self._words) - AFTER_CLOCKS)
        self.start_ticks = (first + self._run.start) * SAMPLES
        self.end_ticks = (first + self._run.stop) * SAMPLES

    def clock(self) -> None:
        """See Agent."""
        if self._at < len(self._words):
            self._dut.words.value = self._words[self._at]
            self._dut.capture.value = int(self._at in self._run)
        self._at += 1

    @property
    def done(self) -> bool:
        """Every word was sent."""
        return self._at > len(self._words)


def random_levels(rng: np.random.Generator, clock_count: int, density: float) -> np.ndarray:
    """Return random toggles, [source, sample], some sources far busier than others."""
    shape = (len(SOURCES), clock_count * SAMPLES)
    share = density * rng.exponential(1.0, (shape[0], 1))
    return np.cumsum(rng.random(shape) < share, axis=1) % 2 == 1


def edges_of(levels: np.ndarray, first_ticks: int) -> TickEdges:
    """Return one source's edges; its level before the first sample is low."""
    times = first_ticks + np.arange(len(levels), dtype=np.int64)
    return collapsed(times, levels, False)


class Run:
    """One run: what was set, sent, expected and received."""

    def __init__(self, dut, rng: random.Random, levels: np.ndarray) -> None:
        self.dut, self.rng, self.levels = dut, rng, levels
        self.invert = [rng.randrange(2) for _ in range(CHANNELS)]
        self.filter_ticks = [rng.choice((0, 1, rng.randrange(32))) for _ in range(CHANNELS)]
        self.enable = [rng.random() < 0.9 for _ in range(CHANNELS)]
        self.beats: list[dict[str, int]] = []
        self.monitor = Monitor(
            dut, "o_beats", lambda bits: self.beats.append(BEAT.unpack(bits)), rng
        )

    async def play(self, stalls: float) -> None:
        """Send the words, drain, and ask for the final beat."""
        dut = self.dut
        width = data.Layout.cast(block_layout(CHANNEL)).size
        dut.channels.value = sum(
            CHANNEL_SETTINGS.pack(
                {
                    "enable": self.enable[n],
                    "invert": self.invert[n],
                    "filter_ticks": self.filter_ticks[n],
                }
            )
            << n * width
            for n in range(CHANNELS)
        )
        dut.strike_enables.value = (1 << GEOMETRY.strikes) - 1
        dut.words.value = 0
        dut.clear.value = 1
        await clocks(dut, 2, self.monitor)
        dut.clear.value = 0
        await clocks(dut, 30, self.monitor)
        self.beats.clear()
        self.monitor.stalls = stalls
        # `low` is still that of the clock before this edge; the first words stand after the next.
        words = Words(dut, self.levels, int(dut.low.value) + 2)
        self.words = words
        await clocks(dut, len(self.levels[0]), words, self.monitor, until=lambda: words.done)
        self.monitor.stalls = 0.0
        most = 40 * GEOMETRY.word_fifo_depth * len(SOURCES) * SAMPLES
        await clocks(dut, 30, self.monitor)
        await clocks(dut, most, self.monitor, until=lambda: bool(dut.idle.value))
        await clocks(dut, 20, self.monitor, Driver(dut, "i_end", [1], self.rng))

    def compare(self) -> tuple[int, int]:
        """Assert that all is as the golden model has it; return edges and dropped ones."""
        words = self.words
        each = {}
        mended_clocks: set[int] = set()
        for number, source in enumerate(SOURCES):
            if source < CHANNELS and not self.enable[source]:
                continue
            edges = edges_of(self.levels[number], words.start_ticks - BEFORE_CLOCKS * SAMPLES)
            if source < CHANNELS:
                raw, edges = edges, mended(edges)
                mended_clocks |= {
                    int(time) // SAMPLES
                    for time in np.setdiff1d(raw.time_ticks, edges.time_ticks)[::2] + 1
                    if words.start_ticks <= time < words.end_ticks
                }
                edges = inverted(edges) if self.invert[source] else edges
                edges = filtered(edges, self.filter_ticks[source], SAMPLES)
            each[source] = windowed(edges, words.start_ticks, words.end_ticks)
        assert int(self.dut.mended.value) == len(mended_clocks)
        truth = merged(each)
        columns = (truth.time_ticks, truth.source, truth.polarity)
        expected = list(zip(*(column.tolist() for column in columns), strict=True))

        *beats, final = self.beats
        assert final["final"]
        assert final["event.time_ticks"] == words.end_ticks
        latest = 0
        for beat in beats:
            assert beat["event.time_ticks"] >= latest, "time goes back"
            latest = beat["event.time_ticks"]
        events = [beat for beat in beats if beat["is_event"]]
        received = [
            (e["event.time_ticks"], e["event.source"], bool(e["event.polarity"])) for e in events
        ]
        places = {edge: place for place, edge in enumerate(expected)}
        found = [places[edge] for edge in received]
        assert all(a < b for a, b in pairwise(found)), "out of order"
        kept = set(received)
        lost = [edge for edge in expected if edge not in kept]
        self._check_indices(events, int(self.dut.next_index.value), len(expected))
        self._check_counts(expected, lost)
        # A word is dropped whole.
        kept_words = {(source, time // SAMPLES) for time, source, _ in received}
        assert not kept_words & {(source, time // SAMPLES) for time, source, _ in lost}
        return len(expected), len(lost)

    def _check_indices(self, events, next_index: int, generated: int) -> None:
        following = 0
        for event in events:
            index = event["event.index"]
            assert index >= following
            assert bool(event["event.gap"]) == (index > following)
            following = index + 1
        assert following <= next_index == generated

    def _check_counts(self, expected, lost) -> None:
        for name, edges in (("generated", expected), ("dropped", lost)):
            counts = int(getattr(self.dut, name).value)
            for source in SOURCES:
                told = counts >> source * COUNT_BITS & (1 << COUNT_BITS) - 1
                assert told == sum(edge[1] == source for edge in edges), (name, source)


@cocotb.test()
async def sparse_edges_are_all_events(dut):
    await start(dut)
    edges = 0
    for seed in range(6):
        rng = random.Random(seed)
        levels = random_levels(np.random.default_rng(seed), CLOCKS, 0.2 / SAMPLES / len(SOURCES))
        run = Run(dut, rng, levels)
        await run.play(stalls=0.2)
        generated, dropped = run.compare()
        assert not dropped
        edges += generated
    assert edges
    dut._log.info("%d edges, none dropped", edges)


@cocotb.test()
async def dense_edges_are_events_or_counted(dut):
    await start(dut)
    edges = lost = 0
    for seed in range(8):
        rng = random.Random(seed)
        density = rng.choice((0.05, 0.3, 1.0))
        levels = random_levels(np.random.default_rng(seed), CLOCKS // 2, density / 2)
        run = Run(dut, rng, levels)
        await run.play(stalls=rng.choice((0.0, 0.3, 0.9)))
        generated, dropped = run.compare()
        edges, lost = edges + generated, lost + dropped
    assert 0 < lost < edges
    dut._log.info("%d edges, %d of them dropped and counted", edges, lost)


@cocotb.test()
async def every_pin_toggling_every_tick_is_counted(dut):
    await start(dut)
    for busy in (1, len(SOURCES)):
        run = Run(dut, random.Random(0), random_levels(np.random.default_rng(0), 400, 0.0))
        run.enable, run.filter_ticks = [True] * CHANNELS, [0] * CHANNELS
        run.levels[:busy, BEFORE_CLOCKS * SAMPLES + 5 :][:, :1000] ^= np.arange(1000) % 2 == 0
        await run.play(stalls=0.0)
        generated, dropped = run.compare()
        assert generated == 1000 * busy
        dut._log.info("%d pins: %d edges, %d dropped", busy, generated, dropped)


@cocotb.test()
async def a_burst_that_fits_the_fifo_loses_none(dut):
    await start(dut)
    length = GEOMETRY.word_fifo_depth * SAMPLES
    for number, source in enumerate(SOURCES):
        run = Run(dut, random.Random(0), random_levels(np.random.default_rng(0), 80, 0.0))
        run.enable, run.filter_ticks = [True] * CHANNELS, [0] * CHANNELS
        first = (BEFORE_CLOCKS + 2) * SAMPLES
        run.levels[number, first : first + length] ^= np.arange(length) % 2 == 0
        await run.play(stalls=0.9)
        assert run.compare() == (length, 0), source
    assert SOURCE_STRIKE in SOURCES
