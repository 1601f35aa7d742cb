"""The matcher: which strike each response answers, one beat at a time, all channels' in turn."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import MAX_CHANNELS
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import VALUE_BITS, VALUE_MOST, ResponseClass
from plexor.protocol.registers import CHANNEL, MATCHER, Policy
from plexor_hdl.accept import SWEEP_BIT, Accept
from plexor_hdl.ages import Ages
from plexor_hdl.handover import Handover
from plexor_hdl.horizon import Horizon
from plexor_hdl.interfaces import Beat, Decision, Kind, Measured, block_layout, lean
from plexor_hdl.limb import Line
from plexor_hdl.limits import SHARED
from plexor_hdl.merge import encode, lowest
from plexor_hdl.spans import Spans
from plexor_hdl.trigger import Moment

__all__ = ["LOOK_CLOCKS", "SWEEP_BIT", "PacedMatcher"]

LOOK_CLOCKS = 8
"""From when a channel is chosen to what becomes of its oldest strike and of its response."""
BACK_CLOCKS = 4
"""An edge back that is measured."""
REST_CLOCKS = 10
"""From a beat's last clock to the last that comes of it."""
KEPT_CLOCKS = 3
"""From a beat that is taken to when its event stands for what comes of it."""
LAST, JOINED, RISE, HELD = range(4)
"""Places in memory, beside a channel's queue: the strike that was matched last, or joined since;
the last active edge; the response that is held."""


class _State:
    """What the parts of the matcher share: the beat, the look under way, and what comes of it."""

    def __init__(self, count: int, channel_bits: int) -> None:
        def signal(name, width=1, init=0):
            return Signal(width, name=name, init=init)

        # Channels still to be looked at, those to be struck, the one that responds.
        self.looks, self.strikes = signal("looks", count), signal("strikes", count)
        self.channel, self.responds = signal("channel", channel_bits), signal("responds")
        self.time_n, self.final = signal("time_n", VALUE_BITS), signal("final_beat")
        # The first of those to be struck, known a clock late: they change 2 clocks before or more.
        self.first, self.struck = signal("first", count), signal("struck", count)
        self.number = signal("number", channel_bits)
        self.idle, self.choosing = signal("idle", init=1), signal("choosing")
        self.pushing = signal("pushing")
        # Of the look: at a held response, or at one that is joined to this beat's strike; the first
        # one of a beat.
        self.holding, self.joining = signal("holding"), signal("joining")
        self.fresh, self.kept = signal("fresh"), signal("kept")
        self.step, self.back = signal("looked", LOOK_CLOCKS), signal("back", BACK_CLOCKS)
        # What comes of it, in its last clock; the beat's last clock.
        self.decided, self.expired = signal("decided"), signal("expired")
        self.matched, self.responded = signal("matched"), signal("responded")
        self.settled, self.joins, self.hold = signal("settled"), signal("joins"), signal("hold")
        self.done = signal("done")
        self.takes, self.may, self.room = signal("takes"), signal("may"), signal("has_room")
        # Of the channel that is looked at: its response is held now; its last match was joined.
        self.holds_here, self.joined_here = signal("holds_here"), signal("joined_here")
        # Channels with outstanding strikes, with a full queue, with a held response.
        self.some, self.full = signal("some", count), signal("full", count)
        self.holds = signal("holds", count)
        self.early, self.latest = signal("early"), signal("latest")
        self.windowed = signal("windowed")
        # The horizon is found anew.
        self.renews = signal("renews")


