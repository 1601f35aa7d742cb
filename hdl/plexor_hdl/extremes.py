"""The least and the greatest sample of each key, with the events of the first of each."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from plexor.protocol.memory import VALUE_BITS
from plexor_hdl.interfaces import INDEX_BITS, TIME_BITS, Sample
from plexor_hdl.limb import REACH, WRITE_STAGE, Line

HALF_BITS = VALUE_BITS // 2
EVENT = data.StructLayout({"index": INDEX_BITS, "time_ticks": TIME_BITS})
"""The event that completed a sample."""


def biased(value):
    """Return the bits of a signed value that, without sign, has its order."""
    return Cat(value[:-1], ~value[-1])


def halves_carry(left, right) -> list:
    """Return whether the low halves add up past their width, and whether the high halves do."""
    halves = (slice(HALF_BITS), slice(HALF_BITS, None))
    return [(left[half] + right[half])[HALF_BITS] for half in halves]


class Extremes(wiring.Component):
    """Minimum and maximum of each key of `key_bits` bits in each bank; on request their events.

    A sample is kept where it is beyond what memory has and beyond the samples before it that memory
    does not have yet: no result goes round, so nothing is forwarded. `same` (of a Lookback of REACH
    beats) is due 1 clock after `sample`.

    Latency: WRITE_STAGE clocks from a sample to the first `read_key` that shows it.
    Throughput: one sample a clock, of any keys. Outputs are those of `read_key` and `read_bank` 3
    clocks before, 0 where there was no sample since `clear`, undefined where a sample went to that
    bank in that clock. Reset clears.
    """

    def __init__(self, key_bits: int, banks: int, events: bool) -> None:
        self._key_bits = key_bits
        self._banks = banks
        self._events = events
        super().__init__(
            {
                "valid": In(1),
                "sample": In(Sample(key_bits)),
                "same": In(REACH),
                "read_key": In(key_bits),
                "read_bank": In(1),
                "min_ticks": Out(signed(VALUE_BITS)),
                "max_ticks": Out(signed(VALUE_BITS)),
                "min_event": Out(EVENT),
                "max_event": Out(EVENT),
                "clear": In(1),
            }
        )

    def elaborate(self, platform) -> Module:
        m = Module()
        keys = 1 << self._key_bits
        valid = Line(m, self.valid, "valid")
        key = Line(m, self.sample.key, "key")
        bank = Line(m, self.sample.bank if self._banks > 1 else Const(0, 1), "bank")
        value = Line(m, self.sample.value_ticks, "value_ticks")
        same = Line(m, self.same, "same")
        read_bank = Line(m, self.read_bank if self._banks > 1 else Const(0, 1), "read_bank")

        writes = [Signal(name="write_min"), Signal(name="write_max")]
        least, most = [], []
        known = []
        wrote = valid[WRITE_STAGE]
        wrote_key = key[WRITE_STAGE]
        written_bank = bank[WRITE_STAGE]
        for number in range(self._banks):
            address = Signal(self._key_bits, name=f"address_{number}")
            here = valid[0] & (bank[0] == number)
            m.d.sync += address.eq(Mux(here, key[0], self.read_key))
            used = Signal(keys, name=f"used_{number}")
            used_of = Array(used)
            with m.If(wrote & (written_bank == number)):
                m.d.sync += used_of[wrote_key].eq(1)
            with m.If(self.clear):
                m.d.sync += used.eq(0)
            known_2 = Signal(name=f"known_{number}")
            m.d.sync += known_2.eq(used_of[address])
            known.append(Line(m, known_2, f"known_{number}"))
            for name, write, found in zip(("min", "max"), writes, (least, most), strict=True):
                memory = self._memory(m, f"{name}_{number}", VALUE_BITS, keys)
                read_port, write_port = memory.read_port(domain="comb"), memory.write_port()
                fetched = self._fetched(m, read_port.data, f"{name}_{number}")
                stored = Signal(signed(VALUE_BITS), name=f"{name}_stored_{number}")
                inverted = -1 if name == "max" else 0
                m.d.sync += stored.eq(Mux(known_2, fetched, inverted))
                m.d.comb += [
                    read_port.addr.eq(address),
                    write_port.addr.eq(wrote_key),
                    write_port.data.eq(value[WRITE_STAGE] ^ inverted),
                    write_port.en.eq(write & (written_bank == number)),
                ]
                found.append(stored)

        def of(which, by_bank):
            return Mux(which, by_bank[1], by_bank[0]) if self._banks > 1 else by_bank[0]

        m.d.comb += [
            self.min_ticks.eq(of(read_bank[3], least)),
            self.max_ticks.eq(~of(read_bank[3], most)),
        ]
        # a < b where b + ~a carries: each operand is kept the way round in which it is added.
        inverse = Line(m, ~biased(value[0]), "inverse")
        low, high = slice(HALF_BITS), slice(HALF_BITS, None)
        news = [Signal(REACH, name="least_of_late"), Signal(REACH, name="most_of_late")]
        for ago in range(1, REACH + 1):
            now, then = value[1], value[1 + ago]
            flags = Signal(4, name=f"late_{ago}")
            m.d.sync += flags.eq(
                Cat(
                    *halves_carry(inverse[1], biased(then)),
                    now[low] == then[low],
                    now[high] == then[high],
                )
            )
            less = flags[1] | (flags[3] & flags[0])
            more = ~(less | flags[2:].all())
            for new, beyond in zip(news, (less, more), strict=True):
                m.d.sync += new[ago - 1].eq(beyond | ~same[1][ago - 1])
        first = Signal()
        m.d.sync += first.eq(~of(bank[3], [flag[1] for flag in known]))
        stored_min, stored_max = of(bank[3], least), of(bank[3], most)
        by_memory = [Signal(3, name="below_memory"), Signal(3, name="above_memory")]
        m.d.sync += [
            by_memory[0].eq(
                Cat(
                    *halves_carry(inverse[3], biased(stored_min)),
                    value[3][high] == stored_min[high],
                )
            ),
            by_memory[1].eq(
                Cat(
                    *halves_carry(biased(value[3]), biased(stored_max)),
                    value[3][high] == ~stored_max[high],
                )
            ),
        ]
        for new, flags, write in zip(news, by_memory, writes, strict=True):
            beyond_late = Signal(name=f"{new.name}_all")
            m.d.sync += [
                beyond_late.eq(new.all()),
                write.eq(valid[4] & beyond_late & (first | flags[1] | (flags[2] & flags[0]))),
            ]
        if self._events:
            event = Line(m, Cat(self.sample.index, self.sample.time_ticks), "event")
            read_known = of(read_bank[2], [flag[0] for flag in known])
            read_place = Line(m, Cat(self.read_key, self.read_bank), "read_place")
            width = self._key_bits + self._banks - 1
            for name, write in zip(("min_event", "max_event"), writes, strict=True):
                memory = self._memory(m, name, len(event[0]), self._banks * keys)
                read_port, write_port = memory.read_port(domain="comb"), memory.write_port()
                fetched = self._fetched(m, read_port.data, name)
                m.d.sync += getattr(self, name).as_value().eq(Mux(read_known, fetched, 0))
                m.d.comb += [
                    read_port.addr.eq(read_place[1][:width]),
                    write_port.addr.eq(Cat(wrote_key, written_bank)[:width]),
                    write_port.data.eq(event[WRITE_STAGE]),
                    write_port.en.eq(write),
                ]
        return m

    def _memory(self, m: Module, name: str, bits: int, depth: int) -> Memory:
        memory = Memory(shape=bits, depth=depth, init=[], attrs={"no_rw_check": 1})
        m.submodules[f"{name}_memory"] = memory
        return memory

    def _fetched(self, m: Module, word, name: str) -> Signal:
        """Return a word read from memory, one clock later."""
        # A port with its own clock would make yosys add logic for reads during writes.
        fetched = Signal(len(word), name=f"{name}_fetched")
        m.d.sync += fetched.eq(word)
        return fetched
