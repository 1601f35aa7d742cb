# SPDX-License-Identifier: Apache-2.0
"""Step records: both banks' counts added up, the step's own extremes, and who reads meanwhile."""

import random

import pytest

from plexor.protocol.geometry import STEP_CLOCKS, Geometry
from plexor.protocol.memory import CLASSES, STATISTICS, STEP, ResponseClass
from plexor_hdl.interfaces import READ_CLOCKS, Kind
from plexor_hdl.results.counts import COPY_CLOCKS, COPY_WAIT
from plexor_hdl.results.records import Records
from plexor_hdl.results.step_copies import StepCopies

from ..simulation import made, simulate

RECORD_WORDS = STEP.size_bytes // 4
WORDS = 11
"""That are read of each record of statistics or, as many clocks, are of something else."""
MASK = (1 << 64) - 1
WIDTHS = (47, 64, 64, 31, *[64] * 6)
"""Bits of the fields of statistics, of which the sum of two is kept."""


class Memory:
    """Counts of both banks of one space, of which a word is there as Records has it while idle."""

    def __init__(self, port, rng):
        self.port, self.rng, self.words, self.due = port, rng, [[], []], []

    def fill(self, entries, bits, widths):
        """Fill both banks with random fields of at most these bits; return the fields' values."""
        values = [
            [
                self.rng.getrandbits(min(self.rng.choice(bits), widths[n % len(widths)]))
                for n in range(entries)
            ]
            for _ in "01"
        ]
        for bank, row in enumerate(values):
            self.words[bank] = [word for v in row for word in (v & 0xFFFFFFFF, v >> 32)]
        return values

    def clock(self, ctx):
        """Give a word IDLE_DELAY clocks after its address came, if that stood; else anything."""
        self.due.append((ctx.get(self.port.address), ctx.get(self.port.bank)))
        stood = self.due[-1 - Records.IDLE_DELAY :][: Records.STAND_CLOCKS]
        word = self.rng.getrandbits(32)
        if len(set(stood)) == 1:
            address, bank = stood[0]
            row = self.words[bank]
            word = row[address] if address < len(row) else 0
        ctx.set(self.port.data, word)


class Classes:
    """Counts of both banks of Space.CLASSES, a chunk of them each clock."""

    def __init__(self, dut, rng):
        self.dut, self.rng, self.due, self.rose = dut, rng, [], 0

    def fill(self, entries, bits):
        self.values = [
            [self.rng.getrandbits(self.rng.choice(bits)) for _ in range(entries)] for _ in "01"
        ]
        return self.values

    def clock(self, ctx):
        dut = self.dut
        self.rose = self.rose + 1 if ctx.get(dut.copying) else 0
        copy = ctx.get(dut.copy)
        self.due.append((copy.bank, copy.channel * CLASSES + copy.response_class, copy.chunk))
        word = self.rng.getrandbits(16)
        if self.rose >= COPY_WAIT + COPY_CLOCKS:
            bank, entry, chunk = self.due[-1 - COPY_CLOCKS]
            if entry < len(self.values[bank]):
                word = self.values[bank][entry] >> 16 * chunk & 0xFFFF
        ctx.set(dut.copy_word, word)


