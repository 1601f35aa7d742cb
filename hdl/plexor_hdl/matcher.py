"""The matcher: which strike each response answers, and what becomes of the others."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import MAX_CHANNELS, SOURCE_CHANNEL
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import VALUE_BITS
from plexor.protocol.registers import CHANNEL, MATCHER, Policy
from plexor_hdl.counter import COUNT_BITS, Counter
from plexor_hdl.interfaces import INDEX_BITS, TIME_BITS, block_layout
from plexor_hdl.lane import Lane, Moment
from plexor_hdl.merge import encode, lowest
from plexor_hdl.stamp import Beat


class Outcome(data.StructLayout):
    """What the matcher did in one clock.

    At most one response: `matched` (latency is `minuend` - `subtrahend` modulo 2**32; `early` where
    the strike came second), or `unmatched` (`duplicate` or spurious), on `channel`. Beside it the
    edge that the beat is, on the same channel: `active`, or `back` with `rise_answered` of the edge
    before; `rise_valid` and `rise_time` tell of the channel's edge to the active level before it.
    """

    def __init__(self, channel_bits: int) -> None:
        super().__init__(
            {
                "matched": 1,
                "early": 1,
                "unmatched": 1,
                "duplicate": 1,
                "active": 1,
                "back": 1,
                "rise_answered": 1,
                "rise_valid": 1,
                "channel": channel_bits,
                "minuend": VALUE_BITS,
                "subtrahend": VALUE_BITS,
                "rise_time": TIME_BITS,
                "time_ticks": TIME_BITS,
                "index": INDEX_BITS,
                "bank": 1,
            }
        )


class LaneStrobes(data.Struct):
    """What LaneCounts counts, in one clock."""

    missed: 1
    early: 1
    queue_full: 1
    strikes: 1


class LaneCounts(data.Struct):
    """A channel's counts that several channels can need in one clock."""

    missed: COUNT_BITS
    early: COUNT_BITS
    queue_full: COUNT_BITS
    strikes: COUNT_BITS


