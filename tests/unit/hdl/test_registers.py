"""The register bank: every declared register, with its access, width and reset value."""

import itertools
import random

import pytest
from amaranth.hdl import ClockDomain, Module

from plexor.protocol.frames import OpStatus
from plexor.protocol.geometry import MAGIC, PROTOCOL_VERSION, Geometry
from plexor.protocol.registers import (
    ADDRESS_BITS,
    STEP,
    Access,
    Action,
    address,
    registers,
)
from plexor_hdl.registers import RegisterBank
from plexor_hdl.shadow import MARKED

from .simulation import made

GEOMETRY = Geometry(channels=3, strikes=2, board="hx8k")
HASH = 0x0123456789ABCDEF
BUILD = 0xFEDCBA9876543210
OTHER_BITS = 0x5A5AA5A5C3C33C3C


def is_there(block, copy):
    if block.name in ("channel", "lane"):
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


def port_of(dut, block, copy):
    port = getattr(dut, block.name)
    return port[copy] if block.count > 1 else port


def simulate(bench, testbench):
    dut = made(RegisterBank, GEOMETRY, HASH, BUILD)
    bench.simulate(dut, lambda ctx: testbench(ctx, dut), clocks=80_000)


def word_mask(register, number):
    return (1 << min(register.bits - 32 * number, 32)) - 1


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


def test_exactly_the_declared_words_answer(bench):
    words = declared_words()
    rng = random.Random(1)
    outside = [1 << bit for bit in range(ADDRESS_BITS, 16)] + [
        rng.getrandbits(16) for _ in range(9)
    ]

    async def testbench(ctx, dut):
        for at in [*range(1 << ADDRESS_BITS), *outside]:
            status, value = await access(ctx, dut, at)
            assert (at, status) == (at, OpStatus.OK if at in words else OpStatus.NO_REGISTER)
            if at not in words:
                assert value == 0
        for at in sorted(set(range(0, 1 << ADDRESS_BITS, 5)) - set(words)):
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
            if block is STEP:
                continue
            port = ctx.get(getattr(port_of(dut, block, copy), register.name))
            assert port >> 32 * number & word_mask(register, number) == expected

    simulate(bench, testbench)


def test_ports_have_the_declared_reset_values(bench):
    async def testbench(ctx, dut):
        for block, copy, register, _ in registers():
            if is_there(block, copy) and register.access is not Access.READ and block is not STEP:
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
                if block is not STEP:
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


def test_every_live_register_is_read_from_its_own_port(bench):
    live = {at: w for at, w in declared_words().items() if w[2].access is Access.READ}
    live = {
        at: word
        for at, word in live.items()
        if word[0].name != "identity" and word[2].name not in MARKED
    }
    rng = random.Random(3)

    async def testbench(ctx, dut):
        values = {}
        for block, copy, register, number in live.values():
            if number == 0:
                values[block.name, copy, register.name] = value = rng.getrandbits(register.bits)
                ctx.set(getattr(port_of(dut, block, copy), register.name), value)
        for at, (block, copy, register, number) in live.items():
            expected = values[block.name, copy, register.name] >> 32 * number & 0xFFFFFFFF
            assert await access(ctx, dut, at) == (OpStatus.OK, expected)
            assert (await access(ctx, dut, at, 1))[0] == OpStatus.READ_ONLY

    simulate(bench, testbench)


def test_a_wide_register_that_counts_is_read_coherently(bench):
    at = address("status", "time_ticks")
    step = (1 << 31) - 12345
    pairs = []
    dut, state = made(RegisterBank, GEOMETRY, HASH), []

    async def count(ctx):
        value = 0
        while not state:
            ctx.set(dut.status.time_ticks, value)
            value += step
            await ctx.tick()

    async def read(ctx):
        for _ in range(20):
            low = (await access(ctx, dut, at))[1]
            high = (await access(ctx, dut, at + 1))[1]
            pairs.append(low | high << 32)
            assert (await access(ctx, dut, at + 1))[1] == high
        state.append(True)

    bench.simulate(dut, read, count)
    assert len(set(pairs)) == 20
    assert all(pair % step == 0 for pair in pairs)


@pytest.mark.parametrize("name", ["time_ticks", "events", "upload_dropped"])
def test_the_low_word_keeps_the_high_word_of_its_clock(bench, name):
    at = address("status", name)
    dut, clock, base, done = made(RegisterBank, GEOMETRY, HASH), [0], [0], []

    async def count(ctx):
        while not done:
            ctx.set(getattr(dut.status, name), base[0] + clock[0])
            await ctx.tick()
            clock[0] += 1

    async def read(ctx):
        for before in range(40):
            base[0] = (7 << 32) - clock[0] - before
            await ctx.tick().repeat(2)
            first = base[0] + clock[0]
            low = (await access(ctx, dut, at))[1]
            last = base[0] + clock[0]
            high = (await access(ctx, dut, at + 1))[1]
            assert first <= low | high << 32 <= last
        done.append(True)

    bench.simulate(dut, count, read)


