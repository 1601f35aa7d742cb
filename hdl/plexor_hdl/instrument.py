# SPDX-License-Identifier: Apache-2.0
"""Wires all stages of the instrument. It reads like the block diagram of docs/instrument.md."""

from amaranth.hdl import Cat, Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import Space, entries
from plexor.protocol.registers import LONG_FILTER, StopOn, register
from plexor.protocol.window import copies
from plexor_hdl.code_wires import wire_codes
from plexor_hdl.control.limits import in_memories
from plexor_hdl.control.registers import RegisterBank
from plexor_hdl.control.run import flag_bit
from plexor_hdl.lib.blocks import Blocks, plain_blocks
from plexor_hdl.lib.cobs import DecodedByte
from plexor_hdl.schedule_wires import optional_pins, wire_schedule
from plexor_hdl.stages import Stages, check_features, stages_of
from plexor_hdl.uplink.access import AccessAnswer, AccessRequest
from plexor_hdl.uplink.frame_parts import FrameWord
from plexor_hdl.uplink.upload import Entry

SELECTIONS = ("uart_divisor", "input_select", "loopback_output")
"""Registers of CONTROL for the instrument's surroundings, brought out as ports of these names."""
ASKED = ("report_clocks", "report_spaces", "final_spaces", "dump_spaces")
"""Registers of CONTROL that say when to take snapshots and which spaces to send."""