class Matcher(wiring.Component):
    """Matches responses to strikes by the rules of docs/instrument.md, "Matching".

    Takes one beat a clock; 2 clocks more where a beat concerns a channel whose oldest strike has
    just changed, expired or been held, and a clock for each held response. `o_outcome` follows a
    beat by 3 clocks. `counts` (a bank each) and `pending` stand still when no beat is under way.
    `taken` strobes with each event handled, `beat` being it, counted in `beat_bank`; `final` when
    the final beat has been handled. `bank` is looked at when a beat is handled. `clear` empties
    every queue and count. Without Feature.SNAPSHOT `counts` are 0, and `strobes`
    are to be counted.
    """

    def __init__(self, geometry: Geometry, banks: int) -> None:
        self._geometry = geometry
        self._banks = banks
        self._counted = Feature.SNAPSHOT in geometry.features
        self._early = Feature.EARLY in geometry.features
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
                "i_beat": In(Beat),
                "taken": Out(1),
                "beat": Out(Beat),
                "beat_bank": Out(1),
                "final": Out(1),
                "busy": Out(1),
                "missed_trigger": Out(1),
                "queue_full": Out(1),
                "o_outcome": Out(Outcome(max(geometry.key_bits, 1))),
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
        numbers = range(len(lanes))
        flags = data.StructLayout(
            {
                "active": len(lanes),
                "back": len(lanes),
                "strike": len(lanes),
                # Active, strike, or the final beat: what the lane must be up to date for.
                "concerned": len(lanes),
            },
        )
        stage = data.StructLayout(
            {"valid": 1, "beat": Beat, "moment": Moment(), "flags": flags},
        )
        # Stage 0 adds the settings to the time, stage 1 compares, stage 2 acts.
        adding, comparing, acting = Signal(stage), Signal(stage), Signal(stage)
        recheck, act, blocked = Signal(), Signal(), Signal()
        advance = Signal()
        m.d.comb += [
            advance.eq(~acting.valid | act),
            self.i_ready.eq(advance),
            self.busy.eq(adding.valid | comparing.valid | acting.valid),
        ]

        early = Signal()
        latest = Signal()
        windowed = Signal()
        window_offset = Signal(VALUE_BITS)
        m.d.sync += [
            early.eq(settings.early_ticks.any() & self._early),
            latest.eq(settings.policy == Policy.LATEST),
            windowed.eq(settings.policy == Policy.WINDOW),
            window_offset.eq(settings.timeout_ticks - settings.window_min_ticks),
        ]
        low_bits = VALUE_BITS // 2
        offsets = {
            "timeout": settings.timeout_ticks,
            "window": window_offset,
            "early": settings.early_ticks,
        }
        time = self.i_beat.event.time_ticks
        added = adding.beat.event.time_ticks
        with m.If(advance):
            m.d.sync += [
                adding.valid.eq(self.i_valid),
                adding.beat.eq(self.i_beat),
                adding.moment.full.eq(time),
                comparing.eq(adding),
                acting.eq(comparing),
                acting.flags.concerned.eq(
                    comparing.flags.active
                    | comparing.flags.strike
                    | comparing.beat.final.replicate(len(lanes))
                ),
            ]
            for name, offset in offsets.items():
                carry = Signal(name=f"carry_{name}")
                m.d.sync += [
                    Cat(adding.moment[name][:low_bits], carry).eq(
                        time[:low_bits] + offset[:low_bits]
                    ),
                    comparing.moment[name][low_bits:].eq(
                        added[low_bits:VALUE_BITS] + offset[low_bits:] + carry
                    ),
                ]
            event, is_event = adding.beat.event, adding.beat.is_event
            for number in numbers:
                channel = self.channels[number]
                own = is_event & channel.enable & (event.source == SOURCE_CHANNEL + number)
                m.d.sync += [
                    comparing.flags.active[number].eq(own & event.polarity),
                    comparing.flags.back[number].eq(own & ~event.polarity),
                    comparing.flags.strike[number].eq(
                        is_event
                        & channel.enable
                        & (event.source == channel.reference_source)
                        & (event.polarity == channel.reference_polarity)
                    ),
                ]

        # A lane whose state changed while a beat was compared is compared again.
        compared = Signal(Moment())
        with m.If(recheck):
            m.d.comb += compared.eq(acting.moment)
        with m.Else():
            m.d.comb += compared.eq(comparing.moment)
        look = Signal()
        m.d.comb += look.eq(acting.valid & ~recheck)

        served = Signal(len(lanes))
        waits, settles, joins = (Signal(len(lanes), name=n) for n in ("waits", "settles", "joins"))
        answers, unanswered = Signal(len(lanes)), Signal(len(lanes))
        final = acting.beat.final
        for number, lane in enumerate(lanes):
            m.submodules[f"lane{number}"] = lane
            active = acting.flags.active[number]
            strike = acting.flags.strike[number]
            fresh = ~lane.stale & ~lane.busy
            candidate = lane.outstanding & (lane.in_window | ~windowed)
            m.d.comb += [
                lane.clear.eq(self.clear),
                lane.latest.eq(latest),
                lane.looking.eq(look),
                lane.compared.eq(compared),
                lane.moment.eq(acting.moment),
                lane.expire.eq(look & lane.overdue & ~lane.stale),
                waits[number].eq(acting.flags.concerned[number] & (lane.overdue | ~fresh)),
                answers[number].eq(active & candidate),
                unanswered[number].eq(active & ~candidate),
                settles[number].eq(
                    lane.holds & ~lane.stale & (lane.held_overdue | final | unanswered[number])
                ),
                joins[number].eq(strike & early & lane.holds & ~lane.stale & ~served[number]),
            ]

        wait, settle, join = Signal(), Signal(), Signal()
        m.d.comb += [
            wait.eq(look & waits.any()),
            settle.eq(look & ~waits.any() & settles.any()),
            join.eq(look & ~waits.any() & ~settles.any() & joins.any()),
            blocked.eq(wait | settle | join),
            act.eq(look & ~blocked),
        ]
        m.d.sync += recheck.eq(blocked)

        settled, joined = lowest(settles), lowest(joins)
        with m.If(join):
            m.d.sync += served.eq(served | joined)
        with m.If(act):
            m.d.sync += served.eq(0)
        missed, refused = Signal(len(lanes)), Signal(len(lanes))
        for number, lane in enumerate(lanes):
            m.d.comb += [
                lane.settle.eq(settle & settled[number]),
                lane.join.eq(join & joined[number]),
                lane.active.eq(act & acting.flags.active[number]),
                lane.back.eq(act & acting.flags.back[number]),
                lane.answer.eq(act & answers[number]),
                lane.hold.eq(act & unanswered[number] & early),
                lane.strike.eq(act & acting.flags.strike[number] & ~served[number]),
                missed[number].eq(lane.expire | lane.superseded | lane.refused),
                refused[number].eq(lane.refused),
                self.pending[number].eq(lane.pending),
            ]

        m.d.sync += [
            self.taken.eq(act & acting.beat.is_event),
            self.final.eq(act & final),
            self.beat.eq(acting.beat),
            self.beat_bank.eq(self.bank),
            self.missed_trigger.eq((missed & self.trigger_channels[: len(lanes)]).any()),
            self.queue_full.eq(refused.any()),
        ]
        self._count(m, lanes, missed, refused, act, acting.flags.strike)
        hold = Mux(early, unanswered, 0)
        self._outcome(
            m, lanes, acting, act, settle, settled, join, joined, answers, unanswered, hold
        )
        return m

    def _count(self, m, lanes, missed, refused, act, strikes) -> None:
        saturated = []
        for bank in range(self._banks):
            here = self.bank == bank if self._banks > 1 else 1
            for number, lane in enumerate(lanes):
                strobes = {
                    "missed": missed[number],
                    "early": lane.join,
                    "queue_full": refused[number],
                    "strikes": act & strikes[number],
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

    def _outcome(
        self, m, lanes, acting, act, settle, settled, join, joined, answers, unanswered, hold
    ) -> None:
        numbers = range(len(lanes))
        own = acting.flags.active | acting.flags.back
        first = Signal(Outcome(max(self._geometry.key_bits, 1)))
        held, moment = Signal(VALUE_BITS), Signal(Moment())
        channel = Signal.like(first.channel)
        m.d.comb += channel.eq(encode(own, numbers))
        served = Mux(settle, encode(settled, numbers), encode(joined, numbers))
        m.d.sync += [
            first.matched.eq(join | (act & answers.any())),
            first.early.eq(join),
            first.unmatched.eq(settle | (act & unanswered.any() & ~hold.any())),
            first.duplicate.eq(
                Mux(
                    settle,
                    (settled & Cat(lane.held_duplicate for lane in lanes)).any(),
                    Array(lane.recent for lane in lanes)[channel],
                )
            ),
            first.active.eq(act & acting.flags.active.any()),
            first.back.eq(act & acting.flags.back.any()),
            first.rise_answered.eq(Array(lane.rise_answered for lane in lanes)[channel]),
            first.rise_valid.eq(
                Mux(
                    acting.flags.back.any(),
                    Array(lane.rise_open for lane in lanes)[channel],
                    Array(lane.rise_valid for lane in lanes)[channel],
                )
            ),
            first.rise_time.eq(Array(lane.rise_time for lane in lanes)[channel]),
            first.channel.eq(Mux(settle | join, served, channel)),
            first.subtrahend.eq(Array(lane.head for lane in lanes)[channel]),
            first.time_ticks.eq(acting.beat.event.time_ticks),
            first.index.eq(acting.beat.event.index),
            first.bank.eq(self.bank),
            moment.eq(acting.moment),
        ]
        m.d.comb += held.eq(Array(lane.held for lane in lanes)[first.channel])
        m.d.sync += [
            self.o_outcome.eq(first),
            self.o_outcome.minuend.eq(Mux(first.early, held, moment.timeout)),
            self.o_outcome.subtrahend.eq(Mux(first.early, moment.early, first.subtrahend)),
        ]