@pytest.mark.parametrize("name", MARKED)
@pytest.mark.parametrize(
    "operation",
    [
        "read live",
        *(pytest.param(n, marks=pytest.mark.full) for n in ("read", "read time", "write")),
    ],
)
def test_a_mark_keeps_the_time_of_the_next_clock_whatever_the_bus_does(bench, name, operation):
    dut = made(RegisterBank, GEOMETRY, HASH)
    events, time = address("status", "events"), address("status", "time_ticks")
    width, kept = address("stimulus", "width_ticks", 1), address("status", name)
    plan, ended = [], []

    async def clocks(ctx):
        """Play plans of (time at the mark, clocks until then), and the time on and on."""
        ticks, left = 0, -1
        while not ended:
            if plan:
                marked, left = plan.pop()
                ticks = marked - 8 * (left + 1)
            ctx.set(dut.status.time_ticks, ticks)
            ctx.set(dut.mark_stb, left == 0)
            ctx.set(dut.mark_end, name == "end_ticks" if left <= 0 else left % 2)
            ctx.set(dut.track, left >= 0)
            ctx.set(dut.hold, -6 < left < 0)
            await ctx.tick()
            ticks, left = ticks + 8, left - 1

    async def drive(ctx):
        ctx.set(dut.status.events, 0x123456789ABC)
        assert await access(ctx, dut, kept) == (OpStatus.OK, 0)
        for number, (clock, offset) in enumerate(itertools.product(range(14), range(-3, 3)), 1):
            marked = (number << 32) + 8 * offset
            plan.append((marked, 8 + clock))
            await ctx.tick().repeat(8)
            value = number * 0x01010101
            if operation == "read":
                found = await access(ctx, dut, address("identity", "magic"))
                assert found == (OpStatus.OK, MAGIC)
            elif operation == "read live":
                assert (await access(ctx, dut, events))[1] == 0x56789ABC
                assert (await access(ctx, dut, events + 1))[1] == 0x1234
            elif operation == "read time":
                low = (await access(ctx, dut, time))[1]
                assert abs((await access(ctx, dut, time + 1))[1] * 2**32 + low - marked) < 400
            else:
                assert (await access(ctx, dut, width, value))[0] == OpStatus.OK
            await ctx.tick().repeat(20)
            for _ in range(2):
                low = (await access(ctx, dut, kept))[1]
                assert (await access(ctx, dut, kept + 1))[1] << 32 | low == marked
            if operation == "write":
                assert await access(ctx, dut, width) == (OpStatus.OK, value)
                assert ctx.get(dut.stimulus[1].width_ticks) == value
        ended.append(True)

    bench.simulate(dut, drive, clocks)


def test_words_of_the_run_time_and_the_end_are_told_between_requests(bench):
    dut = made(RegisterBank, GEOMETRY, HASH)
    told, written, asked = [], 0x0123456789ABCDEF, [(0, 0)] * 4
    marked = 0xFEDCBA9800000010
    rng, ended = random.Random(4), []

    async def listen(ctx):
        while not ended:
            choice = asked[-1] if rng.random() < 0.7 else (rng.randrange(2), rng.randrange(2))
            asked.append(choice)
            ctx.set(dut.word_end, choice[0])
            ctx.set(dut.word_high, choice[1])
            if ctx.get(dut.word_valid) and len(set(asked[-4:])) == 1:
                told.append((*choice, ctx.get(dut.word)))
            await ctx.tick()

    async def drive(ctx):
        at = address("control", "run_time_ticks")
        await access(ctx, dut, at, written & 0xFFFFFFFF)
        await access(ctx, dut, at + 1, written >> 32)
        ctx.set(dut.status.time_ticks, marked)
        ctx.set(dut.mark_end, 1)
        ctx.set(dut.mark_stb, 1)
        await ctx.tick()
        ctx.set(dut.mark_stb, 0)
        await ctx.tick().repeat(8)
        told.clear()
        for _ in range(40):
            await access(ctx, dut, address("control", "settle_ticks"), rng.getrandbits(32))
            await ctx.tick().repeat(rng.randrange(1, 12))
        ended.append(True)

    bench.simulate(dut, drive, listen)
    values = {0: written, 1: marked}
    expected = {(e, high, values[e] >> 32 * high & 0xFFFFFFFF) for e in (0, 1) for high in (0, 1)}
    assert set(told) == expected


def test_after_a_reset_registers_read_back_their_reset_values(bench):
    at = address("stimulus", "width_ticks", 1)
    seed = address("stimulus", "seed", 0)
    module, dut = Module(), RegisterBank(GEOMETRY, HASH)
    module.domains.sync = domain = ClockDomain("sync")
    module.submodules.dut = dut

    async def testbench(ctx):
        for place in (at, seed):
            await access(ctx, dut, place, 0x12345678)
        ctx.set(domain.rst, 1)
        await ctx.tick()
        ctx.set(domain.rst, 0)
        assert await access(ctx, dut, at) == (OpStatus.OK, 0)
        assert await access(ctx, dut, seed) == (OpStatus.OK, 1)
        assert (await access(ctx, dut, address("identity", "magic")))[1] == MAGIC

    bench.simulate(module, testbench)
