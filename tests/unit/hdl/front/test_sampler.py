# SPDX-License-Identifier: Apache-2.0
"""The sampler: each bit of a word is the pin's level at its phase, of the periods it should be."""

import random

import pytest

from plexor_hdl.front.phases import RATIO
from plexor_hdl.front.sampler import Sampler

PERIODS = 60
BEHIND_PERIODS = 5
"""From the first period of a word to that of the load that takes it over."""


@pytest.mark.parametrize("phases", [4, 8])
@pytest.mark.parametrize("select", [0, 1])
def test_a_word_has_the_level_at_each_phase_of_two_periods(clocks, phases, select):
    dut, rng = Sampler(2, phases), random.Random(phases)
    levels = {"pins": [], "other": []}
    words = []

    def script(ctx, edge):
        # What is not chosen changes as well.
        for name, seen in levels.items():
            seen.append(rng.getrandbits(2))
            ctx.set(getattr(dut, name), seen[-1])
        ctx.set(dut.select, select)
        period, phase = divmod(edge, phases)
        # Each channel has its own loads, a period apart here.
        ctx.set(dut.load, 1 << period % RATIO)
        if phase == 1 and period > BEHIND_PERIODS:
            words.append((period, ctx.get(dut.words)))

    clocks.phased(dut, phases, script, PERIODS * phases)
    seen, width = levels["other" if select else "pins"], RATIO * phases
    for period, word in words:
        channel = period % RATIO
        first = (period - BEHIND_PERIODS) * phases
        expected = [seen[first + tick] >> channel & 1 for tick in range(width)]
        found = [word >> channel * width + tick & 1 for tick in range(width)]
        assert found == expected, period


def test_a_word_stands_until_the_next_load(clocks):
    phases, dut, rng, words = 4, Sampler(1, 4), random.Random(1), []

    def script(ctx, edge):
        ctx.set(dut.pins, rng.getrandbits(1))
        period, phase = divmod(edge, phases)
        ctx.set(dut.load, period == 20)
        if phase == 1 and period >= 20:
            words.append(ctx.get(dut.words))

    clocks.phased(dut, phases, script, PERIODS * phases)
    assert len(set(words)) == 1
