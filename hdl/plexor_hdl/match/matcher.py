# SPDX-License-Identifier: Apache-2.0
"""The matcher: finds the strike that each response answers, beat by beat, channel by channel."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import MAX_CHANNELS
from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import VALUE_BITS, VALUE_MOST, ResponseClass
from plexor.protocol.registers import CHANNEL, MATCHER, Policy
from plexor_hdl.control.limits import SHARED, in_memories
from plexor_hdl.interfaces import Beat, Decision, Kind, Measured, block_layout
from plexor_hdl.lib.history import Line
from plexor_hdl.match.accept import Accept
from plexor_hdl.match.ages import Ages
from plexor_hdl.match.generations import move_horizon
from plexor_hdl.match.handover import Handover
from plexor_hdl.match.horizon import Horizon
from plexor_hdl.match.own_edges import OwnEdges
from plexor_hdl.match.strike_codes import keep_codes
from plexor_hdl.match.trigger import Moment
from plexor_hdl.match.turns import Look, take_turns
from plexor_hdl.match.verdicts import decide, keep_queues

REST_CLOCKS = 5
"""Maximum clocks from a beat's last clock to the last result of the beat."""
KEPT_CLOCKS = 3
"""Clocks from taking a beat to the moment when its event labels its results."""
LAST, JOINED, RISE, HELD = range(4)
"""Places in a channel's part of the memory, beside its queue: the last matched strike, the last
joined strike, the last active edge, and the held response."""


