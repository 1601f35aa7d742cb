# SPDX-License-Identifier: Apache-2.0
"""Clocks of all phases of a front-end, whose time is counted in phases."""

from types import SimpleNamespace

import pytest
from amaranth.hdl import ClockDomain, Module
from amaranth.sim import Simulator

from plexor_hdl.front.phases import domain

PHASE_SECONDS = 1e-9


def phased(dut, phases, script, count):
    """Run a script on a component whose domains are the phases, `count` of them.

    Phase p of period n is edge n x phases + p. `script(ctx, edge)` is called between an edge and
    the one before; what it sets is taken over at the edge.
    """
    m = Module()
    m.submodules.dut = dut
    m.domains += [ClockDomain(domain(phase), reset_less=True) for phase in range(phases)]
    simulator = Simulator(m)
    for phase in range(phases):
        simulator.add_clock(
            phases * PHASE_SECONDS, phase=(phase + 1) * PHASE_SECONDS, domain=domain(phase)
        )

    async def run(ctx):
        await ctx.delay(PHASE_SECONDS / 2)
        for edge in range(count):
            script(ctx, edge)
            await ctx.delay(PHASE_SECONDS)

    simulator.add_testbench(run)
    simulator.run()


@pytest.fixture
def clocks():
    return SimpleNamespace(phased=phased)
