"""Step records: both banks' counts added up, the step's own extremes, and who reads meanwhile."""

import random

import pytest

from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import CLASSES, STATISTICS, STEP, ResponseClass
from plexor_hdl.interfaces import READ_CLOCKS
from plexor_hdl.step_records import SETTLE_CLOCKS, StepRecords

from .simulation import made, simulate

RECORD_WORDS = STEP.size_bytes // 4
MASK = (1 << 64) - 1


class Memory:
    """Counts of both banks of one space, and a word of them each clock, as SpaceRead has it."""

    def __init__(self, port, rng, words):
        self.port, self.rng, self.words, self.due = port, rng, words, []

    def fill(self, entries, bits):
        """Fill both banks with random fields of at most these bits; return the fields' values."""
        values = [
            [self.rng.getrandbits(self.rng.choice(bits)) for _ in range(entries)] for _ in "01"
        ]
        for bank, row in enumerate(values):
            self.words[bank] = [word for v in row for word in (v & 0xFFFFFFFF, v >> 32)]
        return values

    def clock(self, ctx):
        self.due.append((ctx.get(self.port.address), ctx.get(self.port.bank)))
        address, bank = self.due[-1 - READ_CLOCKS] if len(self.due) > READ_CLOCKS else (0, 0)
        row = self.words[bank]
        ctx.set(self.port.data, row[address] if address < len(row) else 0)


def recorded(channels, steps, seed, *, samples=40):
    """Record so many steps of random counts; return what is read back and what is expected."""
    rng = random.Random(seed)
    dut = made(StepRecords, Geometry(channels=channels))
    key_bits = (channels - 1).bit_length()
    expected, found, taken = [], [], []

    async def drive(ctx):
        classes = Memory(dut.classes, rng, [[], []])
        statistics = Memory(dut.statistics, rng, [[], []])

        async def tick(count=1):
            for _ in range(count):
                await ctx.tick()
                classes.clock(ctx)
                statistics.clock(ctx)

        ctx.set(dut.on, 1)
        ctx.set(dut.clear, 1)
        await tick()
        ctx.set(dut.clear, 0)
        for step in range(steps):
            extremes = {}
            ctx.set(dut.i_valid, 1)
            for number in range(samples):
                kind, channel = rng.randrange(2), number % max(channels, 4)
                value = rng.randrange(-(1 << 31), 1 << 31)
                ctx.set(dut.i_valid, channel < channels)
                ctx.set(dut.i_sample.key, kind << key_bits | channel % channels)
                ctx.set(dut.i_sample.value_ticks, value)
                if channel < channels and not kind:
                    extremes.setdefault(channel, []).append(value)
                await tick()
            ctx.set(dut.i_valid, 0)
            end = rng.getrandbits(64)
            ctx.set(dut.end_ticks, end)
            final = step == steps - 1
            strobe = dut.final_stb if final else dut.step_stb
            ctx.set(strobe, 1)
            await tick()
            ctx.set(strobe, 0)
            ctx.set(dut.end_ticks, 0)
            counts = classes.fill(channels * CLASSES, (3, 32, 33, 48))
            fields = STATISTICS.size_bytes // 8
            sums = statistics.fill(channels * fields, (3, 63, 64))
            pending = [rng.randrange(100) for _ in range(channels)]
            for channel, value in enumerate(pending):
                ctx.set(dut.pending[channel], value)
            clocks = 1
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
            data = b"".join(word.to_bytes(4, "little") for word in words)
            if place % (1 << key_bits) < channels:
                found.append(STEP.unpack(data))

    def record(channel, counts, sums, extremes, pending, end):
        row = STATISTICS.size_bytes // 8 * channel
        values = extremes.get(channel, [0])
        squares = [bank[row + 2] | bank[row + 3] << 64 for bank in sums]
        total = sum(squares) % (1 << 128)
        signed = sum(bank[row + 1] for bank in sums) & MASK
        return {
            **{
                kind.name.lower(): sum(bank[channel * CLASSES + kind] for bank in counts)
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


@pytest.mark.parametrize("channels", [1, 3, 4, 8])
def test_records_are_the_banks_sums_and_the_steps_extremes(channels):
    found, expected, taken = recorded(channels, 3, seed=channels)
    blank = [dict.fromkeys(expected[0], 0)] * channels
    assert found == expected + blank
    length = SETTLE_CLOCKS + READ_CLOCKS + 4 + RECORD_WORDS * channels
    assert taken == [length] * 3
