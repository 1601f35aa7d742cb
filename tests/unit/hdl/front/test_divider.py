# SPDX-License-Identifier: Apache-2.0
"""The core's clock: when it rises, and what tells the fast clocks of it."""

import pytest

from plexor_hdl.front.divider import Divider
from plexor_hdl.front.phases import CORE_PHASES, RATIO


@pytest.mark.parametrize("phases", [4, 8])
@pytest.mark.parametrize("begins", [9, 14, 17])
def test_the_core_clock_rises_each_other_period_and_load_tells_of_each_rise(clocks, phases, begins):
    dut, levels, loads, running = Divider(phases), [], {}, {}

    def script(ctx, edge):
        ctx.set(dut.start, edge >= begins)
        levels.append(ctx.get(dut.core_clk))
        if edge % phases == 0:
            loads[edge], running[edge] = ctx.get(dut.load), ctx.get(dut.running)

    clocks.phased(dut, phases, script, 30 * phases)
    # The level behind an edge is seen before the next.
    rises = [n for n in range(len(levels) - 1) if levels[n + 1] and not levels[n]]
    assert {edge % phases for edge in rises} == {CORE_PHASES[phases]}
    period = RATIO * phases
    assert rises == list(range(rises[0], rises[0] + period * len(rises), period))
    assert rises[0] >= begins
    assert len(rises) > 10
    told = [edge for edge, load in loads.items() if load]
    assert set(told) <= {rise - CORE_PHASES[phases] for rise in rises}
    # The first may come before the way of `load` is full.
    assert {rise - CORE_PHASES[phases] for rise in rises[1:-1]} <= set(told)
    began = [edge for edge, level in running.items() if level]
    assert began == list(range(began[0], 30 * phases, phases))
    assert began[0] <= told[0]


def test_without_a_start_the_core_has_no_clock(clocks):
    dut = Divider(4)

    def script(ctx, edge):
        for port in (dut.core_clk, dut.load, dut.running):
            assert not ctx.get(port)

    clocks.phased(dut, 4, script, 60)
