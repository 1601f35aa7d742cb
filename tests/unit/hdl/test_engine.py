# SPDX-License-Identifier: Apache-2.0
"""The engine that all of these tests count on, beside Amaranth's own."""

import random
from enum import Enum, IntEnum

import pytest
from amaranth.hdl import (
    Array,
    Cat,
    ClockDomain,
    ClockSignal,
    Const,
    DriverConflict,
    Elaboratable,
    Module,
    Mux,
    Signal,
    Value,
    signed,
    unsigned,
)
from amaranth.lib import data, memory
from amaranth.sim import BrokenTrigger, DomainReset, Simulator

from .engine import Engine

CLOCKS = 12
WIDTHS = (1, 2, 5, 8, 13, 33)


class Kind(IntEnum):
    NONE = 0
    SOME = 2


class Plain(Enum):
    LOW = 1
    HIGH = 3


class Pair(data.Struct):
    first: 4
    second: signed(5)


class Preset(data.Struct):
    first: 4 = 9
    second: 3


LAYOUT = data.StructLayout({"kind": Kind, "pair": Pair, "level": signed(3), "bits": 6})


class Random(Elaboratable):
    """Registers and logic of random expressions of all operators, in three modules."""

    def __init__(self, seed) -> None:
        self.rng = random.Random(seed)
        self.inputs = [self.signal(n) for n in range(6)]
        self.registers = [self.signal(n) for n in range(6)]
        self.logic = [self.signal(n) for n in range(9)]
        self.reset = Signal()
        self.seen = []

    def signal(self, number):
        width = self.rng.choice(WIDTHS)
        shape = signed(width) if self.rng.random() < 0.3 else unsigned(width)
        init = self.rng.getrandbits(width - shape.signed) if number % 2 else 0
        return Signal(shape, init=init, name=f"s_{self.rng.getrandbits(40):x}")

    def number(self, depth) -> Value:
        rng = self.rng
        if not depth or rng.random() < 0.1:
            if rng.random() < 0.15:
                return Const(rng.randrange(-9, 20))
            return rng.choice(self.seen)
        one, two = (self.number(depth - 1) for _ in range(2))
        bits = len(one)
        start = rng.randrange(bits + 1)
        match rng.randrange(24):
            case 0:
                return (one + two)[:40]
            case 1:
                return one - two
            case 2:
                return (one * two)[:40]
            case 3:
                return one // two[:9]
            case 4:
                return one % two[:9]
            case 5:
                return one & two
            case 6:
                return one | two
            case 7:
                return one ^ two
            case 8:
                return one << two[:3]
            case 9:
                return one >> two[:3]
            case 10:
                return rng.choice((one == two, one != two, one < two))
            case 11:
                return rng.choice((one <= two, one > two, one >= two))
            case 12:
                return ~one
            case 13:
                return -one
            case 14:
                return rng.choice((one.any(), one.all(), one.xor(), one.bool()))
            case 15:
                return one.as_signed() if bits else one
            case 16:
                return one.as_unsigned()
            case 17:
                return one[start : rng.randrange(start, bits + 1)]
            case 18:
                # Amaranth's own engine finds ones beyond the end of a negated value.
                return rng.choice(self.seen).bit_select(two[:4], 1)
            case 19:
                return rng.choice(self.seen).word_select(two[:2], 2)
            case 20:
                return Cat(one, Const(rng.randrange(3), 2), two)[:40]
            case 21:
                return Mux(self.number(depth - 1), one, two)
            case 22:
                return Array([one, two, self.number(depth - 1)])[two[:2]]
            case _:
                return one.replicate(2)[:40]

    def flag(self) -> Value:
        return self.number(2).bool()

    def write(self, domain, target) -> None:
        rng, new = self.rng, self.number(3)
        bits = len(target)
        start = rng.randrange(bits)
        stop = rng.randrange(start + 1, bits + 1)
        place = rng.choice(
            (target, target, target[start:stop], target.bit_select(self.number(1)[:3], 1))
        )
        domain += place.eq(new)

    def block(self, m, domain, targets, depth=2) -> None:
        rng = self.rng
        for target in targets:
            self.write(domain, target)
        if not depth:
            return
        if rng.random() < 0.5:
            with m.If(self.flag()):
                self.block(m, domain, targets[:1], depth - 1)
            with m.Elif(self.flag()):
                self.block(m, domain, targets[1:], depth - 1)
            with m.Elif(~self.flag()):
                self.block(m, domain, targets, 0)
            if rng.random() < 0.5:
                with m.Else():
                    self.block(m, domain, targets[-1:], depth - 1)
        else:
            with m.Switch(Cat(self.number(2), Const(0, 3))[:3]):
                with m.Case("0-1", "110"):
                    self.block(m, domain, targets[:1], depth - 1)
                with m.Case("--0"):
                    self.block(m, domain, targets[1:], depth - 1)
                with m.Default():
                    self.block(m, domain, targets, 0)

    def elaborate(self, platform):
        m = Module()
        self.seen = [*self.inputs, *self.registers]
        for at in range(0, len(self.logic), 3):
            part = Module()
            setattr(m.submodules, f"logic_{at}", part)
            # A later part may read an earlier one, and none itself.
            mine = self.logic[at : at + 3]
            self.block(part, part.d.comb, mine)
            self.seen += mine
        for at in range(0, len(self.registers), 3):
            part = Module()
            setattr(m.submodules, f"registers_{at}", part)
            self.block(part, part.d.sync, self.registers[at : at + 3])
        # One signal of two drivers.
        self.halves = Signal(8)
        m.d.comb += self.halves[:3].eq(self.number(1))
        m.d.sync += self.halves[3:].eq(self.number(1))
        return m


