# SPDX-License-Identifier: Apache-2.0
"""The trigger: finds the first event that breaks a threshold, and ends what is kept after it."""

from amaranth.hdl import Const, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import StopReason
from plexor_hdl.interfaces import INDEX_BITS, TIME_BITS

POST_CLOCKS_BITS = 16


class Moment(data.Struct):
    """An event's index and time."""

    index: INDEX_BITS
    time_ticks: TIME_BITS


class Trigger(wiring.Component):
    """Keeps the first trigger of a run, and says when enough has followed.

    The first strobe counts, while armed; of several that come at once, the one that is first here.
    After a stall enough has followed at once: what matters came before it.

    Latency: 1 clock from a strobe to `triggered`, `reason` and `at`, 2 from the last further event
        to `over`.
    Throughput: one strobe each clock.
    Reset: not triggered. `clear` does the same; `reason` and `at` stay.
    Wrap: its counts wrap after `over` has risen, which stays.
    Full: it keeps one trigger; later ones are ignored until `clear`.

    Ports:
        clear: Forgets the trigger.
        armed_latency: A latency may trigger.
        armed_missed: A missed strike may trigger.
        latency_stb: A latency is over the threshold.
        latency: The event with that latency; valid with `latency_stb`.
        missed_stb: A strike was missed.
        missed: The event at which it was missed; valid with `missed_stb`.
        code_stb: With a code port: the code to stop at came.
        code: With a code port: its event; valid with `code_stb`.
        armed_code: With a code port: such a code may trigger.
        stall_stb: With a code port: a source stalled.
        stall: With a code port: when; valid with `stall_stb`.
        taken: An event was taken.
        triggered: There was a trigger.
        reason: What triggered; valid with `triggered`.
        at: Its event's index and time, if it `keeps` them; else 0.
        over: Half the ring's depth of further events were taken, or 2**POST_CLOCKS_BITS clocks
            passed.
    """

    def __init__(self, geometry: Geometry, *, keeps: bool) -> None:
        self._post_events = geometry.ring_depth // 2
        self._codes, self._keeps = bool(geometry.code_bits), keeps
        codes = {
            "armed_code": In(1),
            "code_stb": In(1),
            "code": In(Moment),
            "stall_stb": In(1),
            "stall": In(Moment),
        }
        super().__init__(
            {
                "clear": In(1),
                "armed_latency": In(1),
                "armed_missed": In(1),
                "latency_stb": In(1),
                "latency": In(Moment),
                "missed_stb": In(1),
                "missed": In(Moment),
                **(codes if self._codes else {}),
                "taken": In(1),
                "triggered": Out(1),
                "reason": Out(StopReason),
                "at": Out(Moment),
                "over": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        events = Signal(range(self._post_events + 1))
        clocks = Signal(POST_CLOCKS_BITS)
        hits = [
            (self.latency_stb & self.armed_latency, StopReason.LATENCY, self.latency),
            (self.missed_stb & self.armed_missed, StopReason.MISSED, self.missed),
        ]
        stalled = Const(0)
        if self._codes:
            hits += [
                (self.code_stb & self.armed_code, StopReason.CODE, self.code),
                (self.stall_stb, StopReason.STALL, self.stall),
            ]
            stalled = self.reason == StopReason.STALL
        with m.If(self.triggered):
            m.d.sync += [clocks.eq(clocks + 1), events.eq(events + self.taken)]
            with m.If((events == self._post_events) | clocks.all() | stalled):
                m.d.sync += self.over.eq(1)
        for hit, reason, at in hits:
            with m.Elif(hit):
                m.d.sync += [self.triggered.eq(1), self.reason.eq(reason)]
                if self._keeps:
                    m.d.sync += self.at.eq(at)
        with m.If(self.clear):
            m.d.sync += [
                self.triggered.eq(0),
                self.over.eq(0),
                events.eq(0),
                clocks.eq(0),
            ]
        return m
