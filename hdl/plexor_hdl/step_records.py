"""Step records: what every channel's counts were at the end of each step of the sweep table."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import CLASSES, STATISTICS, STEP, VALUE_BITS
from plexor.protocol.registers import MAX_STEPS
from plexor_hdl.engine import Engine
from plexor_hdl.fetch import plain_memory
from plexor_hdl.interfaces import READ_CLOCKS, TIME_BITS, Sample, SpaceRead
from plexor_hdl.limb import Line
from plexor_hdl.measure import Measure
from plexor_hdl.words import WORD_BITS

SETTLE_CLOCKS = Measure.FALL_CLOCKS + Engine.LATENCY + 4
"""More than an event takes from the matcher to the words that are read."""
RECORD_WORDS = STEP.size_bytes * 8 // WORD_BITS
STEP_BITS = (MAX_STEPS - 1).bit_length()
CHAINED = 6
"""The word of statistics whose carry comes from the field before, the lower half of its sum."""
STATISTICS_WORDS = STATISTICS.size_bytes * 8 // WORD_BITS


class Extent(wiring.Component):
    """Least and greatest value of each channel's samples since `clear_stb`; 0 without any.

    `valid` samples of a channel must be 3 clocks apart or more, and 3 before they are looked at.
    """

    def __init__(self, channels: int, channel_bits: int) -> None:
        self._channels = channels
        super().__init__(
            {
                "valid": In(1),
                "channel": In(channel_bits),
                "value_ticks": In(signed(VALUE_BITS)),
                "clear_stb": In(1),
                "least": Out(data.ArrayLayout(signed(VALUE_BITS), channels)),
                "greatest": Out(data.ArrayLayout(signed(VALUE_BITS), channels)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        some = Signal(self._channels)
        valid = Line(m, self.valid, "valid")
        channel = Line(m, self.channel, "channel")
        value = Line(m, self.value_ticks, "value")
        least, greatest = Signal.like(value[0]), Signal.like(value[0])
        less, more = Signal(), Signal()
        m.d.sync += [
            least.eq(self.least[channel[0]]),
            greatest.eq(self.greatest[channel[0]]),
            less.eq((value[1] < least) | ~some.bit_select(channel[1], 1)),
            more.eq((value[1] > greatest) | ~some.bit_select(channel[1], 1)),
        ]
        where, what = channel[2], value[2]
        with m.If(valid[2]):
            m.d.sync += some.bit_select(where, 1).eq(1)
            with m.If(less):
                m.d.sync += self.least[where].eq(what)
            with m.If(more):
                m.d.sync += self.greatest[where].eq(what)
        with m.If(self.clear_stb):
            m.d.sync += [some.eq(0), self.least.eq(0), self.greatest.eq(0)]
        return m


class StepRecords(wiring.Component):
    """Keeps a record plexor.protocol.memory.STEP of each channel at the end of each step.

    `step_stb` or, where `on`, `final_stb` begins one, `end_ticks` being its time. Nothing may be
    counted from the clock after it until `done_stb`, SETTLE_CLOCKS + READ_CLOCKS + 4 clocks later
    and a record's words a channel. For as many clocks as words `reading` is high: then the two
    memories are read from here, else from where the dumper reads (`i_`...). `final_seen` follows
    the last record, or without `on` a `final_stb`. `step` counts records since `clear`.

    `read` has bank 0 only; what is beyond the last record is 0. Reset: no records.
    """

    def __init__(self, geometry: Geometry) -> None:
        # Half a record is classes, a quarter the counts and sums that statistics begin with.
        sums = [
            [field.name for field in fields] for fields in (STEP.fields[8:12], STATISTICS.fields)
        ]
        if RECORD_WORDS != 4 * CLASSES or sums[0] != sums[1][:4]:
            raise ValueError("plexor.protocol.memory: not the records that are made here")
        self._channels = geometry.channels
        self._key_bits = geometry.key_bits
        super().__init__(
            {
                "clear": In(1),
                "on": In(1),
                "step_stb": In(1),
                "final_stb": In(1),
                "end_ticks": In(TIME_BITS),
                "pending": In(data.ArrayLayout(32, geometry.channels)),
                "i_valid": In(1),
                "i_sample": In(Sample(geometry.key_bits + 1)),
                "i_classes": In(SpaceRead()),
                "i_statistics": In(SpaceRead()),
                "classes": Out(SpaceRead()),
                "statistics": Out(SpaceRead()),
                "read": In(SpaceRead()),
                "reading": Out(1),
                "busy": Out(1),
                "done_stb": Out(1),
                "final_seen": Out(1),
                "step": Out(range(MAX_STEPS + 1)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        bits = max(self._key_bits, 1)
        sample = self.i_sample
        m.submodules.extent = extent = Extent(self._channels, bits)
        m.d.comb += [
            extent.valid.eq(self.i_valid & ~sample.key[self._key_bits]),
            extent.channel.eq(sample.key[: self._key_bits]),
            extent.value_ticks.eq(sample.value_ticks),
            extent.clear_stb.eq(self.clear | self.done_stb),
        ]
        wait = Signal(range(SETTLE_CLOCKS))
        place, channel = Signal(range(RECORD_WORDS)), Signal(bits)
        end_ticks, final = Signal(TIME_BITS), Signal()
        m.d.comb += [self.final_seen.eq(Mux(self.on, self.done_stb & final, self.final_stb))]
        m.d.sync += self.done_stb.eq(0)
        with m.FSM(name="records") as fsm:
            m.d.comb += [
                self.busy.eq(~fsm.ongoing("READY")),
                self.reading.eq(fsm.ongoing("READ")),
            ]
            with m.State("READY"):
                m.d.sync += [wait.eq(SETTLE_CLOCKS - 1), place.eq(0), channel.eq(0)]
                with m.If(self.step_stb | (self.final_stb & self.on)):
                    m.d.sync += [end_ticks.eq(self.end_ticks), final.eq(self.final_stb)]
                    m.next = "SETTLE"
            with m.State("SETTLE"):
                m.d.sync += wait.eq(wait - 1)
                with m.If(wait == 0):
                    m.next = "READ"
            with m.State("READ"):
                m.d.sync += [place.eq(place + 1), wait.eq(READ_CLOCKS + 2)]
                with m.If(place.all()):
                    m.d.sync += channel.eq(channel + 1)
                    with m.If(channel == self._channels - 1):
                        m.next = "WRITE"
            with m.State("WRITE"):
                m.d.sync += wait.eq(wait - 1)
                with m.If(wait == 0):
                    m.d.sync += [self.done_stb.eq(1), self.step.eq(self.step + 1)]
                    m.next = "READY"
        with m.If(self.clear):
            m.d.sync += self.step.eq(0)

        self._ports(m, place, channel)
        self._copy(m, place, channel, extent, end_ticks)
        return m

    def _ports(self, m, place, channel) -> None:
        """Read a word of classes and one of statistics each clock, of either bank in turn."""
        rows = Array(Const(n * STATISTICS_WORDS) for n in range(self._channels))
        for ours, dumpers, address in (
            (self.classes, self.i_classes, Cat(place[1:], channel)),
            (self.statistics, self.i_statistics, rows[channel] + place[1:4]),
        ):
            m.d.comb += [
                ours.address.eq(Mux(self.reading, address, dumpers.address)),
                ours.bank.eq(Mux(self.reading, place[0], dumpers.bank)),
                dumpers.data.eq(ours.data),
            ]

    def _copy(self, m, place, channel, extent, end_ticks) -> None:
        """Add up the banks' words and write them, those of statistics a clock after the others."""
        places, channels = Line(m, place, "place"), Line(m, channel, "channel")
        valid = Line(m, self.reading, "valid")
        there = READ_CLOCKS
        number = places[there][1:]
        sums = []
        for name, port, carried in (
            ("classes", self.classes, number[0]),
            ("statistics", self.statistics, number[0] | (number[:3] == CHAINED)),
        ):
            first, carry = Signal(WORD_BITS, name=f"{name}_first"), Signal(name=f"{name}_carry")
            total = Signal(WORD_BITS, name=f"{name}_total")
            with m.If(places[there][0]):
                m.d.sync += Cat(total, carry).eq(first + port.data + (carry & carried))
            with m.Else():
                m.d.sync += first.eq(port.data)
            sums.append(total)

        after = places[there + 2]
        rest = []
        for value in (
            *(Array(kept)[channels[there + 2]] for kept in (extent.least, extent.greatest)),
            Array(self.pending)[channels[there + 2]],
            end_ticks,
        ):
            wide = Signal(signed(2 * WORD_BITS), name=f"wide{len(rest)}")
            m.d.comb += wide.eq(value)
            rest += [wide[:WORD_BITS], wide[WORD_BITS:]]
        m.submodules.memory = memory = plain_memory(
            WORD_BITS, MAX_STEPS << self._key_bits + (RECORD_WORDS - 1).bit_length()
        )
        write = memory.write_port()

        halves = (
            (there + 1, sums[0]),
            (there + 2, Mux(after[-1], Array(rest)[after[1:-1]], sums[1])),
        )
        for half, (clocks, word) in enumerate(halves):
            here = valid[clocks] & places[clocks][0]
            number = Cat(places[clocks][1:], Const(half, 1))
            where = Cat(number, channels[clocks][: self._key_bits], self.step[:-1])
            with m.If(here):
                m.d.comb += [write.en.eq(1), write.addr.eq(where), write.data.eq(word)]
        self._read(m, memory)

    def _read(self, m, memory) -> None:
        read = memory.read_port()
        address = Signal.like(read.addr)
        recorded = Line(
            m,
            ~self.read.bank & (self.read.address >> len(address) - STEP_BITS < self.step),
            "recorded",
        )
        word = Signal(WORD_BITS)
        m.d.sync += [
            address.eq(self.read.address),
            word.eq(read.data),
            self.read.data.eq(Mux(recorded[READ_CLOCKS - 1], word, 0)),
        ]
        m.d.comb += read.addr.eq(address)
