# SPDX-License-Identifier: Apache-2.0
"""Run control: starts runs, captures during them, and ends them."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import LogCode
from plexor.protocol.geometry import TRIGGER_CLOCKS, Geometry
from plexor.protocol.registers import CONTROL, RunState, StopOn, StopReason, Stream, register
from plexor_hdl.capture.timebase import LOW_BITS, epoch_bits
from plexor_hdl.control.registers import ACTION_LAYOUT
from plexor_hdl.interfaces import TIME_BITS, block_layout
from plexor_hdl.lib.addresses import WORD_BITS
from plexor_hdl.lib.counter import TIMER_CLOCKS, Alarm, Timer

OUTPUT_CLOCKS = 1
"""Core clocks from a stimulus' word to the pins."""
START_CLOCKS = TRIGGER_CLOCKS + OUTPUT_CLOCKS
DRAIN_CLOCKS = 64
"""Upper bound of an event's clocks from pins to matcher, or matcher to memories, without waits."""
REST_CLOCKS = 8
"""Clocks from a strike's last clock to the run's end. Stimuli are done sooner than that."""


CLEARERS = 6
"""Number of stages that a run's start waits for while they clear."""


def flag_bit(value: Value, flag: int) -> Value:
    """Return the bit of `value` that the IntFlag member `flag` names."""
    return value[int(flag).bit_length() - 1]


