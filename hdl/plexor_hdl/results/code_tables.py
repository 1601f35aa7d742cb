"""The code in force: how long each code lasts, and how late answers are to strikes that meet it."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import SOURCE_CODE
from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import VALUE_BITS, VALUE_MOST, table_bits
from plexor.protocol.registers import CODE
from plexor_hdl.capture.code_port import CodeValue
from plexor_hdl.interfaces import TIME_BITS, Event, Kind, Measured, SpaceRead, block_layout
from plexor_hdl.lib.memory_reader import plain_memory
from plexor_hdl.lib.split_sum import added
from plexor_hdl.results.code_table import STAND_CLOCKS, CodeTable

HALF_BITS = TIME_BITS // 2
PLACES = 16
ROOM = 6
"""Codes that still fit when `hold` rises: two to come, two on their way, and one to spare each."""


class CodeTables(wiring.Component):
    """Counts times from code to code, and latencies of one channel by the code at the strike.

    A code that is not sent counts as others do, and so does a torn one. A time above VALUE_MOST is
    whole in the sum, and VALUE_MOST in the extremes. The level before the first code has no time.

    Latency: up to PLACES x 4 clocks from a code to the table, 1 clock from a latency to its table.
        `idle` falls a clock after either, and rises once it is in memory.
    Throughput: a code, and a latency, each 4 clocks; PLACES - ROOM codes may come at once.
    Reset: no code has come; a clear must come before the first one.
    Wrap: times are modulo 2**64 ticks.
    Full: `hold` is high while fewer than ROOM places are free.

    Ports:
        code_stb: A code comes into force, 2 clocks after another at the earliest.
        code: Its value, up to the next one.
        event: An event; while `code_stb`, its time is the code's.
        event_stb: It is one that is sent.
        hold: No code may come.
        settings: The registers of the code port.
        stop_stb: Strobes at the event of a code that is `stop_code`.
        measured: A value on its way to the results.
        measured_stb: It is taken.
        idle: No code and no latency is under way.
        times: Reads Space.CODE_TIMES.
        latencies: Reads Space.CODE_LATENCY.
        clear_stb: Zeroes both tables, and forgets the last code.
        clear_busy: 1 while that takes; nothing may come.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        super().__init__(
            {
                "code_stb": In(1),
                "code": In(CodeValue()),
                "event": In(Event()),
                "event_stb": In(1),
                "hold": Out(1),
                "settings": In(block_layout(CODE)),
                "stop_stb": Out(1),
                "measured": In(Measured(geometry)),
                "measured_stb": In(1),
                "idle": Out(1, init=1),
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
        lasting = self._lasting(m)
        counting = self._count_times(m, times, *lasting)
        self._count_latencies(m, latencies)
        is_code = self.event.source == SOURCE_CODE
        m.d.comb += [
            *(table.clear_stb.eq(self.clear_stb) for table in (times, latencies)),
            self.clear_busy.eq(times.clear_busy | latencies.clear_busy),
            self.stop_stb.eq(
                self.event_stb & is_code & (self.code.code == self.settings.stop_code)
            ),
        ]
        busy = self.code_stb | self.measured_stb | lasting[0] | counting | latencies.stb
        m.d.sync += self.idle.eq(~busy & times.idle & latencies.idle)
        return m

    def _lasting(self, m: Module):
        """Return a strobe, a clock after each code but the first, and what it has ended.

        That is the place of the code before, and how long it lasted.
        """
        code_bits, place_bits = self._geometry.code_bits, table_bits(self._geometry)
        last_ticks, last, known = Signal(TIME_BITS), Signal(place_bits), Signal()
        ended, place, low = Signal(), Signal(place_bits), Signal(HALF_BITS + 1)
        new_high, old_high = Signal(HALF_BITS), Signal(HALF_BITS)
        time = self.event.time_ticks
        m.d.sync += ended.eq(self.code_stb & known)
        with m.If(self.code_stb):
            m.d.sync += [
                known.eq(1),
                last.eq(self.code.code[code_bits - place_bits : code_bits]),
                last_ticks.eq(time),
                place.eq(last),
                low.eq(added(time[:HALF_BITS], ~last_ticks[:HALF_BITS], 1)),
                new_high.eq(time[HALF_BITS:]),
                old_high.eq(last_ticks[HALF_BITS:]),
            ]
        with m.If(self.clear_stb):
            m.d.sync += known.eq(0)
        high = added(new_high, ~old_high, low[-1])[:HALF_BITS]
        return ended, place, Cat(low[:HALF_BITS], high)

    def _count_times(self, m: Module, table: CodeTable, ended, place, ticks) -> Signal:
        """Queue times, and hand one to the table each STAND_CLOCKS; return whether there is one."""
        m.submodules.queue = queue = plain_memory(
            data.StructLayout({"place": len(place), "ticks": TIME_BITS}), PLACES
        )
        write, read = queue.write_port(), queue.read_port(domain="comb")
        level, wait = Signal(range(PLACES + 1)), Signal(range(STAND_CLOCKS))
        take, there = Signal(), Signal()
        m.d.comb += [
            there.eq(level.any()),
            take.eq(there & ~wait.any()),
            write.en.eq(ended),
            write.data.place.eq(place),
            write.data.ticks.eq(ticks),
        ]
        m.d.sync += [
            write.addr.eq(write.addr + ended),
            read.addr.eq(read.addr + take),
            level.eq(level + ended - take),
            self.hold.eq(level > PLACES - ROOM),
            table.stb.eq(take),
            wait.eq(Mux(take, STAND_CLOCKS - 1, wait - wait.any())),
        ]
        with m.If(take):
            m.d.sync += [table.place.eq(read.data.place), table.value_ticks.eq(read.data.ticks)]
        above = table.value_ticks[VALUE_BITS - 1 :].any()
        m.d.comb += table.extreme_ticks.eq(Mux(above, VALUE_MOST, table.value_ticks[:VALUE_BITS]))
        return there | table.stb

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
