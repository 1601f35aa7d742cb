"""The skid passes every entry once and in order, at one a clock."""

import random

import pytest
from amaranth.sim import Simulator

from plexor_hdl.skid import Skid


@pytest.mark.parametrize("stalls", [(0.0, 0.0), (0.5, 0.0), (0.0, 0.5), (0.4, 0.4), (0.1, 0.8)])
def test_entries_come_out_once_in_order_whatever_stalls(stalls):
    dut = Skid(16)
    choose = random.Random(3)
    sent, found, readies = [], [], []

    async def process(ctx):
        for clock in range(600):
            valid, ready = choose.random() >= stalls[0], choose.random() >= stalls[1]
            ctx.set(dut.i_valid, valid)
            ctx.set(dut.i_data, clock)
            ctx.set(dut.o_ready, ready)
            readies.append(ctx.get(dut.i_ready))
            if valid and ctx.get(dut.i_ready):
                sent.append(clock)
            if ready and ctx.get(dut.o_valid):
                found.append(ctx.get(dut.o_data))
            # A path from one ready to the other would show here.
            ctx.set(dut.o_ready, not ready)
            assert ctx.get(dut.i_ready) == readies[-1]
            ctx.set(dut.o_ready, ready)
            await ctx.tick()

    sim = Simulator(dut)
    sim.add_clock(1e-6)
    sim.add_testbench(process)
    sim.run()
    assert found == sent[: len(found)]
    assert len(sent) - len(found) <= 2
    if stalls == (0.0, 0.0):
        assert len(found) == 599
