# SPDX-License-Identifier: Apache-2.0
"""The stall: finds when a source that should have events has none for too long."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.registers import CODE
from plexor_hdl.interfaces import INDEX_BITS, TIME_BITS, Event, block_layout
from plexor_hdl.lib.split_sum import added

HALF_BITS = TIME_BITS // 2


class Stall(wiring.Component):
    """Finds when `stall_source` has had no event for `stall_ticks`.

    The time counts from its last event or, before the first one, from the run's start. An event of
    the source at the last tick of that time comes early enough. The beats tell the time, so each
    event counts where it is in the stream. It can tell more than once.

    Latency: 2 clocks from the first beat behind the limit to `stall_stb`; beats come with the news
        of the time at least each IDLE_CLOCKS of Timebase.
    Throughput: a beat each 2 clocks.
    Reset: none is found before the limit was set by a start.
    Wrap: the limit wraps at 2**64 ticks.
    Full: never; it keeps one limit.

    Ports:
        settings: The registers of the code port.
        armed: A stall counts, unless `done`.
        done: No strike will come: a device has no reason to go on.
        now_ticks: The time, in ticks.
        capture: 1 in the clocks that belong to the run; the first one is its start.
        beat_valid: A beat is offered to the matcher.
        beat_ready: It is taken.
        is_event: The beat has an event.
        event: The event; without one only its time and the next index count. It stands for 2 clocks
            from then on, and so does `is_event`.
        stall_stb: There is a stall.
        index: How many events came before it.
        time_ticks: The limit: the source's last event and `stall_ticks`.
    """

    def __init__(self) -> None:
        super().__init__(
            {
                "settings": In(block_layout(CODE)),
                "armed": In(1),
                "done": In(1),
                "now_ticks": In(TIME_BITS),
                "capture": In(1),
                "beat_valid": In(1),
                "beat_ready": In(1),
                "is_event": In(1),
                "event": In(Event()),
                "stall_stb": Out(1),
                "index": Out(INDEX_BITS),
                "time_ticks": Out(TIME_BITS),
            }
        )

    def elaborate(self, platform) -> Module:
        m = Module()
        event, limit = self.event, self.time_ticks
        captured, begins, renews, beat = Signal(), Signal(), Signal(), Signal()
        own, compares, done = Signal(), Signal(), Signal()
        low, high = Signal(HALF_BITS + 1), Signal(HALF_BITS)
        low_over, high_over, high_same = Signal(), Signal(), Signal()
        time, start = event.time_ticks, Signal(TIME_BITS)
        m.d.comb += [
            begins.eq(self.capture & ~captured),
            own.eq(beat & self.is_event & (event.source == self.settings.stall_source)),
            start.eq(Mux(begins, self.now_ticks, time)),
        ]
        ticks = self.settings.stall_ticks
        m.d.sync += [
            beat.eq(self.beat_valid & self.beat_ready),
            captured.eq(self.capture),
            renews.eq(begins | own),
            low.eq(added(start[:HALF_BITS], ticks[:HALF_BITS], 0)),
            high.eq(start[HALF_BITS:]),
            done.eq(self.done),
            compares.eq(beat & captured & self.armed & ~done),
            low_over.eq(time[:HALF_BITS] > limit[:HALF_BITS]),
            high_over.eq(time[HALF_BITS:] > limit[HALF_BITS:]),
            high_same.eq(time[HALF_BITS:] == limit[HALF_BITS:]),
            self.index.eq(event.index),
        ]
        m.d.comb += self.stall_stb.eq(compares & (high_over | (high_same & low_over)))
        with m.If(renews):
            upper = Cat(ticks[HALF_BITS:], Const(0, TIME_BITS - len(ticks)))
            m.d.sync += limit.eq(Cat(low[:HALF_BITS], added(high, upper, low[-1])[:HALF_BITS]))
        return m
