# SPDX-License-Identifier: Apache-2.0
"""The code in force: how long each code lasts, and how late answers are to strikes that meet it."""

from dataclasses import dataclass

from amaranth.hdl import Cat, Module, Mux, Signal, Value, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import VALUE_BITS, table_bits
from plexor.protocol.registers import CODE
from plexor_hdl.capture.code_port import CodeValue
from plexor_hdl.interfaces import TIME_BITS, Kind, Measured, SpaceRead, block_layout
from plexor_hdl.lib.memory_reader import plain_memory
from plexor_hdl.lib.split_sum import added
from plexor_hdl.results.code_table import CodeTable

HALF_BITS = TIME_BITS // 2
TURN_CLOCKS = 4
"""Clocks that a time and a latency take together."""
LATENCY_TURN = 2
"""The clock of a turn in which a latency goes to the table; a time goes in clock 0."""
PLACES = 16
ROOM = 4
"""Codes that still fit when `hold` rises: two to come, two on their way. The others fill the turns
in which the matcher looks at all channels. A turn that is lost is never made up for where a code
comes each TURN_CLOCKS."""


@dataclass(frozen=True)
class Sample:
    """A value for the table. `comes`: one is on its way to `waits`."""

    waits: Value
    comes: Value
    place: Value
    ticks: Value


class CodeTables(wiring.Component):
    """Counts times from code to code, and latencies of one channel by the code at the strike.

    A code that is not sent counts as others do, and so does a torn one. The level before the first
    code has no time. Both are in one table, which takes a time and a latency in turn.

    Latency: up to PLACES x TURN_CLOCKS from a code to the table, up to TURN_CLOCKS + 1 from a
        latency. `idle` falls a clock after a code, 3 clocks after a latency, and
        rises once it is in memory.
    Throughput: a code, and a latency, each TURN_CLOCKS (4); PLACES - ROOM codes may come at once.
    Reset: no code has come; a clear must come before the first one.
    Wrap: times are modulo 2**64 ticks.
    Full: `hold` is high while fewer than ROOM places are free.

    Ports:
        code_stb: A code comes into force, 2 clocks after another at the earliest.
        code: Its value, up to the next one.
        time_ticks: Its time, valid with `code_stb`.
        sent_stb: The event of a code comes. Its value stands at `code` from the clock before on.
        hold: No code may come.
        settings: The registers of the code port.
        stop_stb: The code that is sent is `stop_code`.
        measured: A value on its way to the results. It stands for a clock more than it is offered.
        measured_valid: It is offered.
        measured_ready: It is taken.
        idle: No code and no latency is under way.
        read: Reads Space.CODES.
        clear_stb: Zeroes all records, and forgets the last code.
        clear_busy: 1 while that takes; nothing may come.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        super().__init__(
            {
                "code_stb": In(1),
                "code": In(CodeValue()),
                "time_ticks": In(TIME_BITS),
                "sent_stb": In(1),
                "hold": Out(1),
                "settings": In(block_layout(CODE)),
                "stop_stb": Out(1),
                "measured": In(Measured(geometry)),
                "measured_valid": In(1),
                "measured_ready": In(1),
                "idle": Out(1, init=1),
                "read": In(SpaceRead()),
                "clear_stb": In(1),
                "clear_busy": Out(1),
            }
        )

    def elaborate(self, platform) -> Module:
        m = Module()
        m.submodules.table = table = CodeTable(table_bits(self._geometry) + 1)
        wiring.connect(m, wiring.flipped(self.read), table.read)
        turn = Signal(range(TURN_CLOCKS))
        m.d.sync += turn.eq(turn + 1)
        ended, *lasting = self._lasting(m)
        time, latency = self._times(m, turn, ended, *lasting), self._latency(m, turn)
        second, stops = turn[-1], Signal()
        m.d.sync += stops.eq(self.code.code == self.settings.stop_code)
        m.d.comb += [
            table.stb.eq(Mux(second, latency.waits, time.waits) & ~turn[0]),
            table.place.eq(Cat(Mux(second, latency.place, time.place), second)),
            table.value_ticks.eq(Mux(second, latency.ticks, time.ticks)),
            table.clear_stb.eq(self.clear_stb),
            self.clear_busy.eq(table.clear_busy),
            self.stop_stb.eq(self.sent_stb & stops),
        ]
        waits = (each.waits | each.comes for each in (time, latency))
        busy = Cat(self.code_stb, *waits).any()
        m.d.sync += self.idle.eq(~busy & table.idle)
        return m

    def _lasting(self, m: Module):
        """Return a strobe, a clock after each code but the first, and what it has ended.

        That is the place of the code before, and how long it lasted.
        """
        code_bits, place_bits = self._geometry.code_bits, table_bits(self._geometry)
        last_ticks, last, known = Signal(TIME_BITS), Signal(place_bits), Signal()
        ended, place, low = Signal(), Signal(place_bits), Signal(HALF_BITS + 1)
        new_high, old_high = Signal(HALF_BITS), Signal(HALF_BITS)
        time = self.time_ticks
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

    def _times(self, m: Module, turn, ended, place, ticks) -> Sample:
        """Queue times; return the one whose turn is next. It stands for its turn."""
        m.submodules.queue = queue = plain_memory(
            data.StructLayout({"place": len(place), "ticks": TIME_BITS}), PLACES
        )
        write, read = queue.write_port(), queue.read_port(domain="comb")
        level, goes = Signal(range(PLACES + 1)), Signal()
        stands, next_up = Signal(), Signal.like(read.data)
        m.d.comb += [
            write.en.eq(ended),
            write.data.place.eq(place),
            write.data.ticks.eq(ticks),
        ]
        m.d.sync += [
            write.addr.eq(write.addr + ended),
            read.addr.eq(read.addr + goes),
            level.eq(level + ended - goes),
            self.hold.eq(level > PLACES - ROOM),
            next_up.eq(read.data),
            stands.eq(level.any()),
            goes.eq(stands & (turn == 0)),
        ]
        return Sample(stands, ended | level.any(), next_up.place, next_up.ticks)

    def _latency(self, m: Module, turn) -> Sample:
        """Return the latest latency of the chosen channel. It stands for its turn."""
        measured = self.measured
        came, waits, counted, taken = Signal(), Signal(), Signal(), Signal()
        place, ticks = Signal.like(measured.code), Signal(signed(VALUE_BITS))
        next_place, next_ticks = Signal.like(place), Signal.like(ticks)
        m.d.sync += taken.eq(self.measured_valid & self.measured_ready)
        m.d.comb += counted.eq(
            taken
            & (measured.kind == Kind.RISE)
            & (measured.channel == self.settings.latency_channel)
        )
        with m.If(turn == LATENCY_TURN - 1):
            m.d.sync += [
                came.eq(0),
                waits.eq(came),
                place.eq(next_place),
                ticks.eq(next_ticks),
            ]
        with m.If(counted):
            m.d.sync += [
                came.eq(1),
                next_place.eq(measured.code),
                next_ticks.eq(measured.value_ticks),
            ]
        return Sample(waits, came, place, ticks)
