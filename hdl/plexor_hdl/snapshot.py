"""Snapshots and dumps: which bank counts, and what the dumper is asked for."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Feature, Geometry
from plexor_hdl.counter import Alarm
from plexor_hdl.dumper import DumpRequest
from plexor_hdl.interfaces import TIME_BITS
from plexor_hdl.skip import MOST, SKIP_BITS
from plexor_hdl.words import WORD_BITS

SETTLE_CLOCKS = 64
"""More than an event takes from the matcher to the last memory."""


class Snapshots(wiring.Component):
    """Switches the counting bank and asks for dumps, one at a time.

    While `live`, `snapshot_stb` and every `report_clocks` switch `bank` and dump the bank that
    counted; without Feature.SNAPSHOT neither does anything. `dump_stb` dumps both banks as they
    are. What comes while a dump is under way (`busy`) is ignored, but `final_stb`, which waits its
    turn. A request stands until `dump_busy` has risen and fallen. Of its time `base` is the low or,
    with `base_high`, the high word, where `base_valid`: that of the snapshot, or else the `end`
    that is given in the same way. `clear` starts the count of snapshots and the bank at 0.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._snapshots = Feature.SNAPSHOT in geometry.features
        super().__init__(
            {
                "clear": In(1),
                "live": In(1),
                "now_ticks": In(TIME_BITS),
                "end": In(WORD_BITS),
                "end_valid": In(1),
                "base": Out(WORD_BITS),
                "base_high": In(1),
                "base_valid": Out(1),
                "report_clocks": In(32),
                "report_spaces": In(16),
                "final_spaces": In(16),
                "dump_spaces": In(16),
                "snapshot_stb": In(1),
                "dump_stb": In(1),
                "final_stb": In(1),
                "bank": Out(1),
                "snapshot": Out(16),
                "o_dump": Out(stream.Signature(DumpRequest)),
                "dump_busy": In(1),
                "busy": Out(1),
                "skip": In(SKIP_BITS),
                "room": Out(SKIP_BITS),
            }
        )

    def elaborate(self, platform):
        m = Module()
        request = self.o_dump.payload
        wait = Signal(range(SETTLE_CLOCKS))
        final = Signal()
        with m.If(self.final_stb):
            m.d.sync += final.eq(1)

        reporting, report_due = Signal(), Signal()
        if self._snapshots:
            m.submodules.report = report = Alarm(32)
            m.d.sync += [
                reporting.eq(self.live & self.report_clocks.any()),
                report_due.eq(reporting & report.done),
            ]
            m.d.comb += [
                report.clocks.eq(self.report_clocks),
                report.skip.eq(self.skip),
                self.room.eq(Mux(reporting, report.room, MOST)),
                report.start_stb.eq(~reporting | report_due),
            ]
        else:
            m.d.comb += self.room.eq(MOST)

        m.d.comb += [request.snapshot.eq(self.snapshot), request.report.eq(1)]
        bank, both, final_dump = Signal(), Signal(), Signal()
        base_ticks = Signal(TIME_BITS)
        if self._snapshots:
            m.d.comb += [
                request.bank.eq(bank),
                request.both.eq(both),
                request.final.eq(final_dump),
            ]
        else:
            # Every dump is one of a run that has ended.
            m.d.comb += request.final.eq(1)
        snapshot_word = base_ticks.word_select(self.base_high, WORD_BITS)
        m.d.comb += [
            self.base.eq(Mux(request.final, self.end, snapshot_word)),
            self.base_valid.eq(~request.final | self.end_valid),
        ]
        with m.FSM(name="snapshots") as fsm:
            m.d.comb += self.busy.eq(~fsm.ongoing("READY") | final)
            with m.State("READY"):
                m.d.sync += wait.eq(SETTLE_CLOCKS - 1)
                with m.If(self.live & (self.snapshot_stb | report_due) & self._snapshots):
                    m.d.sync += [
                        self.bank.eq(~self.bank),
                        self.snapshot.eq(self.snapshot + 1),
                        request.spaces.eq(
                            Mux(self.snapshot_stb, self.dump_spaces, self.report_spaces)
                        ),
                        bank.eq(self.bank),
                        both.eq(0),
                        final_dump.eq(0),
                        base_ticks.eq(self.now_ticks),
                    ]
                    m.next = "SETTLE"
                with m.Elif(final | self.dump_stb):
                    m.d.sync += [
                        final.eq(0),
                        request.spaces.eq(Mux(final, self.final_spaces, self.dump_spaces)),
                        bank.eq(0),
                        both.eq(1),
                        final_dump.eq(1),
                    ]
                    m.next = "SETTLE"
            with m.State("SETTLE"):
                m.d.sync += wait.eq(wait - 1)
                with m.If(wait == 0):
                    m.next = "ASK"
            with m.State("ASK"):
                m.d.comb += self.o_dump.valid.eq(1)
                with m.If(self.o_dump.ready):
                    m.next = "DUMP"
            with m.State("DUMP"), m.If(~self.dump_busy & ~self.o_dump.valid):
                m.next = "READY"
        with m.If(self.clear):
            m.d.sync += [self.bank.eq(0), self.snapshot.eq(0)]
        return m
