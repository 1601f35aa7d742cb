# SPDX-License-Identifier: Apache-2.0
"""The code in force as beats carry it, and codes as the tables of codes are told of them."""

import random

import pytest

from plexor.protocol.frames import SOURCE_CODE
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import CodeMode
from plexor_hdl.capture.capture import Capture

from ..simulation import made, simulate

START = 12
GEOMETRY = Geometry(
    channels=1,
    strikes=1,
    code_bits=8,
    word_fifo_depth=16,
    features=Feature.EVENTS | Feature.CODES,
)


def captured(codes, toggles, zone_mask=0, hold=lambda clock: False):
    """Return beats (time, source, code in force) and codes told (time, code) of a run."""
    dut, beats, told = made(Capture, GEOMETRY), [], []
    levels, last = dict(codes), max(codes)[0] + 120

    async def drive(ctx):
        ctx.set(dut.code.mode, CodeMode.CHANGE)
        ctx.set(dut.code.mask, 0xFF)
        ctx.set(dut.code.settle_clocks, 1)
        ctx.set(dut.code.zone_mask, zone_mask)
        ctx.set(dut.channels[0].enable, 1)
        ctx.set(dut.o_ready, 1)
        level, code = 0, 0
        for clock in range(last):
            ctx.set(dut.low, clock)
            ctx.set(dut.hold, hold(clock))
            code = levels.get(clock, code)
            ctx.set(dut.codes, code)
            word = -(clock - 1 in toggles) ^ -level
            level ^= clock - 1 in toggles
            ctx.set(dut.words[1], word & (1 << GEOMETRY.samples) - 1)
            ctx.set(dut.capture, START < clock < last - 60)
            stands = ctx.get(dut.o_valid) and ctx.get(dut.o_beat.is_event)
            if ctx.get(dut.code_stb):
                told.append((ctx.get(dut.event.time_ticks), ctx.get(dut.code_value.code)))
            if stands:
                event = ctx.get(dut.o_beat.event)
                beats.append((event.time_ticks, event.source, ctx.get(dut.o_beat.code)))
            await ctx.tick()

    simulate(dut, drive)
    return beats, told


def planted(seed, gaps):
    """Return (clock, code) of codes, each another than the one before, and a channel's toggles."""
    rng, clock, code, codes = random.Random(seed), START + 3, 0, []
    for _ in range(60):
        code ^= rng.randrange(1, 256)
        codes.append((clock, code))
        clock += rng.choice(gaps)
    return codes, {rng.randrange(START + 2, clock) for _ in range(60)}


@pytest.mark.parametrize(
    "zone_mask", [0x5A5A, *(pytest.param(n, marks=pytest.mark.full) for n in (0, 0xFFFF))]
)
@pytest.mark.parametrize("hold", [lambda clock: False, lambda clock: clock % 40 < 25])
def test_each_beat_carries_the_last_code_before_it_sent_or_not(zone_mask, hold):
    codes, toggles = planted(3, (3, 4, 7, 30))
    beats, told = captured(codes, toggles, zone_mask, hold)
    samples = GEOMETRY.samples
    offset = told[0][0] - codes[0][0] * samples
    assert told == [(clock * samples + offset, code) for clock, code in codes]
    sent = [code for clock, code in codes if not zone_mask >> (code >> 4) & 1]
    assert sum(source == SOURCE_CODE for _, source, _ in beats) == len(sent)
    others = [(time, code) for time, source, code in beats if source != SOURCE_CODE]
    assert len(others) == len(toggles)
    for time, code in others:
        before = [value for at, value in told if at < time]
        assert code == (before[-1] if before else 0)
