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


def compare(m: Module, left, right, name: str):
    """Return left < right and left > right, of signed values, one clock later."""
    low, high = slice(HALF_BITS), slice(HALF_BITS, None)
    less = Signal(2, name=f"{name}_less")
    more = Signal(2, name=f"{name}_more")
    equal = Signal(name=f"{name}_equal")
    m.d.sync += [
        less.eq(Cat(left[low] < right[low], left[high].as_signed() < right[high].as_signed())),
        more.eq(Cat(left[low] > right[low], left[high].as_signed() > right[high].as_signed())),
        equal.eq(left[high] == right[high]),
    ]
    return less[1] | (equal & less[0]), more[1] | (equal & more[0])


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
                read_port, write_port = memory.read_port(), memory.write_port()
                stored = Signal(signed(VALUE_BITS), name=f"{name}_stored_{number}")
                m.d.sync += stored.eq(Mux(known_2, read_port.data, 0))
                m.d.comb += [
                    read_port.addr.eq(address),
                    write_port.addr.eq(wrote_key),
                    write_port.data.eq(value[WRITE_STAGE]),
                    write_port.en.eq(write & (written_bank == number)),
                ]
                found.append(stored)

        def of(which, by_bank):
            return Mux(which, by_bank[1], by_bank[0]) if self._banks > 1 else by_bank[0]

        m.d.comb += [
            self.min_ticks.eq(of(read_bank[3], least)),
            self.max_ticks.eq(of(read_bank[3], most)),
        ]
        news = [Signal(REACH, name="least_of_late"), Signal(REACH, name="most_of_late")]
        for ago in range(1, REACH + 1):
            flags = compare(m, value[1], value[1 + ago], f"late_{ago}")
            for new, beyond in zip(news, flags, strict=True):
                m.d.sync += new[ago - 1].eq(beyond | ~same[1][ago - 1])
        first = Signal()
        m.d.sync += first.eq(~of(bank[3], [flag[1] for flag in known]))
        by_memory = (
            compare(m, value[3], of(bank[3], least), "least")[0],
            compare(m, value[3], of(bank[3], most), "most")[1],
        )
        for new, beyond, write in zip(news, by_memory, writes, strict=True):
            beyond_late = Signal(name=f"{new.name}_all")
            m.d.sync += [
                beyond_late.eq(new.all()),
                write.eq(valid[4] & beyond_late & (first | beyond)),
            ]
        if self._events:
            event = Line(m, Cat(self.sample.index, self.sample.time_ticks), "event")
            read_known = of(read_bank[2], [flag[0] for flag in known])
            read_place = Line(m, Cat(self.read_key, self.read_bank), "read_place")
            width = self._key_bits + self._banks - 1
            for name, write in zip(("min_event", "max_event"), writes, strict=True):
                memory = self._memory(m, name, len(event[0]), self._banks * keys)
                read_port, write_port = memory.read_port(), memory.write_port()
                m.d.sync += getattr(self, name).as_value().eq(Mux(read_known, read_port.data, 0))
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
