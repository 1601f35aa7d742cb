"""Snapshots and dumps: which bank counts, and what the dumper is asked for."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import HISTOGRAM_SPACES
from plexor_hdl.interfaces import TIME_BITS, DumpRequest
from plexor_hdl.lib.addresses import WORD_BITS
from plexor_hdl.lib.counter import Alarm

STILL_CLOCKS = 4
"""Clocks for which all must be idle: more than a beat takes from one stage to the next."""


class Snapshots(wiring.Component):
    """Switches the counting bank and asks for dumps, one at a time.

    While `live`, `snapshot_stb` and every `report_clocks` take a snapshot: once nothing is still
    `folding`, `pause` asks the matcher to take no beat until it is `paused` and, with what it has
    handed on, `results_idle` and `counts_idle` for STILL_CLOCKS. Then `bank` switches and the bank
    that counted is dumped; if bins are too, `frozen` is high until that is done.
    Every event that was handled before that clock is in the dump, none after it; its time is the
    snapshot's. Without Feature.SNAPSHOT none are taken.

    `dump_stb` dumps both banks as they are, once all is idle; the matcher is not asked. What comes
    while a dump is under way (`busy`) is ignored, but `final_stb`, which waits its turn. A request
    stands until `dump_busy` has risen and fallen. Of its time `base` is the low or, with
    `base_high`, the high word, where `base_valid`: that of the snapshot, or else the `end` that is
    given in the same way. `clear` starts the count of snapshots and the bank at 0.
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
                "pause": Out(1),
                "paused": In(1),
                "results_idle": In(1),
                "counts_idle": In(1),
                "folding": In(1),
                "frozen": Out(1),
                "busy": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        request = self.o_dump.payload
        final = Signal()
        with m.If(self.final_stb):
            m.d.sync += final.eq(1)

        reporting, report_due, live = Signal(), Signal(), Signal()
        asked, dump = Signal(), Signal()
        m.d.sync += [live.eq(self.live), asked.eq(self.snapshot_stb), dump.eq(self.dump_stb)]
        if self._snapshots:
            m.submodules.report = report = Alarm(32)
            m.d.sync += [
                reporting.eq(live & self.report_clocks.any()),
                report_due.eq(reporting & report.done),
            ]
            m.d.comb += [
                report.clocks.eq(self.report_clocks),
                report.start_stb.eq(~reporting | report_due),
            ]

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
        of_bins = Signal()
        m.d.sync += of_bins.eq(Cat(request.spaces[space] for space in HISTOGRAM_SPACES).any())
        still, stood = Signal(), Signal(range(STILL_CLOCKS))
        m.d.comb += still.eq(self.results_idle & self.counts_idle & (self.paused | ~self.pause))
        m.d.sync += stood.eq(Mux(still, stood + ~stood.all(), 0))
        with m.FSM(name="snapshots") as fsm:
            m.d.comb += self.busy.eq(~fsm.ongoing("READY") | final | asked | dump)
            with m.State("READY"):
                with m.If(live & (asked | report_due) & self._snapshots):
                    m.d.sync += [
                        request.spaces.eq(Mux(asked, self.dump_spaces, self.report_spaces)),
                        both.eq(0),
                        final_dump.eq(0),
                    ]
                    m.next = "FOLD"
                with m.Elif(final | dump):
                    m.d.sync += [
                        final.eq(0),
                        request.spaces.eq(Mux(final, self.final_spaces, self.dump_spaces)),
                        both.eq(1),
                        final_dump.eq(1),
                    ]
                    m.next = "FOLD"
            # A matcher that waited for this would wait for long.
            with m.State("FOLD"):
                m.d.sync += stood.eq(0)
                with m.If(~self.folding):
                    m.d.sync += self.pause.eq(~both & self._snapshots)
                    m.next = "STAND"
            with m.State("STAND"), m.If(stood.all()):
                m.d.sync += [self.pause.eq(0), bank.eq(self.bank & ~both)]
                with m.If(~both & self._snapshots):
                    m.d.sync += [
                        self.bank.eq(~self.bank),
                        self.frozen.eq(of_bins),
                        self.snapshot.eq(self.snapshot + 1),
                        base_ticks.eq(self.now_ticks),
                    ]
                m.next = "ASK"
            with m.State("ASK"):
                m.d.comb += self.o_dump.valid.eq(1)
                with m.If(self.o_dump.ready):
                    m.next = "DUMP"
            with m.State("DUMP"), m.If(~self.dump_busy & ~self.o_dump.valid):
                m.d.sync += [self.frozen.eq(0), stood.eq(0)]
                m.next = "THAW"
            # Until it shows that what has counted since is being folded.
            with m.State("THAW"):
                m.d.sync += stood.eq(stood + 1)
                with m.If(stood.all()):
                    m.next = "READY"
        with m.If(self.clear):
            m.d.sync += [self.bank.eq(0), self.snapshot.eq(0)]
        return m
