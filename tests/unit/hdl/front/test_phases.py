# SPDX-License-Identifier: Apache-2.0
"""The ways of bits from phase to phase: as few hops as can be, none of them too long."""

from itertools import pairwise

import pytest
from amaranth.hdl import Elaboratable, Module, Signal

from plexor_hdl.front.phases import RATIO, carried, hops, repeated


@pytest.mark.parametrize("phases", [4, 8])
def test_hops_end_where_they_should_and_are_few_short_and_alike(phases):
    for start in range(phases):
        for way in range(1, 4 * phases):
            found = hops(start, start + way, phases)
            assert found[-1] == (start + way) % phases
            # The least number of hops that are no longer than a period.
            assert len(found) == next(n for n in range(1, 99) if n * phases >= way)
            # A hop to the same phase takes a period.
            places = [start, *found]
            lengths = [(after - before - 1) % phases + 1 for before, after in pairwise(places)]
            assert sum(lengths) == way
            assert max(lengths) - min(lengths) <= 1


class Carrier(Elaboratable):
    """A bit carried from one phase to another, and one of phase 0 that is taken over later."""

    def __init__(self, start, end, phases) -> None:
        self.way, self.phases = (start, end), phases
        self.bit, self.there = Signal(), Signal()
        self.first, self.again = Signal(), Signal()

    def elaborate(self, platform):
        m = Module()
        m.d.comb += [
            self.there.eq(carried(m, self.bit, *self.way, self.phases)),
            self.again.eq(repeated(m, self.first, "again")),
        ]
        return m


@pytest.mark.parametrize(("start", "end"), [(0, 8), (1, 4), (3, 12), (2, 2 + 9)])
def test_a_bit_is_there_at_the_end_of_its_way_and_not_before(clocks, start, end):
    phases, dut = 4, Carrier(start, end, 4)
    levels = [0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0]

    def script(ctx, edge):
        # New at `start` of each period: behind that edge.
        if edge % phases == (start + 1) % phases:
            ctx.set(dut.bit, levels[(edge - 1) // phases % len(levels)])
        seen = (edge - 1 - end) // phases
        if seen >= 1 and (edge - 1 - end) % phases == 0:
            assert ctx.get(dut.there) == levels[seen % len(levels)]

    clocks.phased(dut, phases, script, 80)


def test_a_repeated_bit_is_as_much_later_as_a_core_clock(clocks):
    dut, found = Carrier(0, 4, 4), []

    def script(ctx, edge):
        if edge % 4 == 1:
            ctx.set(dut.first, edge // 4 in (2, 3, 7))
            found.append(ctx.get(dut.again))

    clocks.phased(dut, 4, script, 60)
    assert [n for n, level in enumerate(found) if level] == [n + RATIO for n in (2, 3, 7)]
