# SPDX-License-Identifier: Apache-2.0
"""What a beat is to each channel, and how long it stands, against a model of a few lines."""

import random
from functools import partial

import pytest

from plexor.protocol.frames import SOURCE_STEP
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor_hdl.match.accept import PROMPT_ROUND_BIT, ROUND_BIT, Accept

from ..simulation import made, simulate

FULL = Geometry(channels=3, strikes=2, features=ALL_FEATURES)
LEAN = Geometry(channels=3, strikes=2, features=Feature.EVENTS)
MOST_WAIT = 3


def beats_of(geometry, seed, count=150):
    """Return random beats: times that go on by up to three sweeps, one in four without event."""
    rng, time = random.Random(seed), 0
    for _ in range(count):
        time += rng.choice((1, 1 << 10, 1 << ROUND_BIT, 3 << ROUND_BIT, 1 << PROMPT_ROUND_BIT))
        yield {
            "is_event": rng.random() < 0.75,
            "final": 0,
            "event": {
                "time_ticks": time % (1 << 32),
                "source": rng.choice(geometry.sources),
                "polarity": rng.getrandbits(1),
            },
        }


def run(geometry, beats, channels, waits=lambda: 0):
    """Return what was accepted of the beats, as dictionaries, and the clocks of their takings."""
    dut, found, clocks = made(Accept, geometry), [], []

    async def source(ctx):
        for number, channel in enumerate(channels):
            for name, value in channel.items():
                ctx.set(dut.channels[number][name], value)
        for beat in beats:
            ctx.set(dut.i_beat, beat)
            ctx.set(dut.i_valid, 1)
            await ctx.tick().until(dut.i_ready)
            ctx.set(dut.i_valid, 0)
            # What is no longer offered must not be looked at.
            ctx.set(dut.i_beat, {"is_event": 0, "event": {"source": 0, "time_ticks": -1}})
            for _ in range(waits()):
                await ctx.tick()

    async def sink(ctx):
        clock = 0
        while len(found) < len(beats):
            clock += 1
            for _ in range(waits() if ctx.get(dut.valid) else 0):
                await ctx.tick()
                assert ctx.get(dut.valid)
            ctx.set(dut.take, 1)
            _, _, valid, accepted = await ctx.tick().sample(dut.valid, dut.o_accepted)
            ctx.set(dut.take, 0)
            if valid:
                clocks.append(clock)
                event = accepted.beat.event
                found.append(
                    {
                        "time": event.time_ticks,
                        "source": event.source,
                        "own": accepted.own,
                        "struck": accepted.struck,
                        "sweeps": accepted.whole_round,
                        "channel": accepted.channel,
                        "back": accepted.back,
                        "step": accepted.step,
                    }
                )

    simulate(dut, source, sink)
    return found, clocks


def expected(geometry, beats, channels):
    """Return the same by the contract."""
    bit = PROMPT_ROUND_BIT if Feature.SWEEP in geometry.features else ROUND_BIT
    before = 0
    for beat in beats:
        event, is_event = beat["event"], beat["is_event"]
        source, polarity = event["source"], event["polarity"]
        swept = event["time_ticks"] >> bit & 1
        step = Feature.SWEEP in geometry.features and source == SOURCE_STEP
        own = [
            is_event and channel["enable"] and source == number
            for number, channel in enumerate(channels)
        ]
        yield {
            "time": event["time_ticks"],
            "source": source,
            "own": sum(1 << n for n, it_is in enumerate(own) if it_is and polarity),
            "struck": sum(
                1 << n
                for n, channel in enumerate(channels)
                if is_event
                and channel["enable"]
                and source == channel["reference_source"]
                and polarity == channel["reference_polarity"]
            ),
            "sweeps": int(not is_event or swept != before or step),
            "channel": source % 4,
            "back": int(any(own) and not polarity and bool(geometry.features & Feature.FALL)),
            "step": int(is_event and step),
        }
        before = swept


def random_channels(geometry, rng):
    return [
        {
            "enable": rng.random() < 0.8,
            "reference_source": rng.choice(geometry.sources),
            "reference_polarity": rng.getrandbits(1),
        }
        for _ in range(geometry.channels)
    ]


@pytest.mark.parametrize("geometry", [FULL, LEAN], ids=["full", "lean"])
@pytest.mark.parametrize("seed", range(4))
def test_a_beat_is_to_each_channel_what_its_settings_make_of_it(geometry, seed):
    rng = random.Random(seed)
    channels, beats = random_channels(geometry, rng), list(beats_of(geometry, seed))
    found, _ = run(geometry, beats, channels, partial(rng.randrange, MOST_WAIT))
    assert found == list(expected(geometry, beats, channels))


def test_beats_that_are_taken_at_once_come_each_2_clocks():
    beats = list(beats_of(LEAN, 7, 20))
    _, clocks = run(LEAN, beats, random_channels(LEAN, random.Random(7)))
    assert clocks == list(range(clocks[0], clocks[0] + 40, 2))


def test_nothing_is_held_after_a_reset_and_after_a_take_and_a_take_of_nothing_is_ignored():
    dut = made(Accept, LEAN)

    async def bench(ctx):
        ctx.set(dut.take, 1)
        for _ in range(3):
            assert (ctx.get(dut.valid), ctx.get(dut.i_ready)) == (0, 1)
            await ctx.tick()
        ctx.set(dut.take, 0)
        ctx.set(dut.i_valid, 1)
        await ctx.tick()
        assert (ctx.get(dut.valid), ctx.get(dut.i_ready)) == (1, 0)
        ctx.set(dut.i_valid, 0)
        ctx.set(dut.take, 1)
        await ctx.tick()
        assert (ctx.get(dut.valid), ctx.get(dut.i_ready)) == (0, 1)

    simulate(dut, bench)
