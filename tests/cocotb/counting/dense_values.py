# SPDX-License-Identifier: Apache-2.0
"""cocotb side: every word is the golden model's, also that of a snapshot while others count."""

import os
import random

import cocotb
import numpy as np
from clocked import Driver, Packing, clocks, start
from shapes import geometry_of

from plexor.protocol.memory import (
    HISTOGRAM_SPACES,
    KINDS,
    VALUE_MOST,
    Space,
    entries,
    entry_words,
    first_bin,
    key,
    mantissa_bits,
)
from plexor_hdl.interfaces import SPACE_ADDRESS_BITS, Kind, Measured
from plexor_hdl.results.results import Results, spaces_of
from plexor_sim.golden import memory
from plexor_sim.golden.matcher import Samples

CHANNELS, COUNT = (int(os.environ[name]) for name in ("CHANNELS", "COUNT"))
GEOMETRY = geometry_of(CHANNELS)
VALUE = Packing(Measured(GEOMETRY))
SPACES = spaces_of(GEOMETRY)
ZOOMS = (Space.LATENCY_ZOOM, Space.INTERVAL_ZOOM)
OUTSIDE = 1 << SPACE_ADDRESS_BITS - 1
SNAPSHOTS = 3
MOST_CLOCKS = 1 << 18
"""For anything but values to be over: clearing, folding."""


class Reader:
    """An Agent: reads all words of one space after the other, bins as they are, else of a bank."""

    def __init__(self, dut, bank: int) -> None:
        self._ports = [
            (getattr(dut, f"reads__{n}__address"), getattr(dut, f"reads__{n}__data"))
            for n in range(len(SPACES))
        ]
        for number in range(len(SPACES)):
            getattr(dut, f"reads__{number}__bank").value = bank
            self._ports[number][0].value = OUTSIDE
        self.words: dict[Space, list[int]] = {space: [] for space in SPACES}
        self._plan = [
            (number, space, address)
            for number, space in enumerate(SPACES)
            for address in range(entries(GEOMETRY, space) * entry_words(space))
        ]
        self._next = self._left = 0

    @property
    def done(self) -> bool:
        """All words were read."""
        return self._next == len(self._plan) and not self._left

    def clock(self) -> None:
        """See Agent."""
        if self._left:
            self._left -= 1
            if self._left:
                return
            number, space, _ = self._plan[self._next - 1]
            self.words[space].append(int(self._ports[number][1].value))
            self._ports[number][0].value = OUTSIDE
        if self._next < len(self._plan):
            number, _, address = self._plan[self._next]
            self._ports[number][0].value = address
            # What stands now is of the clock that ends.
            self._next, self._left = self._next + 1, Results.WORD_CLOCKS + 1


def random_value(rng: random.Random, kind: Kind) -> int:
    """Return small, close, wide, negative and greatest values."""
    least = -(1 << rng.randrange(32)) if kind < Kind.WIDTH else 0
    return rng.choice(
        (
            rng.randrange(8),
            100 + rng.randrange(4),
            rng.getrandbits(rng.randrange(1, 32)),
            max(least, -(1 << 31)),
            VALUE_MOST,
            VALUE_MOST - 1,
        )
    )


def random_values(rng: random.Random, count: int, bank: int, first_index: int):
    """Return values; some kinds and channels come many times in a row."""
    values, kind, channel = [], Kind.RISE, 0
    for number in range(count):
        if rng.random() < 0.5:
            kind, channel = rng.choice(list(Kind)), rng.randrange(CHANNELS)
        values.append(
            {
                "kind": kind,
                "channel": channel,
                "value_ticks": random_value(rng, kind),
                "index": first_index + number,
                "time_ticks": (1 << 40) + 7 * (first_index + number),
                "bank": bank,
            }
        )
    return values


def packed(value) -> int:
    """Return a value's bits; its bank is not among them."""
    return VALUE.pack({name: part for name, part in value.items() if name != "bank"})


def samples_of(values) -> Samples:
    """Return values for the golden model."""
    columns = ([s[name] for s in values] for name in ("value_ticks", "index", "time_ticks"))
    return Samples(*(np.array(column, np.int64) for column in columns))


