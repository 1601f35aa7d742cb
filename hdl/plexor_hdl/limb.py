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
    for clock in range(clocks):
        later = Signal.like(value, name=f"{name}_{clock + 1}")
        m.d.sync += later.eq(value)
        value = later
    return value


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
        valid, address = self.valid, self.address
        for index in range(self._reach):
            valid = delayed(m, valid, 1, f"valid_{index}")
            address = delayed(m, address, 1, f"address_{index}")
            m.d.sync += self.same[index].eq(valid & (address == self.address))
        return m


class Limb(wiring.Component):
    """An array of `entries` sums of `bits` bits in each bank; a bank is a two-port memory.

    A beat (`valid`, `address`, `bank`) adds `addend` + `carry` to its entry, modulo 2**bits. Counted
    from its clock: `same` (of a Lookback of REACH + lag beats) is due 1 clock later, `stored` (the
    entry as memory has it, without the beats under way) there 3, `addend`, `carry` and `hold` due
    ADD_STAGE + lag, `carry_out` and `held` there one more. With `hold` a sum past the greatest value
    stays there: `held` in place of `carry_out`.

    Latency: WRITE_STAGE + lag clocks from a beat to the first address that reads its sum.
    Throughput: one beat a clock, any addresses; sums under way are forwarded.
    `read_data` of a bank is that of `read_address` 3 clocks before, where no beat went to that bank
    in that clock. With `clear` the entry `clear_address` of all banks becomes 0; no beats then.
    Reset: memory is 0 at configuration and keeps its words at reset.
    """

    def __init__(self, entries: int, bits: int, banks: int, lag: int = 0) -> None:
        self._entries = entries
        self._bits = bits
        self._banks = banks
        self._lag = lag
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
        total = Signal(self._bits)
        write_address = Signal.like(self.address)
        m.d.sync += write_address.eq(Mux(self.clear, self.clear_address, add_address))
        # At its greatest value a held sum has wrapped to 0 in `total`.
        latest = Signal(self._bits)
        m.d.comb += latest.eq(total | self.held.replicate(self._bits))

        if self._banks > 1:
            stored_bank = delayed(m, self.bank, 3, "bank")
            add_bank = delayed(m, stored_bank, ADD_STAGE + lag - 3, "bank_add")
            m.d.comb += self.stored.eq(Mux(stored_bank, self.read_data[1], self.read_data[0]))
        else:
            add_bank = None
            m.d.comb += self.stored.eq(self.read_data[0])
        for bank in range(self._banks):
            m.submodules[f"memory_{bank}"] = memory = Memory(
                shape=self._bits, depth=self._entries, init=[], attrs={"no_rw_check": 1}
            )
            read_port = memory.read_port()
            write_port = memory.write_port()
            here = True if add_bank is None else self.bank == bank
            write_here = add_valid if add_bank is None else add_valid & (add_bank == bank)
            write_enable = Signal(name=f"write_enable_{bank}")
            m.d.sync += [
                read_port.addr.eq(Mux(self.valid & here, self.address, self.read_address)),
                self.read_data[bank].eq(read_port.data),
                write_enable.eq(self.clear | write_here),
            ]
            m.d.comb += [
                write_port.addr.eq(write_address),
                write_port.data.eq(latest),
                write_port.en.eq(write_enable),
            ]

        # Beats before this one, newest first: the sums of those that memory did not show yet.
        before = [latest, *(delayed(m, latest, n, f"latest_{n}_ago") for n in (1, 2))]
        same = delayed(m, self.same, 2, "same")
        value = self.stored
        for age in reversed(range(3)):
            value = Mux(same[1 + lag + age], before[age], value)
        for step in range(lag + 1):
            base = Signal(self._bits, name=f"base_{step}")
            m.d.sync += base.eq(value)
            same = delayed(m, same, 1, f"same_base_{step}")
            value = Mux(same[lag - step], latest, base)
        result = Signal(self._bits + 1)
        m.d.comb += result.eq(value + self.addend + self.carry)
        overflow = add_valid & result[-1]
        m.d.sync += [
            total.eq(Mux(self.clear, 0, result[:-1])),
            self.carry_out.eq(overflow & ~self.hold),
            self.held.eq(overflow & self.hold),
        ]
        return m
