# SPDX-License-Identifier: Apache-2.0
"""Snapshots and dumps: selects the counting bank, and requests dumps."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import HISTOGRAM_SPACES, Space, banks
from plexor_hdl.interfaces import TIME_BITS, DumpRequest
from plexor_hdl.lib.addresses import WORD_BITS
from plexor_hdl.lib.counter import Alarm

STILL_CLOCKS = 4
"""Clocks for which all stages must be idle. A beat takes fewer from one stage to the next."""


class Snapshots(wiring.Component):
    """Switches the counting bank and asks for dumps, one at a time.

    While `live`, `snapshot_stb` and every `report_clocks` take a snapshot, in a build with two
    banks. Once nothing is `folding`, the matcher is asked to pause. When it is `paused`
    and all is idle for STILL_CLOCKS, `bank` switches, and the bank that counted is dumped. Every
    event that was handled before that clock is in the dump, none after it; that clock's time is the
    snapshot's. If bins are dumped, they are frozen until that is done.

    `dump_stb` and `final_stb` dump both banks as they are, once all is idle; the matcher is not
    asked. A request stands until `dump_busy` has risen and fallen.

    Latency: 9 clocks from a strobe to `o_dump`, if all is idle.
    Throughput: one dump at a time.
    Reset: nothing is asked, bank 0, no snapshots.
    Wrap: `snapshot` wraps at 2**16.
    Full: what comes while `busy` is ignored, but for `final_stb`, which waits its turn.

    Ports:
        clear: 1 sets the number of snapshots and the bank to 0.
        live: 1 while a run captures and streams live.
        now_ticks: The time, in ticks.
        end: A word of the run's end, in ticks, valid with `end_valid`.
        end_valid: 1 if `end` is the word that `base_high` asks for.
        base: A word of the request's time, in ticks, valid with `base_valid`: of the snapshot, else
            of the end.
        base_high: 1 asks for the high word, 0 for the low one.
        base_valid: 1 if `base` is that.
        report_clocks: Clocks from a report to the next; 0: none.
        report_spaces: Spaces that reports dump, by bit.
        final_spaces: Spaces that `final_stb` dumps, by bit.
        dump_spaces: Spaces that `snapshot_stb` and `dump_stb` dump, by bit.
        snapshot_stb: Takes a snapshot.
        dump_stb: Dumps both banks.
        final_stb: Dumps both banks at the end of a run.
        bank: Bank that counts.
        snapshot: Number of snapshots since `clear`.
        o_dump: Stream of requests to the dumper.
        dump_busy: 1 while the dumper is busy.
        pause: 1 asks the matcher to take no beat.
        paused: 1 if it takes none, and has handed on what it had.
        results_idle: 1 if the results have nothing under way.
        counts_idle: 1 if the counts have nothing under way.
        folding: 1 while bins fold what was counted beside their frozen state.
        frozen: 1 freezes the bins.
        busy: 1 from the clock after a strobe until the next one can be taken.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._snapshots = banks(geometry, Space.CLASSES) > 1
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
        base_ticks, switch = Signal(TIME_BITS), Signal()
        if self._snapshots:
            m.d.comb += [
                request.bank.eq(bank),
                request.both.eq(both),
                request.final.eq(final_dump),
            ]
        else:
            # Without snapshots, every dump is of a run that has ended.
            m.d.comb += request.final.eq(1)
        snapshot_word = base_ticks.word_select(self.base_high, WORD_BITS)
        m.d.comb += [
            self.base.eq(Mux(request.final, self.end, snapshot_word)),
            self.base_valid.eq(~request.final | self.end_valid),
        ]
        of_bins = Signal()
        m.d.sync += of_bins.eq(Cat(request.spaces[space] for space in HISTOGRAM_SPACES).any())
        still, stood = Signal(), Signal(range(STILL_CLOCKS))
        folding = Signal()
        m.d.sync += [
            still.eq(self.results_idle & self.counts_idle & (self.paused | ~self.pause)),
            folding.eq(self.folding),
        ]
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
            # Folding takes long, so the matcher is paused only after it.
            with m.State("FOLD"):
                m.d.sync += stood.eq(0)
                with m.If(~folding):
                    m.d.sync += self.pause.eq(~both & self._snapshots)
                    m.next = "STAND"
            with m.State("STAND"), m.If(stood.all()):
                m.d.sync += switch.eq(1)
                m.next = "SWITCH"
            with m.State("SWITCH"):
                m.d.sync += switch.eq(0)
                m.next = "ASK"
            with m.State("ASK"):
                m.d.comb += self.o_dump.valid.eq(1)
                with m.If(self.o_dump.ready):
                    m.next = "DUMP"
            with m.State("DUMP"), m.If(~self.dump_busy & ~self.o_dump.valid):
                m.d.sync += [self.frozen.eq(0), stood.eq(0)]
                m.next = "THAW"
            # The folding of counts since the snapshot takes a few clocks to show.
            with m.State("THAW"):
                m.d.sync += stood.eq(stood + 1)
                with m.If(stood.all()):
                    m.next = "READY"
        # Its fan-out is large, so it is a flip-flop of its own.
        with m.If(switch):
            m.d.sync += [self.pause.eq(0), bank.eq(self.bank & ~both)]
            with m.If(~both & self._snapshots):
                m.d.sync += [
                    self.bank.eq(~self.bank),
                    self.frozen.eq(of_bins),
                    self.snapshot.eq(self.snapshot + 1),
                    base_ticks.eq(self.now_ticks),
                ]
        with m.If(self.clear):
            m.d.sync += [self.bank.eq(0), self.snapshot.eq(0)]
        return m
