"""One limb of an array of sums in memory: read, add, write back, a sum a clock."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

ADD_STAGE = 4
"""Clocks from a limb's address to its addend, without lag."""
WRITE_STAGE = ADD_STAGE + 1
"""Clocks from a limb's address to the clock that writes its sum, without lag."""
REACH = WRITE_STAGE - 1
"""Beats before one that memory does not show it yet, without lag."""


def delayed(m: Module, value, clocks: int, name: str):
    """Return `value` as it was `clocks` clocks ago."""
    return Line(m, value, name)[clocks]


class Line:
    """A value and its past: `line[n]` is the value n clocks ago.

    Registers are made when asked for, so ask outside of `m.If`.
    """

    def __init__(self, m: Module, value, name: str) -> None:
        self._m = m
        self._past = [value]
        self._name = name

    def __getitem__(self, clocks: int):
        while len(self._past) <= clocks:
            later = Signal.like(self._past[-1], name=f"{self._name}_{len(self._past)}")
            self._m.d.sync += later.eq(self._past[-1])
            self._past.append(later)
        return self._past[clocks]


class Lookback(wiring.Component):
    """Which of the `reach` beats before this one had its address.

    Bit d - 1 of `same` tells of the beat d clocks before, and is there one clock after the beat.
    One beat a clock. Reset: no beat before.
    """

    def __init__(self, address_bits: int, reach: int) -> None:
        self._reach = reach
        super().__init__(
            {"valid": In(1), "address": In(address_bits), "same": Out(reach)},
        )

    def elaborate(self, platform) -> Module:
        m = Module()
        valid, address = Line(m, self.valid, "valid"), Line(m, self.address, "address")
        for ago in range(1, self._reach + 1):
            same = valid[ago] & (address[ago] == self.address)
            m.d.sync += self.same[ago - 1].eq(same)
        return m


class Limb(wiring.Component):
    """An array of `entries` sums of `bits` bits in each bank; a bank is a two-port memory.

    A beat (`valid`, `address`, `bank`) adds `addend` + `carry` to its entry, modulo 2**bits. After
    its clock `same` (of a Lookback of REACH + lag beats) is due 1 clock later, `stored` (the entry
    as memory has it, without the beats under way) is there 3 later, `addend`, `carry` and `hold`
    are due ADD_STAGE + lag later, `carry_out` and `held` are there one more. With `hold` a sum past
    the greatest value stays there: `held` in place of `carry_out`.

    Latency: WRITE_STAGE + lag clocks from a beat to the first address that reads its sum.
    Throughput: one beat a clock, any addresses; sums under way are forwarded.
    `read_data` of a bank is that of `read_address` 3 clocks before, where no beat went to that bank
    in that clock. With `clear` the entry `clear_address` of all banks becomes 0; no beats then.
    Reset: memory is 0 at configuration and keeps its words at reset.
    """

    def __init__(self, entries: int, bits: int, banks: int, lag: int = 0) -> None:
        self._bits = bits
        self._banks = banks
        self._lag = lag
        # Forwarding makes what a read of an entry being written returns irrelevant; where a Tally
        # takes `hold` from `stored`, what is written then is what is there already.
        self.memories = [
            Memory(shape=bits, depth=entries, init=[], attrs={"no_rw_check": 1})
            for _ in range(banks)
        ]
        super().__init__(
            {
                "valid": In(1),
                "address": In(range(entries)),
                "bank": In(1),
                "same": In(REACH + lag),
                "stored": Out(bits),
                "addend": In(bits),
                "carry": In(1),
                "hold": In(1),
                "carry_out": Out(1),
                "held": Out(1),
                "read_address": In(range(entries)),
                "read_data": Out(bits).array(banks),
                "clear": In(1),
                "clear_address": In(range(entries)),
            }
        )

    def elaborate(self, platform) -> Module:
        m = Module()
        lag = self._lag
        add_valid = delayed(m, self.valid, ADD_STAGE + lag, "valid")
        add_address = delayed(m, self.address, ADD_STAGE + lag, "address")
        bank = Line(m, self.bank, "bank")
        total = Signal(self._bits)
        write_address = Signal.like(self.address)
        m.d.sync += write_address.eq(Mux(self.clear, self.clear_address, add_address))
        # At its greatest value a held sum has wrapped to 0 in `total`.
        latest = Signal(self._bits)
        m.d.comb += latest.eq(total | self.held.replicate(self._bits))

        m.d.comb += self.stored.eq(
            Mux(bank[3], self.read_data[-1], self.read_data[0])
            if self._banks > 1
            else self.read_data[0]
        )
        for number, memory in enumerate(self.memories):
            m.submodules[f"memory_{number}"] = memory
            # A port with its own clock would make yosys add logic for reads during writes.
            read_port = memory.read_port(domain="comb")
            fetched = Signal(self._bits, name=f"fetched_{number}")
            m.d.sync += fetched.eq(read_port.data)
            write_port = memory.write_port()
            read_address = Signal.like(self.address, name=f"read_address_{number}")
            m.d.comb += read_port.addr.eq(read_address)
            here = self._banks == 1
            write_enable = Signal(name=f"write_enable_{number}")
            m.d.sync += [
                read_address.eq(
                    Mux(self.valid & (here | (bank[0] == number)), self.address, self.read_address)
                ),
                self.read_data[number].eq(fetched),
                write_enable.eq(
                    self.clear | (add_valid & (here | (bank[ADD_STAGE + lag] == number)))
                ),
            ]
            m.d.comb += [
                write_port.addr.eq(write_address),
                write_port.data.eq(latest),
                write_port.en.eq(write_enable),
            ]

        # Beats before this one, newest first: the sums of those that memory did not show yet.
        sums = Line(m, latest, "sums")
        before = [sums[ago] for ago in range(3)]
        same = Line(m, self.same, "same")
        value = self.stored
        for age in reversed(range(3)):
            value = Mux(same[2][1 + lag + age], before[age], value)
        for step in range(lag + 1):
            base = Signal(self._bits, name=f"base_{step}")
            m.d.sync += base.eq(value)
            value = Mux(same[3 + step][lag - step], latest, base)
        result = Signal(self._bits + 1)
        m.d.comb += result.eq(value + self.addend + self.carry)
        overflow = add_valid & result[-1]
        m.d.sync += [
            total.eq(Mux(self.clear, 0, result[:-1])),
            self.carry_out.eq(overflow & ~self.hold),
            self.held.eq(overflow & self.hold),
        ]
        return m