class RunControl(wiring.Component):
    """Takes a run from START to DONE; docs/instrument.md, "Runs".

    A run clears, waits until `clearing` is low, and starts the stimuli: their phase 0 is the first
    clock with `capture`. It ends as `control` says. Then it drains: what was captured is merged,
    the last beat goes to the matcher, and all is counted. A time limit below 2 clocks is 2 clocks.
    START is ignored while a dump is `dump_busy`, and until the last LOG frame was sent: what that
    says is read from the ports here while it is sent.

    With `more`, what would end a run with StopOn.STRIKES ends a step instead, also without that
    flag. `more` and `settle_ticks` may change while `between`, and while the state is CLEARING. The
    register bank keeps what is not in `control`; see `mark_stb` and `word`.

    Latency: 2 clocks from `action.start` to `clear`, 67 or more to `start_stb`, START_CLOCKS from
        there to `capture`; 3 clocks from `action.stop` to the end of `capture`.
    Throughput: one run at a time; it ends at least 2 x DRAIN_CLOCKS after its last captured clock.
    Reset: idle, nothing is captured, the stimuli are stopped.
    Wrap: `now_ticks` wraps at 2**64.
    Full: never; `o_log` holds one code, and what comes later waits.

    Ports:
        control: Registers of CONTROL.
        settle_ticks: Ticks after the last strike until a run or a step of strikes ends.
        more: 1 if another step follows.
        between: 1 between steps: from the clock after `step_stb` until 3 clocks after
            `restart_stb`.
        restart_stb: Strobes as a stimulus starts anew.
        step_stb: Strobes as a step ends, in the clock before the state would be DRAINING.
        action: What the host asks for: start and stop are looked at.
        low: Lower bits of the timebase.
        epoch: The bits above.
        clear: Strobes as a run begins to clear.
        clearing: One bit for each stage that clears itself: 1 while it does.
        start_stb: Starts the stimuli.
        stop: 1 holds the stimuli.
        stimuli_done: 1 if no stimulus strikes any more; at most REST_CLOCKS - 3 clocks after the
            last strike.
        strike_stb: Strobes as a strike starts, OUTPUT_CLOCKS before the pins.
        striking: 1 while a strike is active, OUTPUT_CLOCKS - 1 before the pins.
        capture: 1 in the clocks whose samples, at the pins, belong to the run.
        merge_idle: 1 if no event waits to be merged.
        final_valid: 1 asks for the last beat.
        final_ready: 1 if the last beat is taken.
        final_seen: 1 once the matcher and those behind it have handled the last beat.
        triggered: 1 from a trigger on.
        trigger_over: 1 if the trigger ends the run.
        trigger_reason: Why it does.
        dump_busy: 1 while a dump is under way.
        done_stb: Strobes in the first clock of DONE.
        o_log: Stream of codes of LOG frames to send.
        running: 1 from CLEARING to DRAINING.
        live: 1 while samples are captured and the run streams live.
        quiet: 1 while a run lasts that does not stream live.
        telling: As `quiet`, and 1 while `o_log` waits: it goes before events and dumps.
        dump_stb: Strobes as the host asks for a dump, without a run.
        trace_stb: Strobes as the host asks for the ring's events, without a run.
        state: The run's state.
        stop_reason: Why the run was ended; NONE until then.
        now_ticks: The time, in ticks.
        mark_stb: Keeps the time of the next clock as the run's start or end.
        mark_end: With `mark_stb`: 1 keeps it as end, 0 as start.
        track: 1 from `start_stb` to the end of `capture`.
        hold: 1 while the bank's requests wait: around marks, and for up to DRAIN_CLOCKS at a time
            while a run clears, starts and drains.
        word: Low or high word of run_time_ticks, while the state is CLEARING.
        word_valid: 1 if `word` is that.
        word_high: 1 asks for the high word, 0 for the low one; as `base_high` while `word_end`.
        word_end: 1 asks for end_ticks in place of run_time_ticks.
        base_high: 1 if the dumper wants the high word of the end's time.
        sent: With `tells_sent`: 1 if no event waits for the link. Then a LOG frame DUMPED ends
            a run's events, and answers `action.dump`.
    """

    def __init__(self, geometry: Geometry, *, tells_sent: bool = False) -> None:
        self._fine_bits = (geometry.samples - 1).bit_length()
        self._tells_sent = tells_sent
        super().__init__(
            {
                "control": In(block_layout(CONTROL)),
                "settle_ticks": In(register(CONTROL.name, "settle_ticks").bits),
                "more": In(1),
                "between": In(1),
                "restart_stb": In(1),
                "step_stb": Out(1),
                "action": In(ACTION_LAYOUT),
                "low": In(LOW_BITS),
                "epoch": In(epoch_bits(geometry)),
                "clear": Out(1),
                "clearing": In(CLEARERS),
                "start_stb": Out(1),
                "stop": Out(1, init=1),
                "stimuli_done": In(1),
                "strike_stb": In(1),
                "striking": In(1),
                "capture": Out(1),
                "merge_idle": In(1),
                "final_valid": Out(1),
                "final_ready": In(1),
                "final_seen": In(1),
                "triggered": In(1),
                "trigger_over": In(1),
                "trigger_reason": In(StopReason),
                "dump_busy": In(1),
                "done_stb": Out(1),
                "o_log": Out(stream.Signature(LogCode)),
                "running": Out(1),
                "live": Out(1),
                "quiet": Out(1),
                "telling": Out(1),
                "dump_stb": Out(1),
                "trace_stb": Out(1),
                "state": Out(RunState),
                "stop_reason": Out(StopReason),
                "now_ticks": Out(TIME_BITS),
                "mark_stb": Out(1),
                "mark_end": Out(1),
                "track": Out(1),
                "hold": Out(1),
                "word": In(WORD_BITS),
                "word_valid": In(1),
                "word_high": Out(1),
                "word_end": Out(1),
                "base_high": In(1),
                **({"sent": In(1)} if self._tells_sent else {}),
            }
        )

    def elaborate(self, platform):
        m = Module()
        fine = self._fine_bits
        wait = Signal(range(max(DRAIN_CLOCKS, START_CLOCKS) + 1))
        # `waits`: a wait is going on. `last`: this is its last clock.
        waits, last, drain_next, start_in = Signal(), Signal(), Signal(), Signal()
        first = Signal()
        # Each state has a flip-flop. The conditions for a start are registered a clock ahead.
        resting, clearing, draining, drained = Signal(init=1), Signal(), Signal(), Signal()
        begin, live = Signal(), flag_bit(self.control.stream, Stream.LIVE)
        m.d.comb += [
            self.now_ticks.eq(Cat(self.low, self.epoch) << fine),
            self.running.eq(~resting),
            self.live.eq(self.track & ~first & live),
            self.quiet.eq(~resting & ~live),
            self.telling.eq(self.quiet | self.o_log.valid),
            self.dump_stb.eq(self.action.dump & resting),
            self.trace_stb.eq(self.action.trace & resting),
        ]
        started, stopped, over, over_next = Signal(), Signal(), Signal(), Signal()
        timed, struck, at_rest, stop_asked = Signal(), Signal(), Signal(), Signal()
        going, start_next, loaded, cleared = Signal(), Signal(), Signal(), Signal()
        reason = Signal(StopReason)
        high = self._limits(m, wait, clearing, timed, at_rest, stop_asked, loaded)
        m.d.comb += [
            self.word_end.eq(self.state != RunState.CLEARING),
            self.word_high.eq(Mux(self.word_end, self.base_high, high)),
            struck.eq(at_rest & ~self.more),
            over_next.eq(going & ~over & (timed | struck | stop_asked | self.trigger_over)),
            # Both times are also read before the start, because a run may last only two clocks.
            self.mark_end.eq(~wait[0]),
        ]
        sending = Signal() if self._tells_sent else Const(0)
        m.d.sync += [
            begin.eq(
                resting
                & self.action.start
                & ~(self.dump_busy | sending)
                & ~stopped
                & ~self.o_log.valid
            ),
            over.eq(over_next),
            self.step_stb.eq(going & ~over & ~over_next & at_rest & self.more),
            start_next.eq(self.track & (wait == 3)),
            self.mark_stb.eq(over_next | start_next),
            self.hold.eq(over | first | waits),
            cleared.eq(~self.clearing.any()),
        ]

        m.d.sync += [self.start_stb.eq(0), self.clear.eq(0), self.done_stb.eq(0)]
        with m.If(begin):
            m.d.sync += [
                self.state.eq(RunState.CLEARING),
                resting.eq(0),
                clearing.eq(1),
                self.clear.eq(1),
                self.stop_reason.eq(StopReason.NONE),
            ]
        with m.If(clearing):
            with m.If(~waits & cleared & loaded):
                m.d.comb += start_in.eq(1)
                m.d.sync += [
                    self.state.eq(RunState.RUNNING),
                    clearing.eq(0),
                    self.track.eq(1),
                    self.start_stb.eq(1),
                    self.stop.eq(0),
                    first.eq(1),
                ]
        with m.If(self.track):
            with m.If(waits):
                m.d.sync += [self.capture.eq(last), going.eq(last)]
            with m.Elif(first):
                m.d.sync += [first.eq(0), started.eq(1)]
        with m.If(draining):
            with m.If(first):
                m.d.sync += first.eq(0)
            self._drain(m, first, waits, drain_next, drained)
        with m.If(drained):
            m.d.sync += [
                self.state.eq(RunState.DONE),
                draining.eq(0),
                resting.eq(1),
                self.done_stb.eq(1),
                stopped.eq(1),
            ]

        with m.If(over):
            m.d.sync += [
                self.state.eq(RunState.DRAINING),
                self.track.eq(0),
                draining.eq(1),
                self.capture.eq(0),
                self.stop.eq(1),
                first.eq(1),
                going.eq(0),
                self.stop_reason.eq(reason),
            ]
        with m.If(stop_asked):
            m.d.sync += reason.eq(StopReason.COMMAND)
        with m.Elif(self.trigger_over):
            m.d.sync += reason.eq(self.trigger_reason)
        with m.Else():
            m.d.sync += reason.eq(Mux(struck, StopReason.STRIKES, StopReason.TIME))

        load = begin | start_in | drain_next
        m.d.sync += [
            waits.eq(load | (waits & ~last)),
            last.eq((wait == 2) & ~load),
            wait.eq(wait - waits),
        ]
        with m.If(start_in):
            m.d.sync += wait.eq(START_CLOCKS)
        with m.Elif(load):
            m.d.sync += wait.eq(DRAIN_CLOCKS)

        # There is one LOG frame at a time. The start is reported before the reason of the end.
        trigger_told = Signal()
        with m.If(self.o_log.valid), m.If(self.o_log.ready):
            m.d.sync += self.o_log.valid.eq(0)
        with m.Elif(started):
            m.d.sync += [started.eq(0), self.o_log.valid.eq(1)]
            m.d.sync += self.o_log.payload.eq(LogCode.STARTED)
        with m.Elif(self.triggered & ~trigger_told):
            m.d.sync += [trigger_told.eq(1), self.o_log.valid.eq(1)]
            m.d.sync += self.o_log.payload.eq(LogCode.TRIGGERED)
        with m.Elif(stopped):
            m.d.sync += [stopped.eq(0), self.o_log.valid.eq(1)]
            m.d.sync += self.o_log.payload.eq(LogCode.STOPPED)
        if self._tells_sent:
            with m.Elif(sending & self.sent):
                m.d.sync += [sending.eq(0), self.o_log.valid.eq(1)]
                m.d.sync += self.o_log.payload.eq(LogCode.DUMPED)
            with m.If(drained | self.dump_stb):
                m.d.sync += sending.eq(1)
        with m.If(self.clear):
            m.d.sync += trigger_told.eq(0)
        return m

    def _limits(self, m, wait, clearing, timed, at_rest, stop_asked, loaded) -> Signal:
        """Count down the rest of the run; return which half of its length is requested."""
        fine = self._fine_bits
        stop_on = self.control.stop_on
        m.submodules.time_left = time_left = Timer(fine)
        m.submodules.settle_left = settle_left = Alarm(48 - fine)
        time_over, part_clock = Signal(), Signal()
        stood, load_stb, high = Signal(2), Signal(), Signal()
        m.d.comb += load_stb.eq(stood.all() & self.word_valid)
        with m.If(~clearing | loaded | load_stb):
            m.d.sync += stood.eq(0)
        with m.Elif(~stood.all()):
            m.d.sync += stood.eq(stood + 1)
        with m.If(self.clear):
            m.d.sync += [high.eq(0), loaded.eq(0)]
        with m.Elif(load_stb):
            m.d.sync += [high.eq(1), loaded.eq(high)]
            with m.If(~high):
                m.d.sync += part_clock.eq(self.word[:fine].any())
        rest, rested = Signal(range(REST_CLOCKS)), Signal()
        m.d.comb += [
            time_left.clear.eq(self.clear),
            time_left.word.eq(self.word),
            time_left.low_stb.eq(load_stb & ~high),
            time_left.high_stb.eq(load_stb & high),
            # The timer starts five clocks early, because it takes that long to the last clock.
            time_left.start_stb.eq(self.track & (wait == TIMER_CLOCKS + 3)),
            settle_left.clocks.eq(self.settle_ticks[fine:]),
            settle_left.start_stb.eq(self.start_stb | self.restart_stb | self.strike_stb),
            at_rest.eq(rested & settle_left.done & ~self.between & ~self.step_stb),
        ]
        striking = Signal()
        m.d.sync += striking.eq(self.striking)
        with m.If(striking):
            m.d.sync += rest.eq(REST_CLOCKS - 5)
        with m.Elif(rest.any()):
            m.d.sync += rest.eq(rest - 1)
        m.d.sync += [
            time_over.eq(time_left.done),
            timed.eq(
                flag_bit(stop_on, StopOn.TIME) & Mux(part_clock, time_over, time_left.done),
            ),
            rested.eq(
                (flag_bit(stop_on, StopOn.STRIKES) | self.more) & self.stimuli_done & ~rest.any()
            ),
        ]
        with m.If(self.clear | ~self.running):
            m.d.sync += stop_asked.eq(0)
        with m.Elif(self.action.stop):
            m.d.sync += stop_asked.eq(1)
        return high

    def _drain(self, m, first, waits, drain_next, drained) -> None:
        with m.FSM(name="drain"):
            with m.State("CAPTURED"):
                m.d.comb += drain_next.eq(1)
                with m.If(first):
                    m.next = "MERGED"
            with m.State("MERGED"):
                with m.If(waits):
                    pass
                with m.Elif(self.merge_idle):
                    m.next = "FINAL"
            with m.State("FINAL"):
                m.d.comb += self.final_valid.eq(1)
                with m.If(self.final_ready):
                    m.next = "MATCHED"
            with m.State("MATCHED"):
                m.d.comb += drain_next.eq(1)
                with m.If(self.final_seen):
                    m.next = "COUNTED"
            with m.State("COUNTED"):
                with m.If(~waits):
                    m.d.comb += drained.eq(1)
                    m.next = "CAPTURED"
