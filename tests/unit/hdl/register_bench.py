# SPDX-License-Identifier: Apache-2.0
"""Requests of registers, and which words a build must have."""

from plexor.protocol.frames import OpStatus
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.registers import STEP, Access, registers
from plexor_hdl.control.registers import ENTRY, ZOOMS, RegisterBank

from .simulation import made

GEOMETRY = Geometry(
    channels=3, strikes=2, code_bits=10, features=ALL_FEATURES | Feature.CODES, board="hx8k"
)
HASH = 0x0123456789ABCDEF
BUILD = 0xFEDCBA9876543210


def is_there(block, copy):
    if block.name in ("channel", "channel_status", "long_filter"):
        return copy < GEOMETRY.channels
    if block.name == "stimulus":
        return copy < GEOMETRY.strikes
    return block.name != "source" or copy in GEOMETRY.sources


def declared_words():
    """Return {word address: (block, copy, register, word number)} of this build."""
    return {
        first + number: (block, copy, register, number)
        for block, copy, register, first in registers()
        if is_there(block, copy)
        for number in range(register.words)
    }


def written_words():
    """Return those that are written, but for actions and most of the steps, which are many."""
    return {
        at: word
        for at, word in declared_words().items()
        if word[2].access is not Access.READ
        and word[2].name != "action"
        and not (word[0] is STEP and 1 < word[1] < STEP.count - 1)
    }


async def access(ctx, dut, at, value=None):
    """Return (status, read data) of one request."""
    ctx.set(dut.bus.address, at)
    ctx.set(dut.bus.write, value is not None)
    ctx.set(dut.bus.write_data, value or 0)
    ctx.set(dut.bus.request_stb, 1)
    await ctx.tick()
    ctx.set(dut.bus.request_stb, 0)
    for _ in range(600):
        if ctx.get(dut.bus.done_stb):
            break
        await ctx.tick()
    found = OpStatus(ctx.get(dut.bus.status)), ctx.get(dut.bus.read_data)
    await ctx.tick()
    assert not ctx.get(dut.bus.done_stb)
    return found


def has_port(block, register):
    """Return whether a word that is written stands at a port: others are told by strobes."""
    return block is not STEP and register.name not in (*ZOOMS, *ENTRY)


def port_of(dut, block, copy):
    port = getattr(dut, block.name)
    return port[copy] if block.count > 1 else port


def simulate(bench, testbench):
    dut = made(RegisterBank, GEOMETRY, HASH, BUILD)
    bench.simulate(dut, lambda ctx: testbench(ctx, dut), clocks=80_000)


def word_mask(register, number):
    return (1 << min(register.bits - 32 * number, 32)) - 1
