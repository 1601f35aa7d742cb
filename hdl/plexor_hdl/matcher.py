"""The matcher: which strike each response answers, and what becomes of the others."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import MAX_CHANNELS, SOURCE_CHANNEL, SOURCE_STEP
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import VALUE_BITS
from plexor.protocol.registers import CHANNEL, MATCHER, Policy
from plexor_hdl.counter import Counter
from plexor_hdl.interfaces import Beat, block_layout
from plexor_hdl.lane import Lane
from plexor_hdl.limb import Line
from plexor_hdl.merge import encode, lowest
from plexor_hdl.outcome import LaneCounts, LaneStrobes, Outcome
from plexor_hdl.parts import HIGH_BITS, LOW_BITS, add, high_part, later, low_part


class Matcher(wiring.Component):
    """Matches responses to strikes by the rules of docs/instrument.md, "Matching".

    Beats go around a ring of RING clocks; the oldest is acted on when it comes to the end of the
    ring and all lanes that it concerns are up to date, otherwise it goes around again. Takes one
    beat a clock, but none meanwhile: a beat that concerns a channel which changed less than RING
    clocks ago, or whose oldest strike has just expired, takes up to RING clocks more, and RING
    for each held response. So rise latencies of one channel are at least RING clocks apart.

    `o_outcome` tells in the clock in which a beat is acted on, RING clocks after it was taken at
    the earliest; `o_coming` is the next clock's `o_outcome.channel`. `counts` (a bank each) and
    `pending` stand still when no beat is under way. `taken` strobes with each event handled, `beat`
    being it, counted in `beat_bank`; `final` when the final beat has been handled. `bank` is looked
    at when a beat is handled. With Feature.SWEEP the end of a step concerns every lane, as the
    final beat does; `step` strobes with it, and nothing is handled or dropped after it until
    `resume` has been high, a clock or more later. `clear` empties every queue and count. Without
    Feature.SNAPSHOT `counts` are 0, and `strobes` are to be counted. Settings must have stood for 2
    clocks.
    """

    RING = 4

    def __init__(self, geometry: Geometry, banks: int) -> None:
        self._geometry = geometry
        self._banks = banks
        self._counted = Feature.SNAPSHOT in geometry.features
        self._early = Feature.EARLY in geometry.features
        self._long = bool(geometry.features & Beat.LONG)
        self._sweep = Feature.SWEEP in geometry.features
        channels = geometry.channels
        super().__init__(
            {
                "clear": In(1),
                "bank": In(1),
                "settings": In(block_layout(MATCHER)),
                "channels": In(data.ArrayLayout(block_layout(CHANNEL), channels)),
                "trigger_channels": In(MAX_CHANNELS),
                "i_valid": In(1),
                "i_ready": Out(1),
                "i_beat": In(Beat(geometry)),
                "taken": Out(1),
                "beat": Out(Beat(geometry)),
                "beat_bank": Out(1),
                "final": Out(1),
                "step": Out(1),
                "resume": In(1),
                "busy": Out(1),
                "missed_trigger": Out(1),
                "queue_full": Out(1),
                "o_outcome": Out(Outcome(geometry)),
                "o_coming": Out(max(geometry.key_bits, 1)),
                "counts": Out(
                    data.ArrayLayout(data.ArrayLayout(LaneCounts, channels), banks),
                ),
                "strobes": Out(data.ArrayLayout(LaneStrobes, channels)),
                "saturated": Out(1),
                "pending": Out(data.ArrayLayout(32, channels)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        settings = self.settings
        lanes = [Lane(self._geometry) for _ in range(self._geometry.channels)]
        bits = len(self.o_coming)
        stage = data.StructLayout(
            {
                "valid": 1,
                "beat": Beat(self._geometry),
                "channel": bits,
                # A bit a lane: what the beat is to it.
                "active": len(lanes),
                "back": len(lanes) * self._long,
                "strike": len(lanes),
                # The end of a step.
                "step": int(self._sweep),
            },
        )
        # Their times go around complemented, for the sake of differences: parts.py.
        ring = [Signal(stage, name=f"stage{number}") for number in range(self.RING)]
        entering = Signal(stage)
        first, second, third, last = ring
        # The last stage's beat is acted on; otherwise all wait until it is there again.
        go, lap, turn = Signal(init=1), Signal(range(self.RING)), Signal()
        m.d.comb += [
            turn.eq(go | lap.all()),
            self.i_ready.eq(go),
            self.busy.eq(Cat(stage.valid for stage in ring).any()),
            entering.eq(Mux(go, self._entering(m, stage), last)),
        ]
        with m.If(~go):
            m.d.sync += lap.eq(lap + 1)
        m.d.sync += [new.eq(old) for new, old in zip(ring, [entering, *ring[:-1]], strict=True)]

        early, latest, windowed = Signal(), Signal(), Signal()
        m.d.sync += [
            early.eq(settings.early_ticks.any() & self._early),
            latest.eq(settings.policy == Policy.LATEST),
            windowed.eq(settings.policy == Policy.WINDOW),
        ]
        times = [stage.beat.event.time_ticks[:VALUE_BITS] for stage in (entering, *ring)]
        horizon = later(m, "horizon", times, settings.timeout_ticks)
        early_horizon = horizon
        if self._early:
            early_horizon = later(m, "early_horizon", times, settings.early_ticks)

        concerned = Signal(len(lanes))
        # Whether that beat concerns a lane of the beat before it, which may be acted on just then.
        follows = Signal()
        every = (second.beat.final | second.step.any()).replicate(len(lanes))
        next_concerned = second.active | second.strike | every
        m.d.sync += [
            concerned.eq(next_concerned),
            follows.eq((next_concerned & (third.active | third.strike)).any()),
        ]
        wait, blocked = Signal(), Signal()
        waits = concerned & Cat(lane.overdue | lane.was_stale for lane in lanes)
        # From the clock in which a step's end is acted on: what is behind it goes around.
        stops, free, step, paused = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            wait.eq(waits.any() | (go & follows)),
            step.eq(go & last.step.any()),
            stops.eq(step | paused),
            free.eq(turn & ~stops),
        ]
        m.d.sync += [
            go.eq(free & ~wait & ~blocked),
            paused.eq(stops & ~self.resume & ~self.clear),
            self.step.eq(step),
        ]

        # A lane's strike is the subject of the response; of an early one, the lane's held response.
        subject, joins = Signal(VALUE_BITS), Const(0, len(lanes))
        served, settle, join = (Const(0, len(lanes)) for _ in range(3))
        m.d.sync += subject.eq(Array(lane.head for lane in lanes)[first.channel])
        m.d.comb += self.o_coming.eq(third.channel)
        if self._early:
            joins, served, settle, join = self._hold(
                m, lanes, first, third, early, free & ~wait, go, subject, blocked
            )
        latency, inside = self._latency(m, times[1:], subject, joins, windowed)

        queue_time = Signal(VALUE_BITS)
        m.d.sync += queue_time.eq(~last.beat.event.time_ticks)
        missed, refused = Signal(len(lanes)), Signal(len(lanes))
        for number, lane in enumerate(lanes):
            m.submodules[f"lane{number}"] = lane
            m.d.comb += [
                lane.clear.eq(self.clear),
                lane.latest.eq(latest),
                lane.early.eq(early),
                Cat(lane.low, lane.high).eq(Cat(*horizon)),
                Cat(lane.early_low, lane.early_high).eq(Cat(*early_horizon)),
                lane.look.eq(free & third.valid),
                lane.go.eq(go),
                lane.time.eq(~last.beat.event.time_ticks),
                lane.queue_time.eq(queue_time),
                lane.active.eq(third.active[number]),
                lane.strike.eq(third.strike[number]),
                lane.inside.eq(inside),
                lane.served.eq(served[number]),
                lane.settle.eq(settle[number]),
                lane.join.eq(join[number]),
                missed[number].eq(lane.missed),
                refused[number].eq(lane.refused),
                self.pending[number].eq(lane.pending),
            ]
            if self._long:
                m.d.comb += lane.back.eq(third.back[number])
        m.d.sync += [
            self.taken.eq(go & last.beat.is_event),
            self.final.eq(go & last.beat.final),
            self.beat.eq(last.beat),
            self.beat.event.time_ticks.eq(~last.beat.event.time_ticks),
            self.beat_bank.eq(self.bank),
        ]
        m.d.sync += [
            self.missed_trigger.eq((missed & self.trigger_channels[: len(lanes)]).any()),
            self.queue_full.eq(refused.any()),
        ]
        self._count(m, lanes, missed, refused, join, go, last.strike)
        self._outcome(m, lanes, third, last, go, early, settle, join, latency, inside)
        return m

    def _entering(self, m, stage):
        """Return the beat at the input with what it is to each lane."""
        event, is_event = self.i_beat.event, self.i_valid & self.i_beat.is_event
        entering = Signal(stage)
        m.d.comb += [
            entering.valid.eq(self.i_valid),
            entering.beat.eq(self.i_beat),
            entering.beat.is_event.eq(is_event),
            entering.beat.final.eq(self.i_valid & self.i_beat.final),
            entering.beat.event.time_ticks.eq(~event.time_ticks),
            # Sources of channels begin at 0.
            entering.channel.eq(event.source),
        ]
        for number in range(self._geometry.channels):
            channel = self.channels[number]
            own = is_event & channel.enable & (event.source == SOURCE_CHANNEL + number)
            m.d.comb += [
                entering.active[number].eq(own & event.polarity),
                entering.strike[number].eq(
                    is_event
                    & channel.enable
                    & (event.source == channel.reference_source)
                    & (event.polarity == channel.reference_polarity)
                ),
            ]
            if self._long:
                m.d.comb += entering.back[number].eq(own & ~event.polarity)
        if self._sweep:
            m.d.comb += entering.step.eq(is_event & (event.source == SOURCE_STEP))
        return entering

    def _latency(self, m, times, subject, joins, windowed):
        """Return the time less the subject, and whether that is inside the window, in stage 3.

        `subject` is due in stage 1. Where a response is joined to a later strike the latency is the
        subject less the time.
        """
        joined = Line(m, joins.any(), "joined")
        low, high, carry = Signal(LOW_BITS), Signal(HIGH_BITS), Signal()
        low_r, high_r = Signal(LOW_BITS), Signal(HIGH_BITS)
        m.d.sync += [
            Cat(low, carry).eq(
                add(low_part(times[1]), low_part(subject), joined[0] if self._early else None)
            ),
            low_r.eq(low),
            high_r.eq(high_part(subject)),
            high.eq(add(high_part(times[2]), high_r, carry)),
        ]
        latency = Mux(joined[2], Cat(low_r, high), ~Cat(low_r, high))
        # The complement of when the window opened, which the subject is to be before.
        opened_low, opened_high = later(m, "opened", times, self.settings.window_min_ticks)
        opened_carry, inside = Signal(), Signal()
        before = add(high_r, opened_high, opened_carry)[HIGH_BITS - 1]
        m.d.sync += [
            opened_carry.eq(add(low_part(subject), opened_low)[-1]),
            inside.eq(~windowed | before),
        ]
        return latency, inside

    def _hold(self, m, lanes, first, third, early, free, go, subject, blocked):
        """Settle held responses and join them to strikes, one at a time.

        Return a bit a lane each: `joins` in stage 1; `served`, `settle`, `join` in the last one.
        """
        count = len(lanes)
        holding, joined = Signal(count), Signal(count)
        served, settle, join = (Signal(count, name=name) for name in ("served", "settle", "join"))
        joins = [Signal(count, name=f"joins{number}") for number in range(2)]
        m.d.comb += [
            holding.eq(Cat(lane.holds for lane in lanes)),
            joined.eq(lowest(first.strike & holding & ~served & early.replicate(count))),
        ]
        with m.If(joined.any()):
            m.d.sync += subject.eq(Array(lane.held for lane in lanes)[encode(joined, range(count))])
        m.d.sync += [joins[0].eq(joined), joins[1].eq(joins[0])]

        settles, settling, joining = Signal(count), Signal(count), Signal(count)
        for number, lane in enumerate(lanes):
            m.d.comb += settles[number].eq(
                third.valid & lane.holds & ~lane.stale & (lane.held_overdue | third.beat.final)
            )
        with m.If(free):
            m.d.comb += settling.eq(lowest(settles))
            with m.If(~settles.any()):
                m.d.comb += joining.eq(joins[1])
        m.d.comb += blocked.eq(settles.any() | joins[1].any())
        m.d.sync += [
            settle.eq(settling),
            join.eq(joining),
            served.eq(Mux(go, 0, served) | joining),
        ]
        with m.If(blocked):
            m.d.comb += self.o_coming.eq(encode(settling | joining, range(count)))
        return joins[0], served, settle, join

    def _count(self, m, lanes, missed, refused, join, go, strikes) -> None:
        saturated = []
        for bank in range(self._banks):
            here = self.bank == bank if self._banks > 1 else 1
            for number in range(len(lanes)):
                strobes = {
                    "missed": missed[number],
                    "early": join[number],
                    "queue_full": refused[number],
                    "strikes": go & strikes[number],
                }
                for name, strobe in strobes.items():
                    if not self._counted:
                        m.d.sync += self.strobes[number][name].eq(strobe)
                        continue
                    counter = Counter()
                    m.submodules[f"{name}{number}_{bank}"] = counter
                    m.d.sync += counter.amount.eq(strobe & here)
                    m.d.comb += [
                        counter.clear.eq(self.clear),
                        self.counts[bank][number][name].eq(counter.count),
                    ]
                    saturated.append(counter.saturated)
        m.d.sync += self.saturated.eq(Cat(*saturated).any())

    def _outcome(self, m, lanes, third, last, go, early, settle, join, latency, inside) -> None:
        outcome = self.o_outcome
        is_active, is_open, recent = Signal(), Signal(), Signal()
        m.d.sync += [
            outcome.channel.eq(self.o_coming),
            is_active.eq(third.active.any()),
            is_open.eq((third.active & Cat(lane.head_valid for lane in lanes)).any()),
            recent.eq(Array(lane.recent for lane in lanes)[third.channel]),
        ]
        answered, unanswered = Signal(), Signal()
        m.d.comb += [
            answered.eq(go & is_open & inside),
            unanswered.eq(go & is_active & ~(is_open & inside)),
            outcome.matched.eq(answered | join.any()),
            outcome.early.eq(join.any()),
            outcome.unmatched.eq(unanswered),
            outcome.duplicate.eq(recent),
            outcome.active.eq(go & is_active),
            outcome.latency.eq(latency),
            outcome.time_ticks.eq(~last.beat.event.time_ticks),
            outcome.index.eq(last.beat.event.index),
            outcome.bank.eq(self.bank),
        ]
        channel = outcome.channel
        if self._early:
            # What is unanswered is held; what was held until then is settled.
            holds = Array(lane.holds for lane in lanes)[channel]
            m.d.comb += outcome.unmatched.eq(settle.any() | (unanswered & (~early | holds)))
            with m.If(early):
                m.d.comb += outcome.duplicate.eq(
                    Array(lane.held_duplicate for lane in lanes)[channel]
                )
        if self._long:
            is_back = last.back.any()
            m.d.comb += [
                outcome.back.eq(go & is_back),
                outcome.rise_answered.eq(Array(lane.rise_answered for lane in lanes)[channel]),
                outcome.rise_valid.eq(
                    Mux(
                        is_back,
                        Array(lane.rise_open for lane in lanes)[channel],
                        Array(lane.rise_valid for lane in lanes)[channel],
                    )
                ),
                outcome.rise_time.eq(Array(lane.rise_time for lane in lanes)[channel]),
            ]
