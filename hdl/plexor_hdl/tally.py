"""An array of saturating counters in memory, an increment a clock."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.interfaces import READ_CLOCKS, SpaceRead
from plexor_hdl.limb import REACH, WRITE_STAGE, Limb, Lookback, delayed

WORD_BITS = 32


class Count(data.StructLayout):
    """Which counter counts, in which bank."""

    def __init__(self, entries: int) -> None:
        super().__init__({"address": range(entries), "bank": 1})


def tally_ports(entries: int) -> dict:
    """Return the ports of an array of counters."""
    return {
        "i_address": In(stream.Signature(Count(entries), always_ready=True)),
        "read": In(SpaceRead()),
        "clear_stb": In(1),
        "clear_busy": Out(1),
        "saturated": Out(1),
    }


class Sweep(wiring.Component):
    """The addresses 0 to `entries` - 1, once each, while `busy`: from the clock after `stb`."""

    def __init__(self, entries: int) -> None:
        self._entries = entries
        super().__init__({"stb": In(1), "busy": Out(1), "address": Out(range(entries))})

    def elaborate(self, platform) -> Module:
        m = Module()
        with m.If(self.busy):
            m.d.sync += self.address.eq(self.address + 1)
            with m.If(self.address == self._entries - 1):
                m.d.sync += [self.busy.eq(0), self.address.eq(0)]
        with m.Elif(self.stb):
            m.d.sync += self.busy.eq(1)
        return m


class Tally(wiring.Component):
    """An array of `entries` counters of `bits` bits in each bank.

    Each beat of `i_address` counts one, in limbs of `limb_bits` bits, the low one first; a counter
    at its greatest value stays there, and a count that finds it so sets `saturated` until the next
    clear. With one bank the beat's bank and the reader's are ignored.

    Latency: a beat is in the words read for an address `latency` clocks after it.
    Throughput: one beat a clock, the same counter every clock included.
    `read`: an entry is one word, or from 33 bits on two, low word first; addresses past the last
    entry read 0. The bank that a beat counts in reads undefined words in that clock.
    `clear_stb` zeroes all banks while `clear_busy`, `entries` clocks; no beats then. Reset clears
    `saturated`; the counters are 0 at configuration and keep their values at reset.
    """

    def __init__(self, entries: int, bits: int, banks: int = 1, limb_bits: int = 16) -> None:
        if entries < 2:
            raise ValueError(f"entries: {entries}; must be 2 or more")
        if not 1 <= bits <= 2 * WORD_BITS:
            raise ValueError(f"bits: {bits}; must be 1 to {2 * WORD_BITS}")
        if banks not in (1, 2):
            raise ValueError(f"banks: {banks}; must be 1 or 2")
        self._entries = entries
        limbs = -(-bits // limb_bits)
        # `hold` comes from memory: upper limbs must get there before the lowest one wraps again.
        if limbs > 1 and 1 << limb_bits < WRITE_STAGE + limbs:
            raise ValueError(f"limb_bits: {limb_bits}; too few for {bits} bits")
        self.limbs = [
            Limb(entries, min(limb_bits, bits - lag * limb_bits), banks, lag)
            for lag in range(limbs)
        ]
        self._words = -(-bits // WORD_BITS)
        self._banks = banks
        self.latency = WRITE_STAGE + limbs - 1
        super().__init__(tally_ports(entries))

    def elaborate(self, platform) -> Module:
        m = Module()
        count = self.i_address.payload
        valid = self.i_address.valid
        m.submodules.sweep = sweep = Sweep(self._entries)
        m.d.comb += [sweep.stb.eq(self.clear_stb), self.clear_busy.eq(sweep.busy)]
        place = count.address if self._banks == 1 else Cat(count.address, count.bank)
        m.submodules.lookback = lookback = Lookback(len(place), REACH + len(self.limbs) - 1)
        m.d.comb += [lookback.valid.eq(valid), lookback.address.eq(place)]

        word_shift = self._words - 1
        for lag, limb in enumerate(self.limbs):
            m.submodules[f"limb_{lag}"] = limb
            m.d.comb += [
                limb.valid.eq(valid),
                limb.address.eq(count.address),
                limb.bank.eq(count.bank),
                limb.same.eq(lookback.same),
                limb.carry.eq(self.limbs[lag - 1].carry_out if lag else 1),
                limb.read_address.eq(self.read.address >> word_shift),
                limb.clear.eq(sweep.busy),
                limb.clear_address.eq(sweep.address),
            ]
        full = Signal(init=1)
        if len(self.limbs) > 1:
            m.d.sync += full.eq(Cat(limb.stored for limb in self.limbs[1:]).all())
        m.d.comb += self.limbs[0].hold.eq(full)
        with m.If(self.limbs[0].held):
            m.d.sync += self.saturated.eq(1)
        with m.If(self.clear_stb):
            m.d.sync += self.saturated.eq(0)

        clocks = READ_CLOCKS - 1
        inside = delayed(m, self.read.address < self._entries << word_shift, clocks, "inside")
        bank = delayed(m, self.read.bank, clocks, "bank")
        values = [Cat(limb.read_data[which] for limb in self.limbs) for which in range(self._banks)]
        value = Mux(bank, values[-1], values[0])
        if word_shift:
            value = Mux(
                delayed(m, self.read.address[0], clocks, "high"),
                value[WORD_BITS:],
                value[:WORD_BITS],
            )
        m.d.sync += self.read.data.eq(Mux(inside, value, 0))
        return m