class Instrument(wiring.Component):
    """Strikes pins, times responses, counts and reports, as docs/instrument.md says.

    The strike words of clock n stand at the pins with the sample words of clock n + `loop_clocks`.
    A front-end gives `loop_clocks`. With `datagrams`, frames leave as words and are not encoded.
    The memory of a long FIFO of events is in `blocks`.
    Raises ValueError for a feature without the one that it needs, and for a `deep_depth` without
    Feature.EVENTS.

    Latency: that of the stages, one after the other; Capture, Matcher and Uplink have the figures.
    Throughput: a word of each pin each clock; `make sustained` prints how fast strikes may come.
    Reset: idle, time 0, outputs low.
    Wrap: time wraps after 2**TIME_BITS ticks, the index of events after 2**INDEX_BITS events.
    Full: what a queue cannot take is dropped and counted, and the count reaches the host.

    Ports:
        samples: One word of W samples for each channel, channel 0 lowest, oldest sample lowest.
        codes: Levels of the code pins at the clock's first sample, with Feature.CODES.
        strikes: One word for each strike output, in the same order.
        load: The level of the load output.
        beat: For an LED that blinks, and blinks faster while a run goes.
        timecode: The pins of the timecode, in a build that has them; low while not driven.
        timecode_on: They are to be driven.
        lamps: The lamps' pads, in a build that has them.
        lamps_back: Levels of these pads, of any clock.
        gate: The level of the gate input, of any clock.
        clock_lost: Of any clock: the core's clock was not as it should be.
        link_clear: A run begins: the link counts what it drops from 0 on.
        link_dropped: How many bytes the link has dropped on their way here.
        rx: Bytes of the link; with `datagrams` bytes of frames, each with its end.
        tx: Bytes to the link; with `datagrams` words of frames.
        uart_divisor: CONTROL.uart_divisor, for a UART.
        input_select: CONTROL.input_select (InputSelect): what the front-end samples.
        loopback_output: CONTROL.loopback_output: which output it samples in a loopback.
        access: Requests for registers and memories, with `access`.
        answers: Their answers, with `access`.
        kept: Entries to a FIFO of `deep_depth` entries, which is empty at reset.
        fetched: Entries from that FIFO.
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
        blocks: Blocks = plain_blocks,
    ) -> None:
        check_features(geometry)
        self._geometry = geometry
        self._hash, self._build_id = gateware_hash, build_id
        self._loop_clocks, self._has_access, self._datagrams = loop_clocks, access, datagrams
        self._blocks = blocks
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
                **optional_pins(geometry),
                "strikes": Out(geometry.strikes * geometry.samples),
                "load": Out(1),
                "beat": Out(1),
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
        stages = stages_of(
            self._geometry,
            RegisterBank(self._geometry, self._hash, self._build_id),
            loop_clocks=self._loop_clocks,
            datagrams=self._datagrams,
            access=self._has_access,
            blocks=self._blocks,
        )
        for name, stage in stages.there():
            m.submodules[name] = stage
        self._wire_pins(m, stages)
        self._wire_events(m, stages)
        self._wire_counting(m, stages)
        if stages.dumper is not None:
            reads = self._wire_memories(m, stages)
            if stages.records is not None:
                reads |= self._wire_steps(m, stages, reads)
            for stage in (stages.counts, stages.results):
                for space, port in zip(stage.spaces, stage.reads, strict=True):
                    wiring.connect(m, reads[space], port)
            if stages.code_tables is not None:
                wire_codes(m, stages, self.codes, reads)
            self._wire_snapshots(m, stages)
        wire_schedule(m, stages, self)
        self._wire_run(m, stages)
        self._wire_registers(m, stages)
        self._wire_link(m, stages)
        self._wire_status(m, stages)
        return m

    def _wire_pins(self, m: Module, s: Stages) -> None:
        """Wire registers to outputs, outputs to pins, and all pins to the capture."""
        m.d.comb += [
            *(
                s.outputs.config[number].eq(s.bank.stimulus[number])
                for number in range(1, self._geometry.strikes)
            ),
            s.outputs.start_stb.eq(s.run.start_stb),
            s.outputs.stop.eq(s.run.stop),
            s.outputs.gate.eq(self.gate),
            self.strikes.eq(s.outputs.levels),
            self.load.eq(s.bank.control.load),
            s.timebase.running.eq(s.run.running),
            self.beat.eq(s.timebase.beat),
            s.pins.samples.eq(self.samples),
            s.pins.strikes.eq(s.outputs.active),
            s.pins.load.eq(s.bank.control.load),
            s.pins.capture.eq(s.run.capture),
            s.capture.words.eq(s.pins.words),
            s.capture.capture.eq(s.pins.belongs),
            s.capture.strike_enables.eq(Cat(stimulus.enable for stimulus in s.bank.stimulus)),
        ]
        if s.table is None:
            m.d.comb += s.outputs.config[0].eq(s.bank.stimulus[0])

    def _wire_events(self, m: Module, s: Stages) -> None:
        """Wire the capture: its time, its channels, and the end of a run."""
        m.d.comb += [
            s.capture.low.eq(s.timebase.low),
            s.capture.epoch.eq(s.timebase.epoch),
            s.capture.last_epoch.eq(s.timebase.last_epoch),
            s.capture.final_valid.eq(s.run.final_valid),
        ]
        for number, channel in enumerate(s.bank.channel):
            m.d.comb += s.capture.channels[number].eq(channel)
        if copies(self._geometry, LONG_FILTER):
            m.d.comb += [
                *(
                    ours.eq(banks)
                    for ours, banks in zip(s.capture.long_filters, s.bank.long_filter, strict=True)
                ),
                s.bank.long_filter_status.removed.eq(s.capture.removed),
            ]
        if s.matcher is not None:
            self._wire_matcher(m, s)
            return
        # The link alone takes events.
        m.d.comb += s.capture.active_only.eq(
            Cat(s.bank.control.active_only[source] for source in self._geometry.merged)
        )
        m.d.comb += [s.capture.o_ready.eq(1), s.counts.settle_stb.eq(s.capture.final_stb)]

    def _wire_matcher(self, m: Module, s: Stages) -> None:
        """Wire the capture to the matcher, and the matcher to the trigger."""
        control, stop_on = s.bank.control, s.bank.control.stop_on
        m.d.comb += [
            s.matcher.i_valid.eq(s.capture.o_valid),
            s.capture.o_ready.eq(s.matcher.i_ready),
            s.matcher.i_beat.eq(s.capture.o_beat),
            s.matcher.settings.eq(s.bank.matcher),
            s.matcher.trigger_channels.eq(control.trigger_channels),
            s.matcher.trigger_latency_ticks.eq(control.trigger_latency_ticks),
            s.matcher.room.eq(s.counts.room),
            s.matcher.pause.eq(s.snapshots.pause),
            s.trigger.armed_latency.eq(flag_bit(stop_on, StopOn.LATENCY)),
            s.trigger.armed_missed.eq(flag_bit(stop_on, StopOn.MISSED)),
            s.trigger.latency_stb.eq(s.matcher.trigger_stb),
            s.trigger.missed_stb.eq(s.matcher.missed_trigger),
            s.outputs.latency_stb.eq(s.matcher.trigger_stb),
            s.outputs.missed_stb.eq(s.matcher.missed_trigger),
            s.trigger.taken.eq(s.matcher.taken),
        ]
        if in_memories(self._geometry):
            m.d.comb += [
                s.matcher.limit_stb.eq(s.bank.limit_stb),
                s.matcher.limit_data.eq(s.bank.written),
            ]
        for number, channel in enumerate(s.bank.channel):
            m.d.comb += [
                s.matcher.channels[number].eq(channel),
                s.matcher.deadlines[number].eq(channel.deadline_ticks),
                s.bank.channel_status[number].pending.eq(s.matcher.pending[number]),
            ]
        if s.ring is not None:
            m.d.comb += [
                s.ring.i_events.valid.eq(s.matcher.taken),
                s.ring.i_events.payload.eq(s.matcher.o_event),
                s.ring.freeze.eq(s.trigger.over),
                s.ring.clear_stb.eq(s.run.clear),
                s.ring.send_stb.eq(s.run.trace_stb),
                s.trigger.latency.eq(s.matcher.trigger_at),
                s.trigger.missed.eq(s.matcher.trigger_at),
            ]
            wiring.connect(m, s.ring.o_entries, s.uplink.i_trace)

    def _wire_counting(self, m: Module, s: Stages) -> None:
        """Wire what is counted: edges of sources in every build, else what the matcher tells."""
        m.d.comb += [
            s.counts.i_drop.eq(s.uplink.drop),
            s.counts.i_sources.eq(s.capture.amounts),
            s.counts.source_stb.eq(s.bank.source_stb),
            s.counts.source_address.eq(s.bank.source_address),
            s.bank.source_value.eq(s.counts.source_value),
            s.counts.clear_stb.eq(s.run.clear),
        ]
        if s.matcher is None:
            m.d.comb += s.run.final_seen.eq(s.counts.settled_stb)
            return
        m.d.comb += [
            s.counts.i_decision.eq(s.matcher.o_decision),
            s.counts.i_valid.eq(s.matcher.o_decision_valid),
            s.counts.i_event_valid.eq(s.matcher.taken),
            s.counts.i_source.eq(s.matcher.o_event.source),
            s.counts.i_polarity.eq(s.matcher.o_event.polarity),
            s.counts.settle_stb.eq(s.matcher.final),
            s.last_counted.counts_stb.eq(s.counts.settled_stb),
            s.last_counted.results_idle.eq(s.results_idle),
            s.run.final_seen.eq(s.last_counted.all_counted),
            s.results.frozen.eq(s.snapshots.frozen),
            s.results.zoom_stb.eq(s.bank.zoom_stb),
            s.results.zoom_place.eq(s.bank.zoom_place),
            s.results.zoom_data.eq(s.bank.written),
            s.results.clear_stb.eq(s.run.clear),
            *(stage.bank.eq(s.snapshots.bank) for stage in (s.counts, s.results)),
        ]
        wiring.connect(m, s.matcher.o_measured, s.results.i_measured)

    def _wire_memories(self, m: Module, s: Stages) -> dict:
        """Return the read port of each space, for the dumper or for the access port."""
        if s.access is None:
            return dict(enumerate(s.dumper.spaces))
        for dumpers, ours in zip(s.dumper.spaces, s.access.i_spaces, strict=True):
            wiring.connect(m, dumpers, ours)
        m.d.comb += [
            s.access.running.eq(s.run.running),
            s.dumper.hold[0].eq(s.access.reading),
        ]
        wiring.connect(m, wiring.flipped(self.access), s.access.i_requests)
        wiring.connect(m, s.access.o_answers, wiring.flipped(self.answers))
        return dict(enumerate(s.access.spaces))

    def _wire_steps(self, m: Module, s: Stages, reads: dict) -> dict:
        """Wire the sweep table and its records; return the read ports that replace others."""
        table, records, measured = s.table, s.records, s.matcher.o_measured
        m.d.comb += [
            table.control.eq(s.bank.control),
            table.write_stb.eq(s.bank.step_stb),
            table.write_place.eq(s.bank.step_place),
            table.write_data.eq(s.bank.written),
            table.stimulus.eq(s.bank.stimulus[0]),
            table.step_stb.eq(s.run.step_stb),
            s.run.more.eq(table.more),
            s.run.between.eq(table.between),
            s.run.restart_stb.eq(table.restart_stb),
            s.outputs.config[0].eq(table.config),
            s.outputs.table.eq(table.on),
            s.outputs.restart_stb.eq(table.restart_stb),
            s.pins.step.eq(table.level),
            records.on.eq(table.on),
            records.step_stb.eq(s.matcher.step),
            records.final_stb.eq(s.matcher.final),
            records.end_ticks.eq(s.matcher.o_event.time_ticks),
            records.pending.eq(s.matcher.pending),
            records.counts_idle.eq(s.counts.idle),
            records.results_idle.eq(s.results.idle),
            records.i_valid.eq(measured.valid),
            records.i_ready.eq(measured.ready),
            records.i_measured.eq(measured.payload),
            s.counts.copying.eq(records.copying),
            s.counts.copy.eq(records.copy),
            records.copy_word.eq(s.counts.copy_word),
            s.matcher.resume.eq(records.done_stb),
            s.last_counted.records_stb.eq(records.final_seen),
            s.dumper.hold[1].eq(records.reading),
            s.bank.status.step.eq(records.step),
        ]
        wiring.connect(m, reads[Space.LATENCY_STATISTICS], records.i_statistics)
        wiring.connect(m, reads[Space.STEPS], records.read)
        found = {Space.LATENCY_STATISTICS: records.statistics}
        if entries(self._geometry, Space.INTERVAL_STATISTICS):
            wiring.connect(m, reads[Space.INTERVAL_STATISTICS], records.i_intervals)
            found[Space.INTERVAL_STATISTICS] = records.intervals
        return found

    def _wire_run(self, m: Module, s: Stages) -> None:
        """Wire everything that starts, stops and ends a run."""
        stages = (s.capture, s.matcher, s.trigger, s.snapshots, s.uplink, s.flags)
        stages += (s.table, s.records)
        cleared = [stage for stage in stages if stage is not None]
        settle = s.bank.control if s.table is None else s.table
        m.d.comb += [
            *(stage.clear.eq(s.run.clear) for stage in cleared),
            s.run.control.eq(s.bank.control),
            s.run.settle_ticks.eq(settle.settle_ticks),
            s.run.action.eq(s.bank.action),
            s.run.low.eq(s.timebase.low),
            s.run.epoch.eq(s.timebase.epoch),
            s.run.clearing.eq(
                Cat(s.results_clearing, s.counts.clear_busy, s.uplink.busy, s.start_waits)
            ),
            s.run.stimuli_done.eq(s.outputs.done),
            s.run.strike_stb.eq(s.outputs.strike_stb),
            s.run.striking.eq(s.outputs.striking),
            s.run.merge_idle.eq(s.capture.idle),
            s.run.final_ready.eq(s.capture.final_ready),
            s.run.word.eq(s.bank.word),
            s.run.word_valid.eq(s.bank.word_valid),
        ]
        if s.matcher is None:
            m.d.comb += s.run.sent.eq(s.uplink.sent)
            return
        m.d.comb += [
            s.run.triggered.eq(s.trigger.triggered),
            s.run.trigger_over.eq(s.trigger.over),
            s.run.trigger_reason.eq(s.trigger.reason),
            s.run.dump_busy.eq(s.snapshots.busy),
            s.run.base_high.eq(s.dumper.base_high),
        ]

    def _wire_registers(self, m: Module, s: Stages) -> None:
        """Wire the run to the registers, and the registers to the instrument's surroundings."""
        run = ("running", "hold", "mark_stb", "mark_end", "track", "word_end", "word_high")
        m.d.comb += [
            *(getattr(s.bank, name).eq(getattr(s.run, name)) for name in run),
            *(getattr(self, name).eq(s.bank.control[name]) for name in SELECTIONS),
            s.command.quiet.eq(s.run.quiet),
        ]
        if s.shared_bus is None:
            wiring.connect(m, s.command.bus, s.bank.bus)
        else:
            wiring.connect(m, s.command.bus, s.shared_bus.command)
            wiring.connect(m, s.access.bus, s.shared_bus.access)
            wiring.connect(m, s.shared_bus.bus, s.bank.bus)

    def _wire_snapshots(self, m: Module, s: Stages) -> None:
        """Wire the requests for snapshots and dumps, and the stages that they wait for."""
        m.d.comb += [
            s.snapshots.live.eq(s.run.live),
            s.snapshots.now_ticks.eq(s.run.now_ticks),
            s.snapshots.end.eq(s.bank.word),
            s.snapshots.end_valid.eq(s.bank.word_valid),
            s.snapshots.base_high.eq(s.dumper.base_high),
            *(getattr(s.snapshots, name).eq(s.bank.control[name]) for name in ASKED),
            s.snapshots.snapshot_stb.eq(s.bank.action.snapshot),
            s.snapshots.dump_stb.eq(s.run.dump_stb),
            s.snapshots.final_stb.eq(s.run.done_stb),
            s.snapshots.dump_busy.eq(s.dumper.busy),
            s.snapshots.paused.eq(s.matcher.paused),
            s.snapshots.results_idle.eq(s.results.idle),
            s.snapshots.counts_idle.eq(s.counts.idle),
            s.snapshots.folding.eq(s.results.folding),
            s.dumper.base.eq(s.snapshots.base),
            s.dumper.base_valid.eq(s.snapshots.base_valid),
        ]
        wiring.connect(m, s.snapshots.o_dump, s.dumper.i_requests)

    def _wire_link(self, m: Module, s: Stages) -> None:
        """Wire events, dumps and answers to the link, and the link to the commands."""
        m.d.comb += [
            s.uplink.event.eq(s.capture.event),
            s.uplink.event_stb.eq(s.capture.event_stb),
            s.uplink.stream.eq(s.bank.control.stream),
            s.uplink.now_ticks.eq(s.run.now_ticks),
            s.uplink.low.eq(s.timebase.low),
            s.uplink.running.eq(s.run.running),
            s.uplink.hurry.eq(s.packetizer.hurry),
            # LOG frames about the run go out before the frames that result from it.
            s.packetizer.quiet.eq(s.run.telling),
            self.link_clear.eq(s.run.clear),
        ]
        if self._geometry.deep_depth:
            wiring.connect(m, s.uplink.o_kept, wiring.flipped(self.kept))
            wiring.connect(m, wiring.flipped(self.fetched), s.uplink.i_fetched)
        wiring.connect(m, s.uplink.o_parts, s.packetizer.i_events)
        if s.dumper is not None:
            wiring.connect(m, s.dumper.o_bytes, s.packetizer.i_dump)
        wiring.connect(m, s.run.o_log, s.command.i_logs)
        wiring.connect(m, s.command.o_bytes, s.packetizer.i_answers)
        wiring.connect(m, s.packetizer.o_parts, s.link.i_parts)
        if s.rows is None:
            wiring.connect(m, s.link.o_words, wiring.flipped(self.tx))
            wiring.connect(m, wiring.flipped(self.rx), s.command.i_bytes)
        else:
            wiring.connect(m, s.link.o_bytes, s.rows.i_sent)
            wiring.connect(m, s.rows.o_sent, wiring.flipped(self.tx))
            wiring.connect(m, wiring.flipped(self.rx), s.rows.i_received)
            wiring.connect(m, s.rows.o_received, s.command.i_bytes)

    def _wire_status(self, m: Module, s: Stages) -> None:
        """Wire the status registers of a run."""
        status, flags = s.bank.status, s.flags
        m.d.comb += [
            status.state.eq(s.run.state),
            status.stop_reason.eq(s.run.stop_reason),
            status.time_ticks.eq(s.run.now_ticks),
            status.events.eq(s.capture.next_index),
            status.command_errors.eq(s.command.errors),
            status.link_dropped.eq(self.link_dropped),
            status.mended.eq(s.capture.mended),
            status.flags.eq(flags.flags),
            flags.running.eq(s.run.running),
            flags.counter_saturated.eq(s.counts.saturated),
            flags.gap_saturated.eq(s.capture.gap_saturated),
            flags.clock_lost.eq(self.clock_lost),
        ]
        if s.matcher is not None:
            m.d.comb += [
                status.snapshot.eq(s.snapshots.snapshot),
                status.upload_dropped.eq(s.uplink.dropped_cnt),
                status.trigger_index.eq(s.trigger.at.index),
                status.trigger_ticks.eq(s.trigger.at.time_ticks),
                flags.bin_saturated.eq(s.results.saturated),
                flags.queue_full.eq(s.matcher.queue_full),
                flags.triggered.eq(s.trigger.triggered),
            ]