class PacedMatcher(wiring.Component):
    """Matches responses to strikes by the rules of docs/instrument.md, and measures them.

    Throughput: a beat takes 2 clocks, and 2 more for each channel after the first that it strikes;
    a response LOOK_CLOCKS, an edge back that is measured BACK_CLOCKS, and 2 for each channel if it
    strikes any. A channel whose queue a strike finds full is looked at first, LOOK_CLOCKS + 2 more;
    each strike that has expired there or before a response takes LOOK_CLOCKS, as does each held
    response, and LOOK_CLOCKS + 2 each one that is joined to a strike. All channels are looked at so
    by a beat without event, and by an event once in 2**SWEEP_BIT ticks; in a build with snapshots,
    steps or the ring before any event behind which something has expired, too.

    A beat is taken while `room` is high, `pause` low, and there is place for what it measures;
    `paused` says that with `pause` nothing is under way, nor waits in `o_measured`. `taken` strobes
    with each event, `o_event` being it. `o_decision`, one a clock at most, tells of strikes and
    responses: up to 2 for each channel and 2 more a beat, and those of expired strikes, LOOK_CLOCKS
    apart. `trigger_stb` and `missed_trigger` strobe behind `taken` and before the next one;
    `trigger_at` is the event. The end of a step strobes `step`, a final beat `final`, once all else
    has been handed out; after `step` no beat is taken until `resume` is high.

    `clear`, between beats, empties every queue. Settings must have stood for 4 clocks. In a build
    that is `lean` limits come by `limit_stb` and `limit_data`: Limits has them.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        features, channels = geometry.features, geometry.channels
        self._channel_bits = max(geometry.key_bits, 1)
        self._early = Feature.EARLY in features
        self._long = bool(features & Beat.LONG)
        self._kept = bool(features & Beat.KEPT)
        self._sweep = Feature.SWEEP in features
        self._prompt = bool(features & (Feature.SNAPSHOT | Feature.RING | Feature.SWEEP))
        # Whether a beat can give more than one value; whether something can come behind it.
        self._several = self._long or self._early
        self._rests = self._several or self._kept
        self._rich = self._several or self._prompt
        limits = {"limit_stb": In(len(SHARED) + channels), "limit_data": In(VALUE_BITS)}
        super().__init__(
            {
                **(limits if lean(geometry) else {}),
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
                "busy": Out(1),
                "o_measured": Out(stream.Signature(Measured(geometry))),
                "o_decision": Out(Decision(geometry)),
                "o_decision_valid": Out(1),
                "missed_trigger": Out(1),
                "queue_full": Out(1),
                "trigger_stb": Out(1),
                "trigger_at": Out(Moment),
                "pending": Out(data.ArrayLayout(32, channels)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        settings, count = self.settings, self._geometry.channels
        s = _State(count, self._channel_bits)
        m.d.sync += [
            s.early.eq(settings.early_ticks.any() & self._early),
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
        beyond = self._horizon(m, s, accept) if self._prompt else None
        self._turns(m, s, accepted, beyond)
        heads, tails = self._queues(m, s)
        ages = self._times(m, s, accepted, heads, tails)
        verdict = self._outcome(m, s, ages)
        self._hand_out(m, s, accepted, ages, verdict)
        return m

    def _turns(self, m, s, accepted, beyond) -> None:
        """Take beats; choose what is looked at and struck, and when the beat is done."""
        numbers = range(self._geometry.channels)
        count = len(numbers)
        looking, left, joinable = Signal(), Signal(), Signal(count)
        # Where channels to look at are found in a clock of its own.
        soon, picked_r = Signal(), Signal(count)
        # The clocks after a push and after an edge back.
        upper, backed = Signal(), Signal()
        m.d.comb += [
            s.decided.eq(s.step[-1]),
            s.struck.eq(s.first & s.pushing.replicate(count)),
        ]
        m.d.sync += [
            s.kept.eq(s.decided),
            upper.eq(s.pushing),
            backed.eq(s.back[-1]),
            s.step.eq(s.step << 1),
            s.back.eq(s.back << 1),
            looking.eq(s.looks.any()),
            left.eq(s.looks.any() | s.strikes.any()),
            s.choosing.eq(soon),
            soon.eq(0),
            s.pushing.eq(0),
            s.first.eq(lowest(s.strikes)),
            s.number.eq(encode(lowest(s.strikes), numbers)),
            s.idle.eq(s.done | (s.idle & ~s.takes)),
        ]
        # What is to be looked at before all else; the channel that responds is so unasked.
        own, is_back, asked = Signal(), Signal(), Signal(count)
        wanted = accepted.struck & (s.full | s.holds)
        if self._prompt:
            # What the beat before has pushed or held is among these as soon as it is done.
            waits = Signal(count)
            here = Cat(s.decided & (s.channel == number) for number in numbers)
            m.d.sync += waits.eq(s.some | s.holds | s.struck | here)
            wanted = wanted | (waits & beyond.replicate(count))
        m.d.comb += [
            own.eq(accepted.own.any()),
            asked.eq((accepted.sweeps.replicate(count) | wanted) & ~accepted.own),
        ]
        if self._long:
            m.d.comb += is_back.eq(accepted.back)
        stored = s.kept & (accepted.channel == s.channel)
        joined_here = Const(0)
        if self._early:
            joined = self._joined(m, s)
            joined_here = joined.bit_select(accepted.channel, 1)
            with m.If(s.takes):
                m.d.sync += s.joined_here.eq(joined_here)
        with m.If(s.takes):
            others = ~own & ~is_back
            m.d.sync += [
                s.looks.eq(asked),
                looking.eq(asked.any()),
                s.strikes.eq(accepted.struck),
                s.first.eq(lowest(accepted.struck)),
                s.number.eq(encode(lowest(accepted.struck), numbers)),
                s.channel.eq(accepted.channel),
                s.responds.eq(own),
                s.fresh.eq(own),
                # This is step 0, but of a channel whose last match is just being stored or is
                # elsewhere.
                s.step[:2].eq(Mux(stored | joined_here, own, own << 1)),
                s.back[1].eq(is_back),
                (soon if self._rich else s.choosing).eq(asked.any() & others),
                s.pushing.eq(~asked.any() & others),
                s.final.eq(accepted.beat.final),
                s.time_n.eq(~accepted.beat.event.time_ticks),
            ]
        picked = lowest(s.looks)
        if self._early:
            m.d.comb += joinable.eq(s.strikes & s.holds)
            picked = Mux(looking, picked, lowest(joinable))
            with m.If(s.takes):
                m.d.sync += s.holding.eq(own & s.holds.bit_select(accepted.channel, 1))
        if self._rich:
            m.d.sync += picked_r.eq(picked)
            picked = picked_r
        with m.If(s.choosing & s.room):
            m.d.sync += [
                s.channel.eq(encode(picked, numbers)),
                s.looks.eq(s.looks & ~picked),
                s.step[0].eq(1),
            ]
            if self._early:
                m.d.sync += [
                    s.holding.eq(looking & (picked & s.holds).any()),
                    s.joining.eq(~looking),
                    s.joined_here.eq((picked & joined).any()),
                    s.strikes.eq(s.strikes & ~(picked & ~looking.replicate(count))),
                ]
        with m.Elif(s.choosing):
            m.d.sync += s.choosing.eq(1)
        with m.If(s.pushing):
            m.d.comb += s.done.eq(~(s.strikes & ~s.first).any())
            m.d.sync += s.strikes.eq(s.strikes & ~s.first)
        again = s.expired | (s.decided & s.holding)
        with m.If(again):
            m.d.sync += [s.step[0].eq(1), s.holding.eq(0)]
        with m.Elif(s.decided):
            m.d.comb += s.done.eq(~left)
            m.d.sync += [s.responds.eq(0), s.joining.eq(0)]
        with m.If(s.decided):
            m.d.sync += s.fresh.eq(0)
        with m.If(s.back[-1]):
            m.d.comb += s.done.eq(~left)
        with m.If(~s.idle & (upper | backed | (s.kept & ~s.step[0]))):
            more = looking | joinable.any()
            m.d.sync += [s.choosing.eq(more), s.pushing.eq(~more)]

    def _horizon(self, m, s, accept):
        """Return whether the accepted beat is beyond what has been looked at."""
        m.submodules.horizon = horizon = self._found = Horizon()
        time = self.i_beat.event.time_ticks, accept.o_accepted.beat.event.time_ticks
        renews = accept.o_accepted.sweeps | horizon.beyond
        settle = s.idle & s.renews
        with m.If(s.takes):
            m.d.sync += s.renews.eq(renews)
        with m.Elif(settle):
            m.d.sync += s.renews.eq(0)
        m.d.comb += [
            horizon.clear.eq(self.clear),
            horizon.timeout_ticks.eq(self.settings.timeout_ticks),
            horizon.early_ticks.eq(self.settings.early_ticks if self._early else 0),
            horizon.now.eq(~s.time_n),
            horizon.start.eq(s.takes & renews),
            horizon.settle.eq(settle),
            horizon.time_ticks.eq(Mux(accept.i_ready, *time)),
        ]
        return horizon.beyond

    def _times(self, m, s, accepted, heads, tails):
        """Read and store times as the look and the pushes go on; return their ages.

        The channel's last strike that was matched is looked at first, then its oldest one or what
        is held, then its last active edge; at an edge back that first, then the strike.
        """
        place = Signal(range(self._geometry.queue_depth))
        m.d.sync += place.eq(heads[s.channel])
        step, back = s.step, s.back
        lows, stores, copies = step[1] | step[3], s.matched | (s.struck & ~s.full).any(), s.matched
        queue = Cat(tails[s.number], Const(0, 1))
        written = Const(LAST, 2)
        half, low_half, high_half = Signal(), Signal(), Signal()
        if self._several:
            lows = lows | step[5] | back[1] | back[3]
            upper = lows
            queued = (step[2] | step[3]) & ~(s.holding | s.joining)
            spot = Signal(range(4))
            at_rise = (s.idle & accepted.back) | back[1] if self._long else Const(0)
            at_joined = Const(0)
            if self._early:
                at_joined = s.joined_here & (step[0] | step[1])
                written = Mux(s.joining, Const(JOINED, 2), Mux(s.matched, LAST, Const(HELD, 2)))
                stores = stores | s.joins | s.hold
            late = step[2:6].any()
            m.d.comb += spot.eq(Cat(step[2] | step[3] | at_joined, late | at_rise))
            read = Cat(Mux(queued, place, spot), ~queued)
            rises = Signal()
            if self._long:
                m.d.sync += rises.eq(step[4] & s.fresh)
            stores = stores | rises
            written = Mux(s.decided, written, Const(RISE, 2))
            beside = s.decided | rises
        else:
            # The strike is read once more, to be stored.
            before = s.idle | step[0] | step[1]
            read = Cat(place & ~before.replicate(len(place)), before)
            upper = lows | step[6]
            copies, beside = s.decided, s.decided
        m.d.sync += [
            half.eq(s.pushing | lows | (step[7] if self._several else 0)),
            low_half.eq(lows),
            high_half.eq(low_half),
        ]
        written = Cat(written, Const(0, len(place) - len(written)), Const(1, 1))
        bits = len(place) + 1 + self._channel_bits
        m.submodules.ages = ages = Ages(self._geometry, self._several, bits)
        if lean(self._geometry):
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

    def _queues(self, m, s):
        """Keep each channel's queue: as many strikes as its level, from its head on to its tail."""
        numbers, depth = range(self._geometry.channels), self._geometry.queue_depth
        levels = [Signal(range(depth + 1), name=f"level{number}") for number in numbers]
        # Heads are kept, too: a difference of what the channel chooses would take too long.
        heads = Array(Signal(range(depth), name=f"head{number}") for number in numbers)
        tails = Array(Signal(range(depth), name=f"tail{number}") for number in numbers)
        popped = Signal()
        m.d.sync += popped.eq(s.expired | s.matched)
        for place, (level, head, tail) in enumerate(zip(levels, heads, tails, strict=True)):
            # It stands while it is looked at.
            here, struck = Signal(name=f"here{place}"), s.struck[place] & ~s.full[place]
            replaces = s.latest & s.some[place]
            m.d.sync += here.eq(s.channel == place)
            with m.If(struck):
                m.d.sync += tail.eq(tail + 1)
                with m.If(~replaces):
                    m.d.sync += level.eq(level + 1)
            with m.If(popped & here):
                m.d.sync += level.eq(level - 1)
            with m.If((popped & here) | (struck & replaces)):
                m.d.sync += head.eq(head + 1)
            with m.If(self.clear):
                m.d.sync += [level.eq(0), head.eq(0), tail.eq(0)]
            m.d.comb += [
                s.some[place].eq(level.any()),
                s.full[place].eq(level[-1]),
                self.pending[place].eq(level),
            ]
        return heads, tails

    def _joined(self, m, s):
        """Return a bit a channel: the strike that was matched last is one that was joined."""
        joined = Signal(len(s.holds))
        for number in range(len(joined)):
            with m.If((s.joins | s.matched) & (s.channel == number)):
                m.d.sync += joined[number].eq(s.joins)
        return joined

    def _outcome(self, m, s, ages):
        """Decide what becomes of strikes and responses; return it, without the class by deadline.

        That is: the decision; whether its response was matched; and if else it repeats one.
        """
        count = len(s.first)
        # Channels with a last match, as far as it is up to the time-out.
        known, known_here, recent, keep = Signal(count), Signal(), Signal(), Signal()
        waiting, repeats_here, plain = Signal(), Signal(), Signal()
        may_expire, may_match, may_settle, may_join = (Signal() for _ in range(4))
        m.d.comb += plain.eq(~s.holding & ~s.joining)
        m.d.sync += [
            may_expire.eq(s.step[-2] & waiting & plain),
            may_match.eq(s.step[-2] & waiting & s.responds & plain),
            waiting.eq(s.some.bit_select(s.channel, 1)),
            known_here.eq(known.bit_select(s.channel, 1)),
            keep.eq(s.matched | s.joins | recent),
        ]
        with m.If(s.step[5] & plain):
            m.d.sync += recent.eq(~ages.old & known_here)
        m.d.comb += [
            s.expired.eq(may_expire & ages.old),
            s.matched.eq(may_match & ~ages.old & (ages.opened | ~s.windowed)),
            s.responded.eq(s.decided & s.responds & plain & ~s.expired),
        ]
        knows = Signal()
        m.d.sync += knows.eq(s.decided & ~s.holding)
        for number in range(count):
            here = Signal(name=f"is_here{number}")
            m.d.sync += here.eq(s.channel == number)
            with m.If(knows & here):
                m.d.sync += known[number].eq(keep)
        with m.If(self.clear):
            m.d.sync += known.eq(0)

        verdict = Signal(
            data.StructLayout({"decision": Decision(self._geometry), "matched": 1, "repeats": 1})
        )
        decision = verdict.decision
        refused, replaced = (s.struck & s.full).any(), (s.struck & s.some).any() & s.latest
        m.d.comb += [
            decision.channel.eq(Mux(s.pushing, s.number, s.channel)),
            decision.strike.eq(s.pushing & s.struck.any()),
            decision.missed.eq(refused | replaced | s.expired),
            decision.queue_full.eq(refused),
            decision.classed.eq(s.responded),
            verdict.matched.eq(s.matched),
            verdict.repeats.eq(recent),
        ]
        if self._early:
            repeats = Signal(count)
            m.d.sync += [
                s.holds_here.eq(s.holds.bit_select(s.channel, 1)),
                repeats_here.eq(repeats.bit_select(s.channel, 1)),
                may_settle.eq(s.step[-2] & s.holding & s.holds_here),
                may_join.eq(s.step[-2] & s.joining),
            ]
            m.d.comb += [
                s.settled.eq(may_settle & (ages.old | s.final)),
                s.joins.eq(may_join),
                s.hold.eq(s.responded & ~s.matched & s.early),
                decision.strike.eq((s.pushing & s.struck.any()) | s.joins),
                decision.early.eq(s.joins),
                decision.classed.eq(
                    (s.responded & (s.matched | ~s.early | s.holds_here)) | s.settled | s.joins
                ),
                verdict.matched.eq(s.matched | s.joins),
                verdict.repeats.eq(Mux(s.early, repeats_here, recent)),
            ]
            for number in range(count):
                here = s.channel == number
                with m.If(here & s.hold):
                    m.d.sync += [s.holds[number].eq(1), repeats[number].eq(recent)]
                with m.Elif(here & (s.settled | s.joins)):
                    m.d.sync += s.holds[number].eq(0)
                with m.Elif(here & s.matched):
                    m.d.sync += repeats[number].eq(1)
            with m.If(self.clear):
                m.d.sync += s.holds.eq(0)
        if self._prompt:
            left = waiting & plain & ~ages.old
            if self._early:
                left = left | (s.holding & ~s.settled)
            m.d.comb += [
                self._found.offer_stb.eq(s.decided & left),
                self._found.offer.eq(ages.slack),
            ]
        return verdict

    def _hand_out(self, m, s, accepted, ages, verdict) -> None:
        """Say what was decided and measured, and where the matcher is."""
        count = len(s.first)
        triggers = self.trigger_channels[:count]
        event = Signal(self.o_event.shape())
        # `over` and `late` come a clock later where a response may come before its strike.
        final_verdict = Line(m, verdict, "verdict")[int(self._early)]
        decision = final_verdict.decision
        told = decision.strike | decision.missed | decision.classed
        any_missed, over, trigger = Signal(), Signal(), Signal()
        m.d.comb += trigger.eq(triggers.bit_select(decision.channel, 1))
        m.d.sync += [
            self.o_decision.eq(decision),
            self.o_decision_valid.eq(told),
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
        if self._kept:
            # An event stands for what comes of it, which may be behind the next one's beginning.
            # It is still in the stage before when it has just been taken.
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
                self.missed_trigger.eq(Line(m, any_missed, "any_missed")[KEPT_CLOCKS - 1]),
            ]
        else:
            with m.If(s.takes):
                m.d.sync += event.eq(accepted.beat.event)
            m.d.sync += self.taken.eq(taken)
            m.d.comb += [self.o_event.eq(event), self.missed_trigger.eq(any_missed)]

        measured = Signal(Measured(self._geometry))
        if Feature.EXTREMES in self._geometry.features:
            m.d.comb += [
                measured.index.eq(stands.index),
                measured.time_ticks.eq(stands.time_ticks),
            ]
        under_way, rest = Signal(), Signal(range(REST_CLOCKS + 1))
        hand_out = self._many_values if self._several else self._one_value
        some = hand_out(m, s, ages, measured)
        m.d.comb += under_way.eq(~s.idle | some)
        if self._rests:
            with m.If(~s.idle):
                m.d.sync += rest.eq(REST_CLOCKS)
            with m.Elif(rest.any()):
                m.d.sync += rest.eq(rest - 1)
            m.d.comb += under_way.eq(~s.idle | some | rest.any())
        m.d.comb += [
            self.busy.eq(under_way | ~self.i_ready),
            self.paused.eq(self.pause & ~under_way),
        ]
        self._ends(m, s, accepted, under_way)

    def _many_values(self, m, s, ages, measured):
        """Hand out values by a FIFO, which a look finds room in; return whether it has some."""
        m.submodules.spans = spans = Spans(self._geometry)
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
            handover.i_valid.eq(spans.valid | s.matched | s.joins),
            handover.i_measured.eq(measured),
            s.room.eq(handover.room),
        ]
        wiring.connect(m, handover.o_measured, wiring.flipped(self.o_measured))
        return handover.some

    def _one_value(self, m, s, ages, measured) -> None:
        """Hand out the latency, which stands until the next look; return whether it is there."""
        values, channel = self.o_measured, Signal(self._channel_bits)
        with m.If(s.matched):
            m.d.sync += [values.valid.eq(1), channel.eq(s.channel)]
        with m.Elif(values.ready):
            m.d.sync += values.valid.eq(0)
        m.d.comb += [
            s.room.eq(~values.valid | values.ready),
            measured.kind.eq(Kind.RISE),
            measured.channel.eq(channel),
            measured.value_ticks.eq(~ages.age_n),
            values.payload.eq(measured),
        ]
        return values.valid

    def _ends(self, m, s, accepted, under_way) -> None:
        """Strobe `step` and `final`, and say when a beat may be taken."""
        ready = s.idle & self.room & ~self.pause
        # What stands in the way is known a clock before.
        blocked, waits = Signal(), Const(0)
        if self._several:
            waits = ~s.room
        else:
            ready = ready & s.room
        if self._prompt:
            waits = waits | s.renews | self._found.settling
        if self._sweep:
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
        if self._rests:
            with m.If(s.done & s.final):
                m.d.sync += ended.eq(1)
            with m.Elif(~under_way):
                m.d.sync += ended.eq(0)
            m.d.comb += self.final.eq(ended & ~under_way)
        else:
            m.d.sync += self.final.eq(s.done & s.final)