def outcome(engine, dut, *benches, clocked=True):
    """Return what benches note, each with its context and a function to note with."""
    notes = []
    simulator = Simulator(dut, engine=engine)
    if clocked:
        simulator.add_clock(1e-6)
    for number, bench in enumerate(benches):

        async def run(ctx, number=number, bench=bench):
            await bench(ctx, lambda *what: notes.append((number, *what)))

        simulator.add_testbench(run)
    simulator.run()
    simulator.reset()
    notes.append("again")
    simulator.run()
    return notes


def check(made, *benches, clocked=True):
    """Assert that both engines come to the same; return it."""
    found, expected = (
        outcome(engine, made(), *benches, clocked=clocked) for engine in (Engine, "pysim")
    )
    assert found == expected
    assert [type(part) for note in found for part in note] == [
        type(part) for note in expected for part in note
    ]
    return found


@pytest.mark.parametrize(
    "seed", [*range(12), *(pytest.param(n, marks=pytest.mark.full) for n in range(12, 300))]
)
def test_random_logic_and_registers_are_amaranths(seed):
    dut = None

    def made():
        nonlocal dut
        dut = Random(seed)
        return dut

    async def bench(ctx, note):
        rng = random.Random(seed)
        for _ in range(CLOCKS):
            for each in dut.inputs:
                if rng.random() < 0.7:
                    ctx.set(each, rng.getrandbits(len(each)) - (rng.random() < 0.1))
                if rng.random() < 0.2:
                    ctx.set(each[:1], rng.getrandbits(2))
                if rng.random() < 0.2:
                    note(*(ctx.get(one) for one in dut.logic))
            all_of = (*dut.inputs, *dut.registers, *dut.logic, dut.halves)
            note(*(ctx.get(one) for one in all_of))
            note(*await ctx.tick().sample(*all_of, dut.logic[0] ^ dut.registers[0]))

    check(made, bench)


class Crossing(Elaboratable):
    """Two modules whose logic goes from one to the other and back, twice."""

    def __init__(self) -> None:
        self.at = [Signal(8, name=f"at_{n}") for n in range(5)]
        self.kept = Signal(8)

    def elaborate(self, platform):
        m = Module()
        m.submodules.first, m.submodules.second = first, second = Module(), Module()
        for n in range(4):
            (first, second)[n % 2].d.comb += self.at[n + 1].eq(self.at[n] * 3 + n)
        m.d.sync += self.kept.eq(self.at[4])
        return m


def test_logic_that_goes_to_and_fro_settles_before_anybody_looks():
    dut = Crossing()

    async def bench(ctx, note):
        for n in range(20):
            ctx.set(dut.at[0], 7 * n)
            ctx.set(dut.at[0], 11 * n)
            note(ctx.get(dut.at[4]))
            note(*await ctx.tick().sample(dut.kept, *dut.at))

    async def later(ctx, note):
        for _ in range(20):
            note(ctx.get(dut.at[4]), ctx.get(dut.kept))
            await ctx.tick()

    check(lambda: dut, bench, later)


class Memories(Elaboratable):
    """A memory of bytes with a port of each kind."""

    def __init__(self) -> None:
        self.memory = memory.Memory(shape=16, depth=6, init=[5, 0xFFFF, 7])
        self.write = self.memory.write_port(granularity=8)
        self.after = self.memory.read_port(transparent_for=[self.write])
        self.before = self.memory.read_port()
        self.at_once = self.memory.read_port(domain="comb")
        self.seen = Signal(16)

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = self.memory
        m.d.comb += self.seen.eq(self.at_once.data + 1)
        return m


@pytest.mark.parametrize("seed", range(3))
def test_memories_are_amaranths(seed):
    dut = None

    def made():
        nonlocal dut
        dut = Memories()
        return dut

    async def bench(ctx, note):
        rng, ports = random.Random(seed), (dut.after, dut.before, dut.at_once)
        for n in range(150):
            for port in (dut.write, *ports):
                ctx.set(port.addr, rng.randrange(8))
            ctx.set(dut.write.en, rng.getrandbits(2))
            ctx.set(dut.write.data, rng.getrandbits(16))
            ctx.set(dut.before.en, rng.getrandbits(1))
            if n % 7 == 0:
                ctx.set(dut.memory.data[rng.randrange(6)], rng.getrandbits(16))
            note(ctx.get(dut.memory.data[n % 6]), ctx.get(dut.seen))
            note(*await ctx.tick().sample(dut.seen, *[port.data for port in ports]))

    check(made, bench)


