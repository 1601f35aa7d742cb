"""The code in force: how long each code lasts, and how late answers are to strikes that meet it."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import CODE_BITS, SOURCE_CODE_VALUE
from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import VALUE_BITS, VALUE_MOST, table_bits
from plexor.protocol.registers import CODE
from plexor_hdl.capture.code_port import CodeValue
from plexor_hdl.interfaces import TIME_BITS, Event, Kind, Measured, SpaceRead, block_layout
from plexor_hdl.lib.history import Line
from plexor_hdl.lib.split_sum import added
from plexor_hdl.results.code_table import CodeTable

HALF_BITS = TIME_BITS // 2
STOP_CLOCKS = 4
"""Clocks from `code_stb` to `stop_stb`: as many as the matcher takes to show the event."""


class CodeTables(wiring.Component):
    """Counts times from code to code, and latencies of one channel by the code at the strike.

    Codes are counted in the order of events: strikes of the same tick come before a code. Its value
    is there by then: it is at most 9 clocks younger than the code's beginning, and an event takes
    more to pass the merge. A torn code counts as others do. A time above VALUE_MOST is whole in the
    sum, and VALUE_MOST in the extremes. The level before the first code has no time. Until then the
    code in force is 0.

    Latency: 2 clocks from `code_stb` to `in_force`, 3 to the table of times; 1 clock from a
        latency to its table. `idle` rises 14 clocks after the last of either.
    Throughput: a code, and a latency, each 4 clocks; no event comes twice as often.
    Reset: no code is in force; a clear must come before the first one.
    Wrap: times are modulo 2**64 ticks.
    Full: never; each code has its place.

    Ports:
        event: An event of the capture, with its whole time; valid with `event_stb`.
        event_stb: Strobes once for each event.
        value: The value of a code, where the event is one of SOURCE_CODE_VALUE.
        code_stb: The matcher takes a code, whose value was the last one that was told here.
        settings: The registers of the code port.
        in_force: The code in force, as an entry of the tables.
        stop_stb: Strobes when the code in force is `stop_code`, STOP_CLOCKS after its `code_stb`.
        measured: A value on its way to the results.
        measured_stb: It is taken.
        bank: Bank that counts; it may change while `idle`.
        idle: No code and no latency is under way.
        times: Reads Space.CODE_TIMES.
        latencies: Reads Space.CODE_LATENCY.
        clear_stb: Zeroes both tables, and forgets the code in force.
        clear_busy: 1 while that takes; nothing may come.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        self._place_bits = table_bits(geometry)
        super().__init__(
            {
                "event": In(Event()),
                "event_stb": In(1),
                "value": In(CodeValue()),
                "code_stb": In(1),
                "settings": In(block_layout(CODE)),
                "in_force": Out(self._place_bits),
                "stop_stb": Out(1),
                "measured": In(Measured(geometry)),
                "measured_stb": In(1),
                "bank": In(1),
                "idle": Out(1),
                "times": In(SpaceRead()),
                "latencies": In(SpaceRead()),
                "clear_stb": In(1),
                "clear_busy": Out(1),
            }
        )

    def elaborate(self, platform) -> Module:
        m = Module()
        m.submodules.times = times = CodeTable(self._geometry)
        m.submodules.latencies = latencies = CodeTable(self._geometry)
        wiring.connect(m, wiring.flipped(self.times), times.read)
        wiring.connect(m, wiring.flipped(self.latencies), latencies.read)
        due = self._count_times(m, times)
        self._count_latencies(m, latencies)
        m.d.comb += [
            *(table.bank.eq(self.bank) for table in (times, latencies)),
            *(table.clear_stb.eq(self.clear_stb) for table in (times, latencies)),
            self.clear_busy.eq(times.clear_busy | latencies.clear_busy),
            self.idle.eq(
                times.idle
                & latencies.idle
                & ~latencies.stb
                & ~Cat(self.code_stb, *(due[clocks] for clocks in range(3))).any()
            ),
        ]
        return m

    def _count_times(self, m: Module, table: CodeTable) -> Line:
        """Take codes into force, and count how long those before them lasted."""
        come_ticks, last_ticks = Signal(TIME_BITS), Signal(TIME_BITS)
        code = Signal(CODE_BITS)
        with m.If(self.event_stb & (self.event.source == SOURCE_CODE_VALUE)):
            m.d.sync += [come_ticks.eq(self.event.time_ticks), code.eq(self.value.code)]
        due_now, known, counts = Signal(), Signal(), Signal()
        m.d.sync += due_now.eq(self.code_stb)
        due = Line(m, due_now, "due")
        low, high = Signal(HALF_BITS + 1), Signal(HALF_BITS)
        with m.If(due[0]):
            m.d.sync += [
                low.eq(added(come_ticks[:HALF_BITS], ~last_ticks[:HALF_BITS], 1)),
                table.place.eq(self.in_force),
                self.in_force.eq(code[self._geometry.code_bits - self._place_bits :]),
                counts.eq(known),
                known.eq(1),
            ]
        with m.If(due[1]):
            m.d.sync += [
                high.eq(added(come_ticks[HALF_BITS:], ~last_ticks[HALF_BITS:], low[-1])),
                last_ticks.eq(come_ticks),
            ]
        stops = Signal()
        m.d.sync += stops.eq(code == self.settings.stop_code)
        m.d.comb += [
            self.stop_stb.eq(due[STOP_CLOCKS - 1] & stops),
            table.stb.eq(due[2] & counts),
            table.value_ticks.eq(Cat(low[:HALF_BITS], high)),
            table.extreme_ticks.eq(
                Mux(high.any() | low[VALUE_BITS - 1], VALUE_MOST, low[:VALUE_BITS])
            ),
        ]
        with m.If(self.clear_stb):
            m.d.sync += [known.eq(0), self.in_force.eq(0)]
        return due

    def _count_latencies(self, m: Module, table: CodeTable) -> None:
        """Count latencies of the chosen channel."""
        measured = self.measured
        counted = Signal()
        m.d.comb += counted.eq(
            self.measured_stb
            & (measured.kind == Kind.RISE)
            & (measured.channel == self.settings.latency_channel)
        )
        m.d.sync += table.stb.eq(counted)
        with m.If(counted):
            m.d.sync += [
                table.place.eq(measured.code),
                table.extreme_ticks.eq(measured.value_ticks),
            ]
        m.d.comb += table.value_ticks.eq(table.extreme_ticks)
