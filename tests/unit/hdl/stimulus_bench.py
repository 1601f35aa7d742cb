# SPDX-License-Identifier: Apache-2.0
"""A stimulus and a monitor that sees nothing but its words."""

from itertools import takewhile

import pytest

from plexor.protocol.geometry import ALL_FEATURES, TRIGGER_CLOCKS, Geometry
from plexor.protocol.registers import Trigger
from plexor_hdl.stimulus.stimulus import Stimulus

from .simulation import made, simulate
from .stimulus_truth import rises

SETTLE_CLOCKS = 24


def of_builds(*features):
    """Run a test for builds with these features; the full test for that with all too."""
    lean = [pytest.param(feature, id=str(feature.name or "lean")) for feature in features]
    rich = pytest.param(ALL_FEATURES, id="all", marks=pytest.mark.full)
    return pytest.mark.parametrize("features", [*lean, rich])


def bench(samples, settings, clocks, *, trigger=Trigger.RUN, source=0, drive=None, **geometry):
    """Return (word, strike_stb, done) of each clock; clock 0 is start_stb's.

    `drive` maps a clock to the inputs it changes; start_stb, strikes and code_stb fall again by
    themselves.
    """
    dut = made(Stimulus, Geometry(samples=samples, **geometry), 0)
    drive = {0: {"start_stb": 1}} if drive is None else drive
    seen = []

    async def run(ctx):
        for name, value in vars(settings).items():
            ctx.set(getattr(dut.config, name), value)
        ctx.set(dut.config.enable, 1)
        ctx.set(dut.config.trigger, trigger)
        ctx.set(dut.config.trigger_source, source)
        await ctx.tick().repeat(SETTLE_CLOCKS)
        for clock in range(clocks):
            if clock in drive:
                for name, value in drive[clock].items():
                    ctx.set(getattr(dut, name), value)
            seen.append((ctx.get(dut.word), ctx.get(dut.strike_stb), ctx.get(dut.done)))
            await ctx.tick()
            if clock in drive:
                ctx.set(dut.start_stb, 0)
                ctx.set(dut.strikes, 0)
                ctx.set(dut.code_stb, 0)

    simulate(dut, run)
    return seen


def edges(seen, samples, origin=TRIGGER_CLOCKS):
    """Return (rises, falls) in ticks, tick 0 at bit 0 of the word of clock `origin`."""
    levels = [word >> bit & 1 for word, _, _ in seen for bit in range(samples)]
    zero = origin * samples
    changes = [
        (tick - zero, level)
        for tick, (before, level) in enumerate(zip([0, *levels], levels, strict=False))
        if before != level
    ]
    return [t for t, level in changes if level], [t for t, level in changes if not level]


def expected(settings, samples, clocks, origin=TRIGGER_CLOCKS):
    """Return (rises, falls) of the sequence in so many clocks."""
    end = (clocks - origin) * samples
    up = list(takewhile(lambda tick: tick < end, rises(settings, samples)))
    return up, [t + settings.width_ticks for t in up if t + settings.width_ticks < end]


def check(samples, settings, clocks, **geometry):
    """Assert that rises, falls and strike_stb are what the truth says."""
    seen = bench(samples, settings, clocks, **geometry)
    up, down = expected(settings, samples, clocks)
    assert up, "the case is about strikes"
    assert edges(seen, samples) == (up, down)
    strobes = [clock for clock, (_, strobe, _) in enumerate(seen) if strobe]
    assert strobes == sorted({tick // samples + TRIGGER_CLOCKS for tick in up})
