"""The trigger: finds the first event that breaks a threshold, and ends what is kept after it."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import StopReason
from plexor_hdl.interfaces import INDEX_BITS, TIME_BITS

POST_CLOCKS_BITS = 16


class Moment(data.Struct):
    """An event's index and time."""

    index: INDEX_BITS
    time_ticks: TIME_BITS


class Trigger(wiring.Component):
    """Keeps the first trigger of a run, and says when enough has followed.

    The first of `latency_stb` and `missed_stb` counts, each while armed, the latency's where both
    come.

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
        taken: An event was taken.
        triggered: There was a trigger.
        reason: What triggered; valid with `triggered`.
        at: Its event's index and time; 0 without Feature.RING.
        over: Half the ring's depth of further events were taken, or 2**POST_CLOCKS_BITS clocks
            passed.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._post_events = geometry.ring_depth // 2
        # Index and time need room in every stage from the matcher on, so only some builds do this.
        self._kept = Feature.RING in geometry.features
        super().__init__(
            {
                "clear": In(1),
                "armed_latency": In(1),
                "armed_missed": In(1),
                "latency_stb": In(1),
                "latency": In(Moment),
                "missed_stb": In(1),
                "missed": In(Moment),
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
        latency_hit, missed_hit = Signal(), Signal()
        m.d.comb += [
            latency_hit.eq(self.latency_stb & self.armed_latency),
            missed_hit.eq(self.missed_stb & self.armed_missed),
        ]
        with m.If(self.triggered):
            m.d.sync += [clocks.eq(clocks + 1), events.eq(events + self.taken)]
            with m.If((events == self._post_events) | clocks.all()):
                m.d.sync += self.over.eq(1)
        with m.Elif(latency_hit | missed_hit):
            m.d.sync += [
                self.triggered.eq(1),
                self.reason.eq(Mux(latency_hit, StopReason.LATENCY, StopReason.MISSED)),
            ]
            if self._kept:
                m.d.sync += self.at.eq(Mux(latency_hit, self.latency, self.missed))
        with m.If(self.clear):
            m.d.sync += [
                self.triggered.eq(0),
                self.over.eq(0),
                events.eq(0),
                clocks.eq(0),
            ]
        return m