class Matcher(wiring.Component):
    """Matches responses to strikes by the rules of docs/instrument.md, and measures them.

    Beats are worked on one at a time, all channels in turn. Once `step` has strobed no beat is
    taken until `resume`. `pause` stops it between beats.

    Latency: with nothing under way `taken` comes 2 clocks after a beat, 5 with several kinds; a
        strike's decision comes 3 after it, a response's 9, each 1 more with several kinds.
    Throughput: one beat each 2 clocks at best; turns.py has the clocks of each kind of beat.
    Reset: no strike is outstanding. `clear` does the same; the memory keeps its times.
    Wrap: times are modulo 2**32 ticks; looks at all channels forget what is too old to tell.
    Full: a strike that finds its channel's queue full is missed and counted. A beat waits until
        there is `room` and place for its values.

    Ports:
        limit_stb: A bit for each limit: `limit_data` was written to it; Limits has them.
        limit_data: The limit in ticks; both only where limits are `in_memories`.
        clear: Empties every queue, between beats.
        settings: The registers of the matcher; like all registers they stand for 4 clocks first.
        channels: The registers of each channel.
        deadlines: The deadline of each channel, in ticks.
        trigger_latency_ticks: The latency in ticks over which a response triggers.
        trigger_channels: A bit for each channel: it may trigger.
        i_valid: `i_beat` stands.
        i_ready: The beat is taken.
        i_beat: An event, or only the news of the time.
        room: Decisions may be told: up to 2 a channel and 2 more a beat, and expired strikes. Once
            it is low, one more beat may be taken.
        pause: No beat is taken from the next clock on.
        paused: With `pause`: nothing is under way, nor waits in `o_measured`.
        taken: Strobes with each event.
        o_event: The event, from `taken` until the next.
        final: Strobes once all that the final beat brought was handed out.
        step: Strobes once all up to the end of a step was handed out.
        resume: Beats may be taken after a step.
        o_measured: Latencies and intervals.
        o_decision: What was decided of one channel; valid with `o_decision_valid`.
        o_decision_valid: One a clock at most; those of expired strikes LOOK_CLOCKS apart.
        missed_trigger: A strike was missed that triggers; strobes after `taken`, before the next.
        queue_full: A strike found its queue full.
        trigger_stb: A latency triggers; strobes as `missed_trigger` does.
        trigger_at: The event of both triggers, in a build with several kinds; else 0.
        pending: How many strikes of each channel are outstanding.
        latency_channel: With Feature.CODES: the channel whose latencies go with codes.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        channels = geometry.channels
        self._channel_bits = max(geometry.key_bits, 1)
        limits = {"limit_stb": In(len(SHARED) + channels), "limit_data": In(VALUE_BITS)}
        super().__init__(
            {
                **(limits if in_memories(geometry) else {}),
                "clear": In(1),
                "settings": In(block_layout(MATCHER)),
                "channels": In(data.ArrayLayout(block_layout(CHANNEL), channels)),
                "deadlines": In(data.ArrayLayout(signed(VALUE_BITS), channels)),
                "trigger_latency_ticks": In(signed(VALUE_BITS)),
                "trigger_channels": In(MAX_CHANNELS),
                "i_valid": In(1),
                "i_ready": Out(1, init=1),
                "i_beat": In(Beat(geometry)),
                "room": In(1),
                "pause": In(1),
                "paused": Out(1),
                "taken": Out(1),
                "o_event": Out(Beat(geometry)["event"].shape),
                "final": Out(1),
                "step": Out(1),
                "resume": In(1),
                "o_measured": Out(stream.Signature(Measured(geometry))),
                "o_decision": Out(Decision(geometry)),
                "o_decision_valid": Out(1),
                "missed_trigger": Out(1),
                "queue_full": Out(1),
                "trigger_stb": Out(1),
                "trigger_at": Out(Moment),
                "pending": Out(data.ArrayLayout(32, channels)),
                **({"latency_channel": In(3)} if geometry.code_bits else {}),
            }
        )

    def elaborate(self, platform):
        m = Module()
        settings = self.settings
        s = Look(self._geometry)
        m.d.sync += [
            s.early.eq(settings.early_ticks.any() & s.several),
            s.latest.eq(settings.policy == Policy.LATEST),
            s.windowed.eq(settings.policy == Policy.WINDOW),
        ]
        m.submodules.accept = accept = Accept(self._geometry)
        m.d.comb += [
            accept.channels.eq(self.channels),
            accept.i_valid.eq(self.i_valid),
            self.i_ready.eq(accept.i_ready),
            accept.i_beat.eq(self.i_beat),
            accept.take.eq(s.may),
            s.takes.eq(s.may & accept.valid),
        ]
        accepted = accept.o_accepted
        horizon = self._horizon(m, s, accept) if s.several else None
        take_turns(m, s, accepted, horizon)
        heads, tails = keep_queues(m, s, self.clear, self.pending)
        if horizon is not None:
            move_horizon(m, s, horizon, heads, tails)
        self._code = 0
        if self._geometry.code_bits:
            code = accepted.beat.code
            self._code = keep_codes(m, s, self.latency_channel, code, heads, tails)
        ages = self._times(m, s, accepted, heads, tails)
        verdict = decide(m, s, ages, horizon, self.clear)
        under_way = self._hand_out(m, s, accepted, ages, verdict)
        self._ends(m, s, accepted, horizon, under_way)
        return m

    def _horizon(self, m, s, accept):
        """Return the signals that tell whether the accepted beat is beyond the horizon."""
        m.submodules.horizon = horizon = Horizon()
        time = self.i_beat.event.time_ticks, accept.o_accepted.beat.event.time_ticks
        renews = accept.o_accepted.whole_round | horizon.beyond
        settle = s.idle & s.renews
        with m.If(s.takes):
            m.d.sync += s.renews.eq(renews)
        with m.Elif(settle):
            m.d.sync += s.renews.eq(0)
        m.d.comb += [
            horizon.clear.eq(self.clear),
            horizon.timeout_ticks.eq(self.settings.timeout_ticks),
            horizon.early_ticks.eq(self.settings.early_ticks),
            horizon.now.eq(~s.time_n),
            horizon.start.eq(s.takes & renews),
            horizon.settle.eq(settle),
            horizon.time_ticks.eq(Mux(accept.i_ready, *time)),
        ]
        return horizon

    def _times(self, m, s, accepted, heads, tails):
        """Read and store times during looks and pushes; return their ages.

        A look reads the channel's last matched strike, then its oldest strike or held response,
        then its last active edge. A trailing edge reads that edge first, then the strike.
        """
        place = Signal(range(self._geometry.queue_depth))
        m.d.sync += place.eq(heads[s.channel])
        step, back = s.step, s.back
        lows, stores, copies = step[1] | step[3], s.matched | (s.struck & ~s.full).any(), s.matched
        queue = Cat(tails[s.number], Const(0, 1))
        written = Const(LAST, 2)
        half, low_half, high_half = Signal(), Signal(), Signal()
        if s.several:
            lows = lows | step[5] | back[1] | back[3]
            upper = lows
            queued = (step[2] | step[3]) & ~(s.holding | s.joining)
            spot = Signal(range(4))
            at_rise = (s.idle & accepted.back) | back[1]
            at_joined = s.joined_here & (step[0] | step[1])
            written = Mux(s.joining, Const(JOINED, 2), Mux(s.matched, LAST, Const(HELD, 2)))
            late = step[2:6].any()
            m.d.comb += spot.eq(Cat(step[2] | step[3] | at_joined, late | at_rise))
            read = Cat(Mux(queued, place, spot), ~queued)
            rises = Signal()
            m.d.sync += rises.eq(step[4] & s.fresh)
            stores = stores | s.joins | s.hold | rises
            written = Mux(s.decided, written, Const(RISE, 2))
            beside = s.decided | rises
        else:
            # The strike is read again to be stored.
            before = s.idle | step[0] | step[1]
            read = Cat(place & ~before.replicate(len(place)), before)
            upper = lows | step[6]
            copies, beside = s.decided, s.decided
        m.d.sync += [
            half.eq(s.pushing | lows | (step[7] if s.several else 0)),
            low_half.eq(lows),
            high_half.eq(low_half),
        ]
        written = Cat(written, Const(0, len(place) - len(written)), Const(1, 1))
        bits = len(place) + 1 + self._channel_bits
        m.submodules.ages = ages = Ages(self._geometry, s.several, bits)
        if in_memories(self._geometry):
            m.d.comb += [ages.limit_stb.eq(self.limit_stb), ages.limit_data.eq(self.limit_data)]
        m.d.comb += [
            ages.settings.eq(self.settings),
            ages.deadlines.eq(self.deadlines),
            ages.trigger_latency_ticks.eq(self.trigger_latency_ticks),
            ages.channel.eq(s.channel),
            ages.time_n.eq(s.time_n),
            ages.half.eq(half),
            ages.read.eq(Cat(read, Mux(s.idle, accepted.channel, s.channel), upper)),
            ages.low_half.eq(low_half),
            ages.high_half.eq(high_half),
            ages.joins.eq(s.joining),
            ages.held.eq(s.holding),
            ages.write.eq(Mux(beside, Cat(written, s.channel), Cat(queue, s.number))),
            ages.store.eq(stores),
            ages.copy.eq(copies),
        ]
        return ages

    def _hand_out(self, m, s, accepted, ages, verdict):
        """Output decisions and values; return whether something is under way."""
        count = len(s.first)
        triggers = self.trigger_channels[:count]
        event = Signal(self.o_event.shape())
        # Where responses may be early, `over` and `late` come a clock later.
        final_verdict = Line(m, verdict, "verdict")[int(s.several)]
        decision = final_verdict.decision
        any_missed, over, trigger = Signal(), Signal(), Signal()
        m.d.comb += trigger.eq(triggers.bit_select(decision.channel, 1))
        m.d.sync += [
            self.o_decision.eq(decision),
            self.o_decision_valid.eq(final_verdict.told),
            any_missed.eq(decision.missed & trigger),
            over.eq(final_verdict.matched & decision.classed & ages.over & trigger),
            self.queue_full.eq(decision.queue_full),
            self.o_decision.response_class.eq(
                Mux(
                    final_verdict.matched,
                    Mux(ages.late, ResponseClass.LATE, ResponseClass.ANSWERED),
                    Mux(final_verdict.repeats, ResponseClass.DUPLICATE, ResponseClass.SPURIOUS),
                )
            ),
        ]
        m.d.comb += self.trigger_stb.eq(over)
        taken = s.takes & accepted.beat.is_event
        measured = Signal(Measured(self._geometry))
        hand_out = self._one_value
        if s.several:
            hand_out = self._many_values
            # An event labels its results, which may come after the next event has begun. A beat
            # that was just taken still has its event in the stage before.
            stands, takes = Signal.like(event), Line(m, s.takes, "takes")
            takes_r, keeps = takes[1], takes[KEPT_CLOCKS]
            with m.If(takes_r):
                m.d.sync += event.eq(accepted.beat.event)
            with m.If(keeps):
                m.d.sync += stands.eq(event)
            m.d.sync += self.taken.eq(Line(m, taken, "was_taken")[KEPT_CLOCKS])
            m.d.comb += [
                self.o_event.eq(stands),
                self.trigger_at.index.eq(stands.index),
                self.trigger_at.time_ticks.eq(stands.time_ticks),
                measured.index.eq(stands.index),
                measured.time_ticks.eq(stands.time_ticks),
                self.missed_trigger.eq(Line(m, any_missed, "any_missed")[KEPT_CLOCKS - 1]),
            ]
        else:
            with m.If(s.takes):
                m.d.sync += event.eq(accepted.beat.event)
            m.d.sync += self.taken.eq(taken)
            m.d.comb += [self.o_event.eq(event), self.missed_trigger.eq(any_missed)]

        under_way, still, rest = Signal(), Signal(), Signal(range(REST_CLOCKS + 1))
        some = hand_out(m, s, ages, measured)
        m.d.comb += under_way.eq(~s.idle | some)
        if s.several:
            with m.If(~s.idle):
                m.d.sync += rest.eq(REST_CLOCKS)
            with m.Elif(rest.any()):
                m.d.sync += rest.eq(rest - 1)
            m.d.comb += under_way.eq(~s.idle | some | rest.any())
        m.d.sync += still.eq(~under_way)
        # A beat may be taken in the first clock of `pause`; its last decision comes a clock later.
        pauses = Signal()
        m.d.sync += pauses.eq(self.pause)
        m.d.comb += self.paused.eq(pauses & self.pause & still & ~under_way)
        return under_way

    def _many_values(self, m, s, ages, measured):
        """Output values through a FIFO in which each look finds room; return whether it has any."""
        m.submodules.spans = spans = OwnEdges(self._geometry)
        m.submodules.handover = handover = Handover(self._geometry)
        value = Signal(signed(VALUE_BITS))
        answers, answer_stb = Signal(), Signal()
        is_over = ~ages.age_n[-1]
        spread = spans.over | (is_over & spans.far)
        with m.If(spread):
            m.d.sync += value.eq(VALUE_MOST)
        with m.Else():
            m.d.sync += value.eq(ages.age_n ^ (~s.joining).replicate(VALUE_BITS))
        m.d.sync += [answers.eq(s.matched), answer_stb.eq(s.responded)]
        m.d.comb += [
            spans.clear.eq(self.clear),
            spans.channel.eq(s.channel),
            spans.active_stb.eq(s.step[5] & s.fresh),
            spans.look_stb.eq(s.step[5] & ~s.responds & ~s.holding & ~s.joining),
            spans.back_stb.eq(s.back[1]),
            spans.fall_stb.eq(s.back[3]),
            spans.answer_stb.eq(answer_stb),
            spans.answers.eq(answers),
            spans.is_over.eq(is_over),
            measured.kind.eq(spans.kind),
            measured.channel.eq(spans.o_channel),
            measured.value_ticks.eq(value),
            measured.code.eq(self._code),
            handover.i_valid.eq(spans.valid | s.matched | s.joins),
            handover.i_measured.eq(measured),
            s.room.eq(handover.room),
        ]
        wiring.connect(m, handover.o_measured, wiring.flipped(self.o_measured))
        return handover.some

    def _one_value(self, m, s, ages, measured):
        """Output the latency, which stands until the next look; return whether there is one."""
        values, channel = self.o_measured, Signal(self._channel_bits)
        code = Signal.like(measured.code)
        with m.If(s.matched):
            m.d.sync += [values.valid.eq(1), channel.eq(s.channel), code.eq(self._code)]
        with m.Elif(values.ready):
            m.d.sync += values.valid.eq(0)
        m.d.comb += [
            # `ready` comes from far away.
            s.room.eq(~values.valid),
            measured.kind.eq(Kind.RISE),
            measured.channel.eq(channel),
            measured.value_ticks.eq(~ages.age_n),
            measured.code.eq(code),
            values.payload.eq(measured),
        ]
        return values.valid

    def _ends(self, m, s, accepted, horizon, under_way) -> None:
        """Strobe `step` and `final`, and tell when a beat may be taken."""
        ready = s.idle
        # Obstacles are found a clock ahead.
        blocked = Signal()
        waits: Value = ~self.room | self.pause
        if horizon is not None:
            waits = waits | ~s.room | s.renews | horizon.settling
        else:
            ready = ready & s.room
        if len(accepted.step):
            stops, told = Signal(), Signal()
            waits = waits | (stops & ~self.resume)
            m.d.comb += self.step.eq(stops & ~told & ~under_way)
            m.d.sync += told.eq(stops & (told | ~under_way))
            with m.If(s.takes):
                m.d.sync += stops.eq(accepted.step)
            with m.Elif(self.resume | self.clear):
                m.d.sync += stops.eq(0)
        m.d.sync += blocked.eq(waits)
        m.d.comb += s.may.eq(ready & ~blocked)
        ended = Signal()
        if s.several:
            with m.If(s.idle & s.final & under_way):
                m.d.sync += ended.eq(1)
            with m.Elif(~under_way):
                m.d.sync += ended.eq(0)
            m.d.comb += self.final.eq(ended & ~under_way)
        else:
            m.d.sync += self.final.eq(s.done & s.final)
