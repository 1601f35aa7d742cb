# SPDX-License-Identifier: Apache-2.0
"""Generations, against queues that know with which beat each strike came."""

import random

import pytest

from plexor.protocol.geometry import Geometry
from plexor_hdl.match.generations import Generations

from ..simulation import made, simulate

DEPTH, CHANNELS = 4, 2
GEOMETRY = Geometry(channels=CHANNELS, queue_depth=DEPTH)
BEATS = 500
LOOK_CLOCKS = 8


class Truth:
    """Queues of channels and what they hold of responses: numbers of the beats they came with."""

    def __init__(self) -> None:
        self.queues = [[] for _ in range(CHANNELS)]
        self.heads, self.held = [0] * CHANNELS, [None] * CHANNELS

    def oldest(self) -> int | None:
        """Return the number of the beat that what is left came with first."""
        left = [queue[0] for queue in self.queues if queue]
        return min([*left, *(held for held in self.held if held is not None)], default=None)

    def show(self, ctx, dut) -> None:
        """Show the queues to the gateware."""
        for channel, queue in enumerate(self.queues):
            ctx.set(dut.heads[channel], self.heads[channel] % DEPTH)
            ctx.set(dut.tails[channel], (self.heads[channel] + len(queue)) % DEPTH)
            ctx.set(dut.some[channel], bool(queue))
            ctx.set(dut.held[channel], self.held[channel] is not None)


def run(beats, fresh=0.0, seed=0) -> list[tuple[bool, bool]]:
    """Return of each beat if nothing was left from before the last generation, and if it turned.

    A beat is `quiet` or not; channels that it strikes; and a channel whose oldest strike leaves,
    and one whose response comes or goes.
    """
    dut, truth, chance, found = made(Generations, GEOMETRY), Truth(), random.Random(seed), []

    async def bench(ctx):
        began, is_fresh, pop = 0, True, None
        for number, (quiet, struck, pops, holds) in enumerate(beats):
            # What a look has found leaves as the next beat is taken.
            ctx.set(dut.taken, 1)
            if pop is not None:
                ctx.set(dut.popped, 1 << pop)
            await ctx.tick()
            if pop is not None:
                truth.queues[pop].pop(0)
                truth.heads[pop] += 1
            ctx.set(dut.popped, 0)
            ctx.set(dut.taken, 0)
            ctx.set(dut.fresh, is_fresh)
            ctx.set(dut.quiet, quiet)
            truth.show(ctx, dut)
            oldest = truth.oldest()
            gone = is_fresh or oldest is None or oldest >= began
            await ctx.tick()
            for channel in struck:
                if len(truth.queues[channel]) < DEPTH:
                    truth.queues[channel].append(number)
            truth.show(ctx, dut)
            turns = bool(ctx.get(dut.turn))
            found.append((gone, turns))
            if turns:
                began, is_fresh = number, False
            elif chance.random() < fresh:
                is_fresh = True
            pop = pops if pops is not None and truth.queues[pops] else None
            if pop is not None or holds is not None:
                await ctx.tick().repeat(LOOK_CLOCKS - 2)
                ctx.set(dut.fresh, is_fresh)
                if holds is not None:
                    held = truth.held[holds] is not None
                    truth.held[holds] = None if held else number
                    truth.show(ctx, dut)

    simulate(dut, bench)
    return found


def random_beats(seed: int, busy: float, holding: bool):
    """Return beats of which some strike and more answer."""
    chance = random.Random(seed)
    for _ in range(BEATS):
        struck = [channel for channel in range(CHANNELS) if chance.random() < busy]
        pops = chance.randrange(CHANNELS) if chance.random() < 0.8 else None
        holds = chance.randrange(CHANNELS) if holding and chance.random() < busy / 3 else None
        yield chance.random() < 0.05, struck, pops, holds


@pytest.mark.parametrize("seeds", [1, pytest.param(3, marks=pytest.mark.full)])
@pytest.mark.parametrize("holding", [False, True])
@pytest.mark.parametrize("busy", [0.1, 0.3, 0.6])
def test_a_generation_begins_once_all_from_before_the_last_one_are_gone_and_not_before(
    busy, holding, seeds
):
    for seed in range(seeds):
        beats = list(random_beats(seed, busy, holding))
        found = run(beats, 0.02, seed)
        for number, ((gone, turns), (quiet, *_)) in enumerate(zip(found, beats, strict=True)):
            assert not turns or (gone and not quiet), (seed, number)
            # What comes and goes by itself is seen a clock later than what is popped.
            assert turns or not gone or quiet or any(held for *_, held in beats), (seed, number)


def test_the_beat_right_behind_the_last_answer_begins_a_generation_though_it_strikes():
    nothing = (False, [], None, None)
    beats = [nothing, (False, [0, 1], None, None), (False, [], 0, None), (False, [0], 1, None)]
    # The third beat finds both waiting; the fifth finds them gone, but for one that is younger.
    found = run([*beats, (False, [1], 0, None), nothing])
    assert [turns for _, turns in found] == [True, True, True, False, True, True]


def test_a_full_queue_is_gone_with_its_youngest_strike():
    strikes = [(False, [0], None, None)] * DEPTH
    answers = [(False, [], 0, None)] * DEPTH
    found = run([(True, [], None, None), *strikes[1:], (True, [0], None, None), *answers, *answers])
    turns = [turns for _, turns in found]
    assert all(gone for (gone, turn) in found if turn)
    assert turns[-DEPTH:] == [True] * DEPTH