def expected(values, bank: int, firsts: dict) -> dict[Space, list[int]]:
    """Return the words of each space: bins of all values, records of those of one bank."""
    words = {space: np.zeros(entries(GEOMETRY, space) * entry_words(space)) for space in SPACES}
    for space, into in words.items():
        intervals = space in (Space.INTERVAL_STATISTICS, Space.INTERVAL_BINS, Space.INTERVAL_ZOOM)
        for part in range(KINDS):
            kind = part + KINDS * intervals
            for channel in range(CHANNELS):
                ours = [v for v in values if (v["kind"], v["channel"]) == (kind, channel)]
                if space in HISTOGRAM_SPACES:
                    place = first_bin(GEOMETRY, space, part, channel)
                    samples = samples_of(ours)
                    if space in ZOOMS:
                        first = firsts[kind, channel]
                        row = memory.zoom_counts(samples, first, GEOMETRY.zoom_bits)
                    else:
                        row = memory.log_counts(samples, mantissa_bits(GEOMETRY, space, part))
                else:
                    found = memory.statistics(
                        samples_of([v for v in ours if v["bank"] == bank]), GEOMETRY.features
                    )
                    row = np.frombuffer(memory.pack_statistics(found), "<u4")
                    place = key(GEOMETRY, part, channel) * len(row)
                into[place : place + len(row)] = row
    return {space: into.astype(np.int64).tolist() for space, into in words.items()}


async def same(dut, values, bank: int, firsts: dict, *agents) -> None:
    """Read all words while other agents go on; assert that they are those of the values."""
    reader, wanted = Reader(dut, bank), expected(values, bank, firsts)
    most = (Results.WORD_CLOCKS + 2) * sum(map(len, wanted.values()))
    await clocks(dut, most, reader, *agents, until=lambda: reader.done)
    for space, words in wanted.items():
        assert reader.words[space] == words, space.name


async def clear(dut, rng: random.Random) -> dict:
    """Zero every memory; give each window a first tick, and return these."""
    dut.clear_stb.value = 1
    await clocks(dut, 1)
    dut.clear_stb.value = 0
    await clocks(dut, 3)
    await clocks(dut, MOST_CLOCKS, until=lambda: not dut.clear_busy.value)
    firsts = {}
    for kind in Kind:
        for channel in range(CHANNELS):
            first = rng.choice((0, 90, -5, rng.getrandbits(20)))
            firsts[kind, channel] = first
            dut.zoom_place.value = kind << GEOMETRY.key_bits | channel
            dut.zoom_data.value = first & 0xFFFFFFFF
            dut.zoom_stb.value = 1
            await clocks(dut, 1)
    dut.zoom_stb.value = 0
    return firsts


@cocotb.test()
async def snapshots_are_coherent_and_every_word_is_right(dut):
    await start(dut)
    rng = random.Random(3)
    for pauses in (0.0, 0.3):
        firsts = await clear(dut, rng)
        values, bank = [], 0
        dut.bank.value = 0
        for number in range(SNAPSHOTS + 1):
            given = random_values(rng, COUNT // 2 // (SNAPSHOTS + 1), bank, len(values))
            driver = Driver(dut, "i_measured", map(packed, given), rng, pauses)
            if number:
                # What stood is read while others count.
                await same(dut, values, bank ^ 1, firsts, driver)
            dut.frozen.value = 0
            values += given
            await clocks(dut, 20 * COUNT, driver, until=lambda driver=driver: driver.done)
            await clocks(dut, 8)
            still = lambda: dut.idle.value and not dut.folding.value  # noqa: E731
            await clocks(dut, MOST_CLOCKS, until=still)
            if number < SNAPSHOTS:
                bank ^= 1
                dut.bank.value, dut.frozen.value = bank, 1
                await clocks(dut, 2)
        for each in (0, 1):
            await same(dut, values, each, firsts)
        assert not dut.saturated.value
        dut._log.info("%d values", len(values))
