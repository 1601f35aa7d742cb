"""The instrument: every stage, wired. It reads like the block diagram of docs/instrument.md."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import RunState, StatusFlag, StopOn, register
from plexor_hdl.capture.capture import Capture
from plexor_hdl.capture.pins import wire_pins
from plexor_hdl.capture.timebase import Timebase
from plexor_hdl.control.bus_arbiter import SharedBus
from plexor_hdl.control.command import Command
from plexor_hdl.control.limits import in_memories
from plexor_hdl.control.registers import RegisterBank
from plexor_hdl.control.run import RunControl, flag_bit
from plexor_hdl.control.snapshot import Snapshots
from plexor_hdl.lib.cobs import DecodedByte
from plexor_hdl.match.matcher import Matcher
from plexor_hdl.match.trigger import Trigger
from plexor_hdl.results.counts import PARTS, Counts
from plexor_hdl.results.results import Results
from plexor_hdl.stimulus.outputs import Outputs
from plexor_hdl.stimulus.table_stage import Sweep
from plexor_hdl.uplink.access import Access, AccessAnswer, AccessRequest
from plexor_hdl.uplink.dumper import Dumper
from plexor_hdl.uplink.frame_parts import FrameWord
from plexor_hdl.uplink.link_bytes import LinkBytes
from plexor_hdl.uplink.link_words import LinkWords
from plexor_hdl.uplink.packetizer import Packetizer
from plexor_hdl.uplink.ring import Ring
from plexor_hdl.uplink.uplink import Uplink
from plexor_hdl.uplink.upload import Entry

SELECTIONS = ("uart_divisor", "input_select", "loopback_output")
"""Registers of CONTROL that are for what surrounds the instrument: ports of the same names."""


class Instrument(wiring.Component):
    """Strikes pins, times responses, counts, reports: docs/instrument.md.

    One sample word a channel and one strike word an output each core clock, oldest sample lowest:
    at the pins the strike words of clock n stand with the sample words of clock n + `loop_clocks`.
    `input_select` (InputSelect) and `loopback_output` say what is sampled. `clock_lost`, of any
    clock, says that the core's was not as it should be. `rx` and `tx` are the link's bytes; what it
    drops on the way here it counts in `link_dropped`, from 0 on after `link_clear`. Reset: idle,
    time 0, outputs low.
    With `access` registers and memories can be had through `access` and `answers` too (access.py).
    With `datagrams` the link's frames are not encoded: end beats part them; they leave as words.
    With a `deep_depth` in the geometry a FIFO of so many entries is between `kept` and `fetched`,
    empty at reset (deep.py).
    Raises ValueError for Feature.SWEEP in a build that has not two banks, and for Feature.RING or a
    deep memory in one without Feature.EVENTS.
    """

    def __init__(
        self,
        geometry: Geometry,
        gateware_hash: int,
        *,
        build_id: int = 0,
        loop_clocks: int = 0,
        access: bool = False,
        datagrams: bool = False,
    ) -> None:
        if Feature.SWEEP in geometry.features and Feature.SNAPSHOT not in geometry.features:
            raise ValueError("features: SWEEP without SNAPSHOT; must be both, or no SWEEP")
        if Feature.EVENTS not in geometry.features:
            if Feature.RING in geometry.features:
                raise ValueError("features: RING without EVENTS; must be both, or no RING")
            if geometry.deep_depth:
                raise ValueError(f"deep_depth: {geometry.deep_depth}; must be 0 without EVENTS")
        self._geometry = geometry
        self._hash, self._build_id = gateware_hash, build_id
        self._loop_clocks = loop_clocks
        self._has_access = access
        self._datagrams = datagrams
        window = {
            "access": In(stream.Signature(AccessRequest(geometry))),
            "answers": Out(stream.Signature(AccessAnswer)),
        }
        memory = {
            "kept": Out(stream.Signature(Entry)),
            "fetched": In(stream.Signature(Entry)),
        }
        super().__init__(
            {
                **(window if access else {}),
                **(memory if geometry.deep_depth else {}),
                "samples": In(geometry.channels * geometry.samples),
                "strikes": Out(geometry.strikes * geometry.samples),
                "load": Out(1),
                "gate": In(1),
                "clock_lost": In(1),
                "link_clear": Out(1),
                "link_dropped": In(register("status", "link_dropped").bits),
                "rx": In(stream.Signature(DecodedByte if datagrams else 8)),
                "tx": Out(stream.Signature(FrameWord if datagrams else 8)),
                **{name: Out(register("control", name).bits) for name in SELECTIONS},
            }
        )

    def elaborate(self, platform):
        m = Module()
        geometry = self._geometry
        m.submodules.timebase = timebase = Timebase(geometry)
        m.submodules.bank = bank = RegisterBank(geometry, self._hash, self._build_id)
        control = bank.control
        m.submodules.command = command = Command(datagrams=self._datagrams)
        m.submodules.run = run = RunControl(geometry)
        m.submodules.trigger = trigger = Trigger(geometry)
        m.submodules.snapshots = snapshots = Snapshots(geometry)
        m.submodules.outputs = outputs = Outputs(geometry)
        m.submodules.capture = capture = Capture(geometry)
        m.submodules.matcher = matcher = Matcher(geometry)
        m.submodules.results = results = Results(geometry)
        m.submodules.ledger = ledger = Counts(geometry)
        memories = results, ledger
        if in_memories(geometry):
            m.d.comb += [
                matcher.limit_stb.eq(bank.limit_stb),
                matcher.limit_data.eq(bank.written),
            ]
        uplink = Uplink(m, geometry)
        m.submodules.dumper = dumper = Dumper(geometry)
        m.submodules.packetizer = packetizer = Packetizer()
        m.submodules.link = link = LinkWords() if self._datagrams else LinkBytes()

        access = self._access(m, dumper, run) if self._has_access else None
        reads = dict(enumerate((access or dumper).spaces))
        sweep = Sweep(m, geometry) if Feature.SWEEP in geometry.features else None
        # A block RAM where cells are scarcer than these.
        loop = self._loop_clocks, "auto" if Feature.SNAPSHOT in geometry.features else "block"
        wire_pins(m, self, bank, run, outputs, capture, sweep, *loop)
        if sweep is not None:
            sweep.strike(m, bank, run, outputs)
            reads |= sweep.record(m, bank, run, matcher, results, ledger, reads)
        else:
            m.d.comb += outputs.config[0].eq(bank.stimulus[0])
            m.d.comb += run.settle_ticks.eq(control.settle_ticks)
        m.d.comb += dumper.hold.eq(
            (sweep.records.reading if sweep else 0) | (access.reading if access else 0)
        )

        # Capture to matcher, and to the two that count.
        m.d.comb += [
            capture.clear.eq(run.clear),
            capture.low.eq(timebase.low),
            capture.epoch.eq(timebase.epoch),
            capture.last_epoch.eq(timebase.last_epoch),
            capture.final_valid.eq(run.final_valid),
            matcher.i_valid.eq(capture.o_valid),
            capture.o_ready.eq(matcher.i_ready),
            matcher.i_beat.eq(capture.o_beat),
            matcher.clear.eq(run.clear),
            matcher.settings.eq(bank.matcher),
            matcher.trigger_channels.eq(control.trigger_channels),
            matcher.trigger_latency_ticks.eq(control.trigger_latency_ticks),
            matcher.room.eq(ledger.room),
            matcher.pause.eq(snapshots.pause),
            ledger.i_decision.eq(matcher.o_decision),
            ledger.i_valid.eq(matcher.o_decision_valid),
            ledger.i_event_valid.eq(matcher.taken),
            ledger.i_source.eq(matcher.o_event.source),
            ledger.i_polarity.eq(matcher.o_event.polarity),
            ledger.i_drop.eq(uplink.drop),
            ledger.i_sources.eq(capture.amounts),
            ledger.source_stb.eq(bank.source_stb),
            ledger.source_address.eq(bank.source_address),
            bank.source_value.eq(ledger.source_value),
            *(part.bank.eq(snapshots.bank) for part in memories),
            *(part.clear_stb.eq(run.clear) for part in memories),
            results.frozen.eq(snapshots.frozen),
            results.zoom_stb.eq(bank.zoom_stb),
            results.zoom_place.eq(bank.zoom_place),
            results.zoom_data.eq(bank.written),
        ]
        wiring.connect(m, matcher.o_measured, results.i_measured)
        for spaces, ports in ((PARTS, ledger.reads), (results.spaces, results.reads)):
            for space, port in zip(spaces, ports, strict=True):
                wiring.connect(m, reads[space], port)
        counted = [ledger.settled_stb, *([sweep.records.final_seen] if sweep else [])]
        ends = Signal(len(counted))
        m.d.comb += [
            ledger.settle_stb.eq(matcher.final),
            run.final_seen.eq(ends.all() & results.idle),
        ]
        m.d.sync += ends.eq(Mux(run.final_seen, 0, ends | Cat(counted)))
        for number in range(geometry.channels):
            channel = bank.channel[number]
            m.d.comb += [
                capture.channels[number].eq(channel),
                matcher.channels[number].eq(channel),
                matcher.deadlines[number].eq(channel.deadline_ticks),
            ]
            m.d.sync += bank.lane[number].pending.eq(matcher.pending[number])

        # The run.
        busy = [sweep.table.loading, *uplink.busy] if sweep else uplink.busy
        m.d.comb += [
            run.control.eq(control),
            run.action.eq(bank.action),
            run.low.eq(timebase.low),
            run.epoch.eq(timebase.epoch),
            run.clearing.eq(Cat(*busy, *(part.clear_busy for part in memories)).any()),
            run.merge_idle.eq(capture.idle),
            run.final_ready.eq(capture.final_ready),
            run.triggered.eq(trigger.triggered),
            run.trigger_over.eq(trigger.over),
            run.trigger_reason.eq(trigger.reason),
            run.dump_busy.eq(snapshots.busy),
            trigger.clear.eq(run.clear),
            trigger.armed_latency.eq(flag_bit(control.stop_on, StopOn.LATENCY)),
            trigger.armed_missed.eq(flag_bit(control.stop_on, StopOn.MISSED)),
            trigger.latency_stb.eq(matcher.trigger_stb),
            trigger.missed_stb.eq(matcher.missed_trigger),
            trigger.taken.eq(matcher.taken),
            snapshots.clear.eq(run.clear),
            snapshots.live.eq(run.live),
            snapshots.now_ticks.eq(run.now_ticks),
            snapshots.end.eq(bank.word),
            snapshots.end_valid.eq(bank.word_valid),
            snapshots.base_high.eq(dumper.base_high),
            dumper.base.eq(snapshots.base),
            dumper.base_valid.eq(snapshots.base_valid),
            snapshots.report_clocks.eq(control.report_clocks),
            snapshots.report_spaces.eq(control.report_spaces),
            snapshots.final_spaces.eq(control.final_spaces),
            snapshots.dump_spaces.eq(control.dump_spaces),
            snapshots.snapshot_stb.eq(bank.action.snapshot),
            snapshots.dump_stb.eq(bank.action.dump & ~run.running),
            snapshots.final_stb.eq(run.done_stb),
            snapshots.dump_busy.eq(dumper.busy),
            snapshots.paused.eq(matcher.paused),
            snapshots.results_idle.eq(results.idle),
            snapshots.counts_idle.eq(ledger.idle),
            snapshots.folding.eq(results.folding),
        ]

        # Events, dumps and messages to the link; commands from it.
        m.d.comb += [
            # What happened to the run is told before what comes of it.
            packetizer.quiet.eq(run.quiet | run.o_log.valid),
            command.quiet.eq(run.quiet),
            *(
                getattr(bank, name).eq(getattr(run, name))
                for name in ("running", "hold", "mark_stb", "mark_end", "track")
            ),
            bank.word_end.eq(run.state != RunState.CLEARING),
            bank.word_high.eq(Mux(bank.word_end, dumper.base_high, run.word_high)),
            run.word.eq(bank.word),
            run.word_valid.eq(bank.word_valid),
            *(getattr(self, name).eq(control[name]) for name in SELECTIONS),
        ]
        hurry = packetizer.hurry
        uplink.wire(m, self, control, run, capture, timebase, hurry, packetizer.i_events)
        wiring.connect(m, packetizer.o_parts, link.i_parts)
        wiring.connect(m, snapshots.o_dump, dumper.i_requests)
        wiring.connect(m, dumper.o_bytes, packetizer.i_dump)
        wiring.connect(m, run.o_log, command.i_logs)
        wiring.connect(m, command.o_bytes, packetizer.i_answers)
        if access is None:
            wiring.connect(m, command.bus, bank.bus)
        else:
            m.submodules.shared_bus = shared_bus = SharedBus()
            wiring.connect(m, command.bus, shared_bus.command)
            wiring.connect(m, access.bus, shared_bus.access)
            wiring.connect(m, shared_bus.bus, bank.bus)
        out = link.o_words if self._datagrams else link.o_bytes
        wiring.connect(m, out, wiring.flipped(self.tx))
        wiring.connect(m, wiring.flipped(self.rx), command.i_bytes)
        if Feature.RING in geometry.features:
            m.submodules.ring = ring = Ring(geometry)
            m.d.comb += [
                ring.i_events.valid.eq(matcher.taken),
                ring.i_events.payload.eq(matcher.o_event),
                ring.freeze.eq(trigger.over),
                ring.clear_stb.eq(run.clear),
                ring.send_stb.eq(bank.action.trace & ~run.running),
                trigger.latency.eq(matcher.trigger_at),
                trigger.missed.eq(matcher.trigger_at),
            ]
            wiring.connect(m, ring.o_entries, uplink.framer.i_trace)

        self._status(m, bank, timebase, run, trigger, snapshots, capture, matcher, uplink, command)
        clock_lost = Signal()
        m.submodules.clock_lost = FFSynchronizer(self.clock_lost, clock_lost)
        m.d.comb += [self.link_clear.eq(run.clear), bank.status.link_dropped.eq(self.link_dropped)]
        flags = {
            StatusFlag.BIN_SATURATED: results.saturated,
            StatusFlag.COUNTER_SATURATED: ledger.saturated,
            StatusFlag.GAP_SATURATED: capture.gap_saturated,
            StatusFlag.QUEUE_FULL: matcher.queue_full,
            StatusFlag.TRIGGERED: trigger.triggered,
            StatusFlag.CLOCK_LOST: clock_lost & run.running,
        }
        sticky = Signal(len(flags))
        with m.If(run.clear):
            m.d.sync += sticky.eq(0)
        with m.Else():
            m.d.sync += sticky.eq(sticky | Cat(flags[flag] for flag in sorted(flags)))
        m.d.comb += bank.status.flags.eq(sticky)
        return m

    def _access(self, m, dumper, run) -> Access:
        """Let the window's reads between the dumper and the memories; return the access port."""
        m.submodules.access = access = Access(self._geometry)
        for dumpers, ours in zip(dumper.spaces, access.i_spaces, strict=True):
            wiring.connect(m, dumpers, ours)
        wiring.connect(m, wiring.flipped(self.access), access.i_requests)
        wiring.connect(m, access.o_answers, wiring.flipped(self.answers))
        m.d.comb += access.running.eq(run.running)
        return access

    def _status(
        self, m, bank, timebase, run, trigger, snapshots, capture, matcher, uplink, command
    ) -> None:
        status = bank.status
        m.d.comb += [
            status.state.eq(run.state),
            status.stop_reason.eq(run.stop_reason),
            status.snapshot.eq(snapshots.snapshot),
            status.time_ticks.eq(run.now_ticks),
            status.events.eq(capture.next_index),
            status.upload_dropped.eq(uplink.dropped_cnt),
            status.trigger_index.eq(trigger.at.index),
            status.trigger_ticks.eq(trigger.at.time_ticks),
            status.command_errors.eq(command.errors),
        ]
