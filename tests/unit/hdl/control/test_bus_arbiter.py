# SPDX-License-Identifier: Apache-2.0
"""The shared register bus: wide registers are read whole, whoever else asks meanwhile."""

import random

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from plexor.protocol.frames import OpStatus
from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import STATUS, STIMULUS, address, register
from plexor_hdl.control.bus_arbiter import SharedBus
from plexor_hdl.control.register_bus import RegisterBus
from plexor_hdl.control.registers import RegisterBank
from plexor_hdl.interfaces import block_layout

from ..simulation import made

HASH = 0x0123456789ABCDEF
WIDE = [("status", "events"), ("status", "upload_dropped"), ("status", "trigger_index")]
"""Of 64 bits, and read through the bank's one latch for high words."""


class Bench(wiring.Component):
    """A bank behind a shared bus; what `status` says grows by `step` each clock."""

    command: In(RegisterBus())
    access: In(RegisterBus())
    status: In(block_layout(STATUS))

    def elaborate(self, platform):
        m = Module()
        m.submodules.shared = shared = SharedBus()
        m.submodules.bank = bank = RegisterBank(Geometry(channels=2, strikes=1), HASH)
        wiring.connect(m, wiring.flipped(self.command), shared.command)
        wiring.connect(m, wiring.flipped(self.access), shared.access)
        wiring.connect(m, shared.bus, bank.bus)
        m.d.comb += bank.status.eq(self.status)
        return m


async def ask(ctx, port, at, value=None):
    """Return (status, read data) of a request."""
    ctx.set(port.address, at)
    ctx.set(port.write, value is not None)
    ctx.set(port.write_data, value or 0)
    ctx.set(port.request_stb, 1)
    await ctx.tick()
    ctx.set(port.request_stb, 0)
    for _ in range(3000):
        if ctx.get(port.done_stb):
            break
        await ctx.tick()
    else:
        raise TimeoutError(f"no answer for word {at:#x}")
    found = OpStatus(ctx.get(port.status)), ctx.get(port.read_data)
    await ctx.tick()
    assert not ctx.get(port.done_stb)
    return found


async def read_wide(ctx, port, at, *, high_first):
    """Return a wide register's value, its words read in the order of their addresses."""
    words = [(await ask(ctx, port, at + n))[1] for n in range(2)]
    low, high = reversed(words) if high_first else words
    return high << 32 | low


SIDES = {"command": False, "access": True}
"""Whether the high word is first."""


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.full) for n in (1, 2))])
def test_wide_registers_are_whole_while_both_sides_read_them(bench, seed):
    values = {
        name: 0x1234_5678_9ABC_DEF1 * (2 * n + 1) % (1 << 64) for n, (_, name) in enumerate(WIDE)
    }

    def reader(side):
        async def read(ctx):
            rng = random.Random(f"{seed}{side}")
            dut = made(Bench)
            for name, value in values.items():
                ctx.set(dut.status[name], value)
            for _ in range(40):
                block, name = rng.choice(WIDE)
                port = getattr(dut, side)
                found = await read_wide(ctx, port, address(block, name), high_first=SIDES[side])
                assert (side, name, hex(found)) == (side, name, hex(values[name]))
                for _ in range(rng.choice((0, 1, 7, 30))):
                    await ctx.tick()

        return read

    bench.simulate(made(Bench), *map(reader, SIDES), clocks=30_000)


@pytest.mark.parametrize("side", SIDES)
def test_a_wide_register_that_grows_is_never_torn(bench, side):
    dut = made(Bench)
    done = []

    async def grow(ctx):
        value = 0xFFFFFF00
        while not done:
            ctx.set(dut.status.events, value)
            value += 0x40
            await ctx.tick()

    async def read(ctx):
        last = 0
        for _ in range(40):
            found = await read_wide(
                ctx, getattr(dut, side), address("status", "events"), high_first=SIDES[side]
            )
            assert last <= found < last + (1 << 32) - 0x100 or not last
            assert 0xFFFFFF00 <= found < 0x1_1000_0000
            last = found
        done.append(True)

    bench.simulate(dut, grow, read, clocks=30_000)
    done.clear()


@pytest.mark.parametrize("side", SIDES)
def test_writes_reach_the_words_that_reads_then_show(bench, side):
    dut = made(Bench)
    wide, narrow = address("stimulus", "seed"), address("stimulus", "width_ticks")
    other = next(name for name in SIDES if name != side)

    async def script(ctx):
        port, words = getattr(dut, side), (0x11223344, 0x55667788)
        for n in range(2):
            assert (await ask(ctx, port, wide + n, words[n]))[0] == OpStatus.OK
        assert (await ask(ctx, port, narrow, 77))[0] == OpStatus.OK
        low, high = reversed(words) if SIDES[side] else words
        for name, high_first in SIDES.items():
            found = await read_wide(ctx, getattr(dut, name), wide, high_first=high_first)
            assert (name, hex(found)) == (name, hex(high << 32 | low))
            assert (await ask(ctx, getattr(dut, name), narrow))[1] == 77
        # The second word by itself, as one that nobody has read the first of.
        assert (await ask(ctx, port, narrow))[1] == 77
        assert (await ask(ctx, port, wide + 1))[1] == (low if SIDES[side] else high)
        assert (await ask(ctx, getattr(dut, other), address("identity", "magic"), 1))[
            0
        ] == OpStatus.READ_ONLY
        assert (await ask(ctx, port, 0x7FF))[0] == OpStatus.NO_REGISTER

    assert register("stimulus", "seed").words == 2
    assert STIMULUS.name == "stimulus"
    bench.simulate(dut, script, clocks=20_000)