class Counter(Elaboratable):
    """A counter, and signals of every shape beside it."""

    def __init__(self) -> None:
        self.count, self.go, self.domain = Signal(6), Signal(init=1), ClockDomain("sync")
        self.pair, self.parts, self.kind = Signal(Pair), Signal(LAYOUT), Signal(Kind)
        self.plain, self.preset, self.seen = Signal(Plain), Signal(Preset), Signal(LAYOUT)

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = self.domain
        m.d.comb += self.seen.eq(self.parts)
        with m.If(self.go):
            m.d.sync += self.count.eq(self.count + 1)
        return m


def test_waits_are_amaranths():
    async def waits(ctx, note):
        note(await ctx.tick().repeat(5), ctx.get(dut.count))
        note(*await ctx.tick().sample(dut.count).until(dut.count == 9))
        note(*await ctx.tick().sample(dut.count).sample(dut.go).repeat(3))
        await ctx.delay(1.7e-6)
        note("late", ctx.get(dut.count))
        async for clock, reset, count in ctx.tick().sample(dut.count):
            note(clock, reset, count)
            ctx.set(dut.go, count % 3 != 1)
            if count % 3 == 1:
                break
        note(*await ctx.tick())
        ctx.set(dut.go, 1)
        with pytest.raises(ValueError, match="positive"):
            await ctx.tick().repeat(0)

    async def miss(ctx):
        async for _ in ctx.tick():
            await ctx.tick().repeat(2)

    async def missed(ctx, note):
        for n in range(12):
            note(n, ctx.get(dut.count))
            await ctx.tick().repeat(1 + n % 3)
        with pytest.raises(BrokenTrigger):
            await miss(ctx)
        note("missed", ctx.get(dut.count))

    dut = Counter()
    check(lambda: dut, waits, missed)


def test_a_reset_ends_waits_as_amaranths_does():
    async def reset(ctx, note):
        await ctx.tick().repeat(4)
        ctx.set(dut.domain.rst, 1)
        note(*await ctx.tick().sample(dut.count))
        await ctx.tick()
        ctx.set(dut.domain.rst, 0)
        note(ctx.get(dut.count))

    async def until(ctx, note):
        with pytest.raises(DomainReset):
            await ctx.tick().until(dut.count == 40)
        note(ctx.get(dut.count))

    async def repeat(ctx, note):
        with pytest.raises(DomainReset):
            await ctx.tick().repeat(40)
        note(ctx.get(dut.count))

    dut = Counter()
    check(lambda: dut, reset, until, repeat)


def test_values_of_every_shape_are_set_and_read_as_amaranths():
    async def bench(ctx, note):
        for n in range(-3, 4):
            pair = {"first": n, "second": -n}
            ctx.set(dut.pair, pair)
            ctx.set(dut.parts, {"kind": Kind.SOME, "pair": pair, "level": n, "bits": 0xFF})
            note(
                Value.cast(ctx.get(dut.seen)).value,
                ctx.get(dut.seen.level),
                ctx.get(dut.pair).second,
            )
            ctx.set(dut.parts, {"level": Const(n, 3), "pair": dut.pair.shape().const(pair)})
            note(Value.cast(ctx.get(dut.seen)).value)
            ctx.set(dut.parts.pair, {"second": n})
            ctx.set(dut.parts.bits[1:3], n)
            ctx.set(dut.parts.kind, Kind.SOME if n else Kind.NONE)
            note(ctx.get(dut.seen.kind), ctx.get(dut.seen.bits), ctx.get(dut.seen.pair).second)
            ctx.set(dut.preset, {"second": n})
            ctx.set(dut.kind, 2 * (n > 0))
            ctx.set(dut.plain, Plain.HIGH if n else Plain.LOW)
            ctx.set(Cat(dut.go, dut.pair.first), n & 7)
            both = await ctx.tick().sample(dut.plain, dut.preset.first, dut.pair.as_value())
            note(ctx.get(dut.kind), *both, ctx.get(Cat(dut.go, dut.pair.first) + 1))

    dut = Counter()
    check(lambda: dut, bench)


def test_what_logic_drives_cannot_be_set_as_with_amaranths():
    async def bench(ctx, note):
        with pytest.raises(DriverConflict):
            ctx.set(dut.seen.bits, 1)
        note("refused")

    dut = Counter()
    check(lambda: dut, bench)


class Ring(Elaboratable):
    """A clock of logic."""

    def __init__(self, edge) -> None:
        self.edge = edge

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = ClockDomain()
        m.domains.other = ClockDomain(clk_edge=self.edge)
        if self.edge == "pos":
            m.d.comb += ClockSignal("other").eq(~ClockSignal())
        m.d.other += Signal(name="kept").eq(1)
        return m


@pytest.mark.parametrize("edge", ["pos", "neg"])
def test_a_clock_that_falls_or_is_made_of_logic_is_refused(edge):
    with pytest.raises(NotImplementedError, match="falls, or is made of logic"):
        Simulator(Ring(edge), engine=Engine)
