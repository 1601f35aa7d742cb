"""The stamp: merged events get their full time and their index."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor_hdl.interfaces import INDEX_BITS, Event
from plexor_hdl.merge import GAP_BITS, MergedEvent
from plexor_hdl.timebase import IDLE_CLOCKS, LOW_BITS, epoch_bits


class Beat(data.Struct):
    """An event, or (`is_event` low) only the news that time has come to `event.time_ticks`.

    Every later event is at or after that time. `final` is the last beat of a run; its time is the
    tick after the run's last.
    """

    event: Event
    is_event: 1
    final: 1


class Stamp(wiring.Component):
    """Extends an event's clock to 64-bit ticks and numbers events, dropped ones included.

    While nothing is merged (`idle`), a beat without event goes out about every IDLE_CLOCKS with the
    time `idle_clock`. `final_valid` asks for the final beat at `idle_clock`, acknowledged by
    `final_ready`; it may be raised only when no event can follow, and takes the `rest` of dropped
    events into the next index. Latency 3 clocks, one beat a clock; back-pressure stops all stages.
    `clear` sets the next index to 0. An event must be stamped within 2**20 clocks.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        super().__init__(
            {
                "clear": In(1),
                "low": In(LOW_BITS),
                "epoch": In(epoch_bits(geometry)),
                "last_epoch": In(epoch_bits(geometry)),
                "i_valid": In(1),
                "i_ready": Out(1),
                "i_event": In(MergedEvent(len(geometry.sources), geometry.samples)),
                "idle": In(1),
                "idle_clock": In(LOW_BITS),
                "final_valid": In(1),
                "final_ready": Out(1),
                "rest": In(GAP_BITS),
                "o_valid": Out(1),
                "o_ready": In(1),
                "o_beat": Out(Beat),
                "next_index": Out(INDEX_BITS),
            }
        )

    def elaborate(self, platform):
        m = Module()
        fine_bits = (self._geometry.samples - 1).bit_length()
        stage = data.StructLayout(
            {
                "valid": 1,
                "is_event": 1,
                "final": 1,
                "late_epoch": 1,
                "clock": LOW_BITS,
                "fine": fine_bits,
                "source": 5,
                "polarity": 1,
                "gap": 1,
                "index": INDEX_BITS,
            }
        )
        first, second = Signal(stage), Signal(stage)
        limb_bits = INDEX_BITS // 3
        limbs = Array(Signal(limb_bits, name=f"limb{n}") for n in range(3))
        advance = Signal()
        m.d.comb += [
            advance.eq(~self.o_valid | self.o_ready),
            self.i_ready.eq(advance),
            self.final_ready.eq(advance & ~self.i_valid),
            self.next_index.eq(Cat(*limbs)),
        ]

        tick_due = Signal()
        clock = Signal(LOW_BITS)
        m.d.comb += clock.eq(Mux(self.i_valid, self.i_event.clock, self.idle_clock))
        step = Signal(GAP_BITS + 1)
        m.d.comb += step.eq(
            Mux(self.i_valid, self.i_event.gap + 1, Mux(self.final_valid, self.rest, 0))
        )
        added = Signal(GAP_BITS + 1)
        m.d.comb += added.eq(limbs[0] + step)
        sources = Array(Const(source, 5) for source in self._geometry.sources)

        with m.If(advance):
            m.d.sync += [
                first.valid.eq(self.i_valid | self.final_valid | (self.idle & tick_due)),
                first.is_event.eq(self.i_valid),
                first.final.eq(~self.i_valid & self.final_valid),
                first.late_epoch.eq(clock > self.low),
                first.clock.eq(clock),
                first.fine.eq(Mux(self.i_valid, self.i_event.fine, 0)),
                first.source.eq(sources[self.i_event.source]),
                first.polarity.eq(self.i_event.polarity),
                first.gap.eq(self.i_event.gap.any()),
                first.index[:limb_bits].eq(limbs[0] + Mux(self.i_valid, self.i_event.gap, 0)),
                tick_due.eq(0),
                limbs[0].eq(added),
            ]
            # The carries of the index follow its event, a limb a stage.
            carry_gap = Signal()
            carry_all = Signal()
            wide = Signal(GAP_BITS + 1)
            m.d.comb += wide.eq(limbs[0] + self.i_event.gap)
            m.d.sync += [
                carry_gap.eq(self.i_valid & wide[GAP_BITS]),
                carry_all.eq(added[GAP_BITS]),
            ]
            m.d.sync += [
                second.eq(first),
                second.index[limb_bits:].eq(limbs[1] + carry_gap),
                limbs[1].eq(limbs[1] + carry_all),
            ]
            mid_gap, mid_all = Signal(), Signal()
            m.d.sync += [
                mid_gap.eq((limbs[1] + carry_gap)[limb_bits]),
                mid_all.eq((limbs[1] + carry_all)[limb_bits]),
            ]
            epochs = Signal(data.ArrayLayout(len(self.epoch), 2))
            m.d.sync += [epochs[0].eq(self.epoch), epochs[1].eq(self.last_epoch)]
            epoch_r = Signal(len(self.epoch))
            m.d.sync += epoch_r.eq(Mux(first.late_epoch, epochs[1], epochs[0]))
            m.d.sync += [
                self.o_valid.eq(second.valid),
                self.o_beat.is_event.eq(second.is_event),
                self.o_beat.final.eq(second.final),
                self.o_beat.event.time_ticks.eq(Cat(second.fine, second.clock, epoch_r)),
                self.o_beat.event.source.eq(second.source),
                self.o_beat.event.polarity.eq(second.polarity),
                self.o_beat.event.gap.eq(second.gap),
                self.o_beat.event.index.eq(
                    Cat(second.index[: 2 * limb_bits], (limbs[2] + mid_gap)[:limb_bits])
                ),
                limbs[2].eq(limbs[2] + mid_all),
            ]
        with m.If(self.low[: IDLE_CLOCKS.bit_length() - 1] == 0):
            m.d.sync += tick_due.eq(1)
        with m.If(self.clear):
            m.d.sync += [limb.eq(0) for limb in limbs]
        return m
