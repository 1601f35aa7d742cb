# SPDX-License-Identifier: Apache-2.0
"""The serialiser: each bit of a word stands at the pin from its phase on."""

import random

import pytest
from amaranth.hdl import Signal

from plexor_hdl.front.phases import RATIO
from plexor_hdl.front.serialiser import LUT_INPUTS, Serialiser, last_name, table_names

PERIODS = 60
AHEAD_PERIODS = 3
"""From the period of a load to the one in which the first bit is at the pin."""


def table(m, bits, name):
    """Join bits as a look-up table does, of no more inputs than one has."""
    assert len(bits) <= LUT_INPUTS
    joined = Signal(name=name)
    parity = bits[0]
    for bit in bits[1:]:
        parity = parity ^ bit
    m.d.comb += joined.eq(parity)
    return joined


@pytest.mark.parametrize("phases", [4, 8])
def test_each_bit_stands_at_its_pin_for_a_phase(clocks, phases):
    dut, rng, width = Serialiser(2, phases, table), random.Random(phases), RATIO * phases
    given, seen = {}, []

    def script(ctx, edge):
        period, phase = divmod(edge, phases)
        # The level behind the edge before.
        seen.append(ctx.get(dut.pins))
        if phase == 0:
            # Each output has its own loads, a period apart here.
            output = period % RATIO
            word = rng.choice((0, (1 << width) - 1, rng.getrandbits(width)))
            given[period] = word
            # Of the other one's word nothing is looked at.
            other = rng.getrandbits(width) << (1 - output) * width
            ctx.set(dut.words, word << output * width | other)
            ctx.set(dut.load, 1 << output)
            ctx.set(dut.running, 3)

    clocks.phased(dut, phases, script, PERIODS * phases)
    for period, word in given.items():
        first = (period + AHEAD_PERIODS) * phases
        if period < RATIO or first + width >= len(seen):
            continue
        levels = [seen[first + tick + 1] >> period % RATIO & 1 for tick in range(width)]
        assert levels == [word >> tick & 1 for tick in range(width)], period


def test_a_pin_is_low_until_it_runs_and_goes_on_with_the_last_bit_without_a_load(clocks):
    phases, dut, width = 4, Serialiser(1, 4, table), 8
    seen = []

    def script(ctx, edge):
        period = edge // phases
        seen.append(ctx.get(dut.pins))
        ctx.set(dut.words, (1 << width) - 1)
        ctx.set(dut.load, period in (4, 20))
        ctx.set(dut.running, period >= 10)

    clocks.phased(dut, phases, script, PERIODS * phases)
    rises = [n - 1 for n in range(1, len(seen)) if seen[n] and not seen[n - 1]]
    # `running` is from period 10 on, with the word of before: its level is high at once.
    assert rises[0] // phases == 10 + AHEAD_PERIODS - 1
    assert all(seen[rises[0] + 1 :])


@pytest.mark.parametrize(("phases", "tables"), [(4, 1), (8, 2)])
def test_a_phases_flip_flop_and_tables_are_found_by_their_names(phases, tables):
    flip_flops = {last_name(output, phase) for output in range(2) for phase in range(phases)}
    assert len(flip_flops) == 2 * phases
    for phase in range(phases):
        names = table_names(1, phases, phase)
        assert len(names) == tables
        # Those of one half of the phases share the first one.
        assert (names == table_names(1, phases, 0)) == (phase < LUT_INPUTS)
