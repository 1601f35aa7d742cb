# SPDX-License-Identifier: Apache-2.0
"""The register bank: every declared register, with its access, width and reset value."""

import random

import pytest

from plexor.protocol.frames import OpStatus
from plexor.protocol.geometry import MAGIC, PROTOCOL_VERSION
from plexor.protocol.registers import (
    ADDRESS_BITS,
    Access,
    Action,
    address,
    registers,
)
from plexor_hdl.control.registers import SOURCE_CLOCKS, ZOOMS

from ..register_bench import (
    BUILD,
    GEOMETRY,
    HASH,
    access,
    declared_words,
    has_port,
    is_there,
    port_of,
    simulate,
    word_mask,
    written_words,
)

OTHER_BITS = 0x5A5AA5A5C3C33C3C
REQUEST_CLOCKS = SOURCE_CLOCKS + 6


def test_the_identity_tells_the_build(bench):
    expected = {
        "magic": MAGIC,
        "protocol_version": PROTOCOL_VERSION,
        "gateware_hash": HASH,
        "build_id": BUILD,
        "board": int.from_bytes(b"hx8k", "little"),
        "channels": 3,
        "strikes": 2,
        "samples": GEOMETRY.samples,
        "tick_fs": GEOMETRY.tick_fs,
        "features": int(GEOMETRY.features),
        "upload_depth": GEOMETRY.upload_depth,
    }

    async def testbench(ctx, dut):
        for name, value in expected.items():
            at = address("identity", name)
            found = (await access(ctx, dut, at))[1]
            if name in ("gateware_hash", "board", "build_id"):
                found |= (await access(ctx, dut, at + 1))[1] << 32
            assert (name, found) == (name, value)
            assert (await access(ctx, dut, at, 1))[0] == OpStatus.READ_ONLY

    simulate(bench, testbench)


@pytest.mark.parametrize("apart", [61, *(pytest.param(n, marks=pytest.mark.full) for n in (7, 1))])
def test_exactly_the_declared_words_answer(bench, apart):
    words = declared_words()
    rng = random.Random(1)
    outside = [1 << bit for bit in range(ADDRESS_BITS, 16)] + [
        rng.getrandbits(16) for _ in range(9)
    ]

    async def testbench(ctx, dut):
        for at in [*sorted({*range(0, 1 << ADDRESS_BITS, apart), *words}), *outside]:
            status, value = await access(ctx, dut, at)
            assert (at, status) == (at, OpStatus.OK if at in words else OpStatus.NO_REGISTER)
            if at not in words:
                assert value == 0
        for at in sorted(set(range(0, 1 << ADDRESS_BITS, 5 * apart)) - set(words)):
            assert (await access(ctx, dut, at, 1))[0] == OpStatus.NO_REGISTER

    simulate(bench, testbench)


def test_written_words_reach_the_ports_and_read_back_cut_to_their_width(bench):
    words = written_words()
    rng = random.Random(2)
    values = {at: rng.getrandbits(32) for at in words}

    async def testbench(ctx, dut):
        for at, (_, _, register, number) in words.items():
            reset = register.reset >> 32 * number & 0xFFFFFFFF
            assert await access(ctx, dut, at) == (OpStatus.OK, reset)
        for at, value in values.items():
            assert (await access(ctx, dut, at, value))[0] == OpStatus.OK
        for at, (block, copy, register, number) in words.items():
            expected = values[at] & word_mask(register, number)
            assert await access(ctx, dut, at) == (OpStatus.OK, expected)
            if not has_port(block, register):
                continue
            port = ctx.get(getattr(port_of(dut, block, copy), register.name))
            assert port >> 32 * number & word_mask(register, number) == expected

    simulate(bench, testbench)