def recorded(channels, steps, seed, *, samples=40):
    """Record so many steps of random counts; return what is read back and what is expected."""
    rng = random.Random(seed)
    geometry = Geometry(channels=channels, table_steps=4)
    dut = made(StepCopies, geometry)
    key_bits = (channels - 1).bit_length()
    expected, found, taken = [], [], []

    async def drive(ctx):
        classes = Classes(dut, rng)
        statistics = Memory(dut.statistics, rng)

        async def tick(count=1):
            for _ in range(count):
                await ctx.tick()
                classes.clock(ctx)
                statistics.clock(ctx)

        ctx.set(dut.on, 1)
        ctx.set(dut.clear, 1)
        classes.fill(channels * CLASSES, (3,))
        await tick()
        ctx.set(dut.clear, 0)
        for step in range(steps):
            extremes = {}
            ctx.set(dut.i_valid, 1)
            for number in range(samples):
                kind, channel = rng.choice(list(Kind)), number % max(channels, 5)
                # Some that differ in few bits.
                value = rng.choice((rng.randrange(-(1 << 31), 1 << 31), rng.randrange(-2, 3)))
                ctx.set(dut.i_ready, channel < channels)
                ctx.set(dut.i_measured.kind, kind)
                ctx.set(dut.i_measured.channel, channel % channels)
                ctx.set(dut.i_measured.value_ticks, value)
                if channel < channels and kind == Kind.RISE:
                    extremes.setdefault(channel, []).append(value)
                await tick()
            ctx.set(dut.i_valid, 0)
            end = rng.getrandbits(64)
            final = step == steps - 1
            strobe = dut.final_stb if final else dut.step_stb
            ctx.set(strobe, 1)
            await tick()
            ctx.set(strobe, 0)
            ctx.set(dut.end_ticks, end)
            await tick()
            ctx.set(dut.end_ticks, 0)
            counts = classes.fill(channels * CLASSES, (3, 32, 33, 48))
            fields = STATISTICS.size_bytes // 8
            sums = statistics.fill(channels * fields, (3, 40, 64), WIDTHS)
            pending = [rng.randrange(100) for _ in range(channels)]
            for channel, value in enumerate(pending):
                ctx.set(dut.pending[channel], value)
            # What is on its way.
            busy = rng.choice((dut.counts_idle, dut.results_idle))
            ctx.set(dut.counts_idle, 1)
            ctx.set(dut.results_idle, 1)
            ctx.set(busy, 0)
            for _ in range(rng.randrange(30)):
                assert not ctx.get(dut.copying)
                assert not ctx.get(dut.reading)
                await tick()
            ctx.set(busy, 1)
            clocks = 0
            while not ctx.get(dut.done_stb):
                assert not ctx.get(dut.final_seen)
                await tick()
                clocks += 1
            assert ctx.get(dut.final_seen) == final
            taken.append(clocks)
            for channel in range(channels):
                expected.append(record(channel, counts, sums, extremes, pending, end))
        ctx.set(dut.on, 1)
        await tick()
        assert ctx.get(dut.step) == steps
        for place in range((steps + 1) << key_bits):
            words = []
            for word in range(RECORD_WORDS):
                ctx.set(dut.read.address, place * RECORD_WORDS + word)
                await tick(READ_CLOCKS)
                words.append(ctx.get(dut.read.data))
                assert ctx.get(dut.read.some) == (place >> key_bits < steps)
            data = b"".join(word.to_bytes(4, "little") for word in words)
            if place % (1 << key_bits) < channels:
                found.append(STEP.unpack(data))
        # A clear forgets what is still in the memory.
        ctx.set(dut.clear, 1)
        await tick()
        ctx.set(dut.clear, 0)
        for word in range(RECORD_WORDS):
            ctx.set(dut.read.address, word)
            await tick(READ_CLOCKS + 1)
            assert not ctx.get(dut.read.data)

    def record(channel, counts, sums, extremes, pending, end):
        row = STATISTICS.size_bytes // 8 * channel
        values = extremes.get(channel, [0])
        squares = [bank[row + 2] | bank[row + 3] << 64 for bank in sums]
        total = sum(squares) % (1 << 128)
        signed = sum(bank[row + 1] for bank in sums) & MASK
        return {
            **{
                kind.name.lower(): sum(bank[channel * CLASSES + kind] for bank in counts)
                % (1 << 48)
                for kind in ResponseClass
            },
            "count": sum(bank[row] for bank in sums) & MASK,
            "sum_ticks": signed - (signed >> 63 << 64),
            "sum_sq_low_ticks2": total & MASK,
            "sum_sq_high_ticks2": total >> 64,
            "min_ticks": min(values),
            "max_ticks": max(values),
            "pending": pending[channel],
            "end_ticks": end,
        }

    simulate(dut, drive)
    return found, expected, taken


@pytest.mark.parametrize(
    "channels", [1, 3, *(pytest.param(n, marks=pytest.mark.full) for n in (4, 8))]
)
def test_records_are_the_banks_sums_and_the_steps_extremes(channels):
    found, expected, taken = recorded(channels, 3, seed=channels)
    for one, other in zip(found, expected, strict=False):
        assert one == other
    blank = [dict.fromkeys(expected[0], 0)] * channels
    assert found == expected + blank
    length = 2 * WORDS * Records.STAND_CLOCKS * channels
    assert all(length < each <= length + 40 for each in taken)
    # Done before the next step strikes.
    assert max(taken) < STEP_CLOCKS


def test_all_steps_that_the_table_has_are_kept():
    found, expected, _ = recorded(2, 4, seed=9, samples=4)
    assert found[: len(expected)] == expected
