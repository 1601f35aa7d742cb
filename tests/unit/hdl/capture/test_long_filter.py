# SPDX-License-Identifier: Apache-2.0
"""The long glitch filter: which queued words pass, by a model that looks at samples."""

import random

import pytest

from plexor.protocol.geometry import LONG_FILTER_CLOCKS, Feature, Geometry, hold_clocks
from plexor_hdl.capture.long_filter import LongFilter

from ..simulation import made

CLEAR_CLOCKS = LONG_FILTER_CLOCKS + 20
RUN_CLOCKS = 700
DEPTH = 64


def filtered(levels, least):
    """Return the levels after the filter, sample by sample; it begins low.

    The last level lasts for ever.
    """
    out, held, runs = [], 0, []
    for level in levels:
        if runs and runs[-1][0] == level:
            runs[-1][1] += 1
        else:
            runs.append([level, 1])
    for number, (level, count) in enumerate(runs):
        if count >= least or number == len(runs) - 1:
            held = level
        out += [held] * count
    return out


def edges_of(levels):
    return [place for place in range(1, len(levels)) if levels[place] != levels[place - 1]]


def random_levels(rng, samples, least, count):
    """Return levels that last `samples` or more, most of them near to `least`."""
    levels, level = [], rng.randrange(2)
    while len(levels) < count:
        near = max(samples, least + rng.randrange(-3, 4))
        levels += [level] * rng.choice((samples, samples + 1, near, near, least + 5 * samples))
        level = 1 - level
    return levels[:count]


def passed(bench, samples, ticks, levels, kept, clear_clock=0):
    """Return the run's words that were queued, and of these the ones that passed; and how many were
    removed. `kept` says whether a word is.
    """
    geometry = Geometry(samples=samples, word_fifo_depth=DEPTH, features=Feature(0))
    dut, queued, found, removed = made(LongFilter, geometry), [], [], []
    wait = hold_clocks(ticks // samples) + 4
    waiting, marks = [], [0, 0]

    async def drive(ctx):
        ctx.set(dut.ticks, ticks)
        last, taken = 0, None
        for clock in range(CLEAR_CLOCKS + RUN_CLOCKS + wait + 2 * DEPTH):
            ctx.set(dut.clear, clock == clear_clock)
            at = min(clock * samples, len(levels) - samples)
            word = levels[at : at + samples]
            ctx.set(dut.word, sum(level << bit for bit, level in enumerate(word)))
            live = CLEAR_CLOCKS <= clock < CLEAR_CLOCKS + RUN_CLOCKS
            ctx.set(dut.capture, live)
            some = live and (word[-1] != last)
            marks.append(some and kept(clock))
            if marks[-1]:
                queued.append(clock)
                waiting.append((clock + wait, clock, word[-1]))
            last = word[-1]
            ctx.set(dut.kept, marks[-3])
            if taken is not None:
                ctx.set(dut.level, taken[2])
                found.extend([taken[1]] * ctx.get(dut.passes))
            removed.append(ctx.get(dut.removed))
            taken = None
            take = bool(waiting) and waiting[0][0] <= clock and clock % 2 == 0
            ctx.set(dut.take, take)
            if take:
                taken = waiting.pop(0)
            await ctx.tick()

    bench.simulate(dut, drive)
    assert not waiting
    return queued, found, sum(removed)


@pytest.mark.parametrize("samples", [4, 8, 16])
def test_words_pass_whose_edges_a_model_on_samples_keeps(bench, samples):
    for ticks in (samples + 1, samples + 3, 5 * samples, 16 * samples + 1, 128 * samples - 1):
        rng = random.Random(ticks)
        levels = random_levels(rng, samples, ticks, (CLEAR_CLOCKS + RUN_CLOCKS + 300) * samples)
        queued, found, removed = passed(bench, samples, ticks, levels, lambda clock: True)
        truth = [place // samples for place in edges_of(filtered(levels, ticks))]
        assert found == [clock for clock in truth if clock in set(queued)], ticks
        assert 0 < len(found) < len(queued), ticks
        assert removed == len(queued) - len(found)


def test_a_dropped_word_is_near_to_others_all_the_same(bench):
    rng, samples, ticks = random.Random(9), 8, 100
    levels = random_levels(rng, samples, ticks, (CLEAR_CLOCKS + RUN_CLOCKS + 300) * samples)
    queued, found, removed = passed(bench, samples, ticks, levels, lambda _: rng.random() < 0.7)
    lasts = {place for place, after in zip(*_pairs(levels), strict=True) if after - place >= ticks}
    # An edge that does not last never passes; one that lasts does, if its level is a new one.
    places = [place for place in edges_of(levels) if place >= CLEAR_CLOCKS * samples]
    held, truth = filtered(levels, ticks)[places[0] - 1], []
    for place in places:
        clock = place // samples
        if clock in set(queued) and place in lasts:
            truth += [clock] * (levels[place] != held)
            held = levels[place]
    assert found == truth
    assert removed == len(queued) - len(found) > 0


def _pairs(levels):
    edges = edges_of(levels)
    return edges, [*edges[1:], 10 * len(levels)]


def test_without_a_length_each_word_passes(bench):
    levels = random_levels(random.Random(1), 8, 50, (CLEAR_CLOCKS + RUN_CLOCKS + 300) * 8)
    queued, found, removed = passed(bench, 8, 0, levels, lambda clock: True)
    assert queued
    assert found == queued
    assert removed == 0


def test_a_level_that_never_lasts_leaves_the_filter_low(bench):
    samples, ticks, clear_clock = 8, 200, 10
    # It was high at the clear, toggles each two clocks until long into the run, and is high again.
    count, toggles = CLEAR_CLOCKS + RUN_CLOCKS + 300, (CLEAR_CLOCKS + RUN_CLOCKS // 2) // 2
    for rest in range(2):
        levels = [1] * 12 * samples
        for number in range(toggles + rest):
            levels += [number % 2] * 2 * samples
        levels += [rest] * (count * samples - len(levels))
        _, found, _ = passed(bench, samples, ticks, levels, lambda clock: True, clear_clock)
        assert len(found) == rest