def test_a_windows_first_tick_is_told_once_with_its_kind_and_channel(bench):
    rng = random.Random(6)

    async def testbench(ctx, dut):
        for channel in range(GEOMETRY.channels):
            for kind, name in enumerate(ZOOMS):
                value, told = rng.getrandbits(32), []
                ctx.set(dut.bus.address, address("channel", name, channel))
                ctx.set(dut.bus.write, 1)
                ctx.set(dut.bus.write_data, value)
                ctx.set(dut.bus.request_stb, 1)
                for _ in range(REQUEST_CLOCKS):
                    await ctx.tick()
                    ctx.set(dut.bus.request_stb, 0)
                    if ctx.get(dut.zoom_stb):
                        told.append((ctx.get(dut.zoom_place), ctx.get(dut.written)))
                assert told == [(kind << GEOMETRY.key_bits | channel, value)]
        # What is no window's is not told as one.
        for at in written_words():
            name = declared_words()[at][2].name
            ctx.set(dut.bus.address, at)
            ctx.set(dut.bus.request_stb, 1)
            strobes = 0
            for _ in range(REQUEST_CLOCKS):
                await ctx.tick()
                ctx.set(dut.bus.request_stb, 0)
                strobes += ctx.get(dut.zoom_stb)
            assert strobes == (name in ZOOMS), name

    simulate(bench, testbench)


def test_a_word_of_an_entry_is_told_once_with_its_place_and_no_other_is(bench):
    async def testbench(ctx, dut):
        first = address("schedule", "due_ticks")
        places = {first: 0, first + 1: 1, address("schedule", "entry"): 2}
        for at in written_words():
            told = []
            ctx.set(dut.bus.address, at)
            ctx.set(dut.bus.write, 1)
            ctx.set(dut.bus.write_data, at * 0x10001)
            ctx.set(dut.bus.request_stb, 1)
            for _ in range(REQUEST_CLOCKS):
                await ctx.tick()
                ctx.set(dut.bus.request_stb, 0)
                if ctx.get(dut.schedule_stb):
                    told.append((ctx.get(dut.step_place) & 3, ctx.get(dut.written)))
            assert told == ([(places[at], at * 0x10001)] if at in places else [])

    simulate(bench, testbench)


def test_ports_have_the_declared_reset_values(bench):
    async def testbench(ctx, dut):
        for block, copy, register, _ in registers():
            if (
                is_there(block, copy)
                and register.access is not Access.READ
                and has_port(block, register)
            ):
                port = getattr(port_of(dut, block, copy), register.name)
                assert (register.name, ctx.get(port)) == (register.name, register.reset)

    simulate(bench, testbench)


def test_while_running_only_registers_of_any_time_are_written(bench):
    words = written_words()

    async def testbench(ctx, dut):
        ctx.set(dut.running, 1)
        for at, (block, copy, register, number) in words.items():
            free = register.access is Access.WRITE
            status, _ = await access(ctx, dut, at, OTHER_BITS & 0xFFFFFFFF)
            assert status == (OpStatus.OK if free else OpStatus.RUNNING)
            if not free:
                if has_port(block, register):
                    port = ctx.get(getattr(port_of(dut, block, copy), register.name))
                    assert port == register.reset
                reset = register.reset >> 32 * number & 0xFFFFFFFF
                assert await access(ctx, dut, at) == (OpStatus.OK, reset)

    simulate(bench, testbench)


def test_an_action_strobes_each_of_its_bits_for_one_clock(bench):
    at = address("control", "action")

    async def testbench(ctx, dut):
        for actions in (*Action, Action.STOP | Action.TRACE, Action(0)):
            seen = []
            ctx.set(dut.bus.address, at)
            ctx.set(dut.bus.write, 1)
            ctx.set(dut.bus.write_data, int(actions))
            ctx.set(dut.bus.request_stb, 1)
            for _ in range(550):
                await ctx.tick()
                ctx.set(dut.bus.request_stb, 0)
                seen.append(ctx.get(dut.action.as_value()))
            assert [value for value in seen if value] == ([int(actions)] if actions else [])
            assert await access(ctx, dut, at) == (OpStatus.OK, 0)

    simulate(bench, testbench)
