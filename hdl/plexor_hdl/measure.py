"""From what the matcher did to samples, classes and triggers."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import MAX_CHANNELS
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import VALUE_BITS, IntervalKind, LatencyKind, ResponseClass
from plexor_hdl.interfaces import Beat, Sample
from plexor_hdl.limb import Line
from plexor_hdl.outcome import Outcome
from plexor_hdl.parts import HIGH_BITS, add_one_more, high_part, low_part
from plexor_hdl.trigger import Moment

LIMB = 16
LARGEST = (1 << (VALUE_BITS - 1)) - 1


class ClassBeat(data.StructLayout):
    """One response put into its class."""

    def __init__(self, channel_bits: int) -> None:
        super().__init__({"channel": channel_bits, "response_class": 3, "bank": 1})


class Measure(wiring.Component):
    """Sorts responses into classes and makes samples: one a clock of each, no back-pressure.

    `o_class` comes CLASS_CLOCKS after the outcome, `o_interval` INTERVAL_CLOCKS, `o_latency`
    FALL_CLOCKS or, without Feature.FALL, in the same clock. `i_coming` is the channel of the next
    clock's outcome. Rise latencies of one channel are as far apart as the matcher's outcomes, 4
    clocks or more; with Feature.FALL fall latencies come between. Intervals and fall latencies over
    2**31 - 1 ticks are taken as 2**31 - 1. `trigger_stb` says that a rise latency of a trigger
    channel was over `trigger_latency_ticks`; `trigger_at` is its event. Kinds whose feature is
    absent give no samples; index and time are 0 where the build does not keep them.
    """

    CLASS_CLOCKS, INTERVAL_CLOCKS, FALL_CLOCKS = 2, 5, 7

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        self._channel_bits = max(geometry.key_bits, 1)
        sample = Sample(geometry.key_bits + 1)
        super().__init__(
            {
                "deadlines": In(data.ArrayLayout(signed(VALUE_BITS), geometry.channels)),
                "trigger_latency_ticks": In(signed(VALUE_BITS)),
                "trigger_channels": In(MAX_CHANNELS),
                "i_outcome": In(Outcome(geometry)),
                "i_coming": In(self._channel_bits),
                "o_class": Out(ClassBeat(self._channel_bits)),
                "o_class_valid": Out(1),
                "o_latency": Out(sample),
                "o_latency_valid": Out(1),
                "o_interval": Out(sample),
                "o_interval_valid": Out(1),
                "trigger_stb": Out(1),
                "trigger_at": Out(Moment),
            }
        )

    def elaborate(self, platform):
        m = Module()
        features = self._geometry.features
        outcomes = Line(m, self.i_outcome, "outcome")
        self._classes(m, outcomes)
        if features & Beat.LONG:
            interval = self._interval(m, outcomes)
        if Feature.INTERVALS in features:
            self._intervals(m, outcomes[self.INTERVAL_CLOCKS - 1], interval)
        if Feature.FALL in features:
            self._latencies(m, outcomes, interval)
        else:
            outcome = self.i_outcome
            m.d.comb += self.o_latency_valid.eq(outcome.matched)
            m.d.comb += self._sample(self.o_latency, LatencyKind.RISE, outcome, outcome.latency)
        return m

    def _classes(self, m, outcomes) -> None:
        """Compare with the deadline of the channel and with the trigger's latency."""
        first, second = outcomes[0], outcomes[1]
        deadline, triggers, triggers_r = Signal(signed(VALUE_BITS)), Signal(), Signal()
        m.d.sync += [
            deadline.eq(Array(self.deadlines)[self.i_coming]),
            triggers.eq(Array(self.trigger_channels[: self._geometry.channels])[self.i_coming]),
            triggers_r.eq(triggers),
        ]
        late = self._greater(m, "late", first.latency, deadline)
        over = self._greater(m, "over", first.latency, self.trigger_latency_ticks)
        m.d.sync += [
            self.o_class_valid.eq(second.matched | second.unmatched),
            self.o_class.channel.eq(second.channel),
            self.o_class.bank.eq(second.bank),
            self.trigger_stb.eq(second.matched & over & triggers_r),
        ]
        if Feature.RING in self._geometry.features:
            m.d.sync += [
                self.trigger_at.index.eq(second.index),
                self.trigger_at.time_ticks.eq(second.time_ticks),
            ]
        with m.If(second.matched):
            m.d.sync += self.o_class.response_class.eq(
                Mux(late, ResponseClass.LATE, ResponseClass.ANSWERED)
            )
        with m.Else():
            m.d.sync += self.o_class.response_class.eq(
                Mux(second.duplicate, ResponseClass.DUPLICATE, ResponseClass.SPURIOUS)
            )

    def _interval(self, m, outcomes):
        """Return the time since the active edge before, INTERVAL_CLOCKS - 1 after the outcome."""
        borrow = 0
        limbs = []
        for number in range(self.INTERVAL_CLOCKS - 1):
            outcome = outcomes[number]
            limb = slice(number * LIMB, (number + 1) * LIMB)
            total = Signal(LIMB + 1, name=f"interval_limb{number}")
            m.d.sync += total.eq(outcome.time_ticks[limb] - outcome.rise_time[limb] - borrow)
            borrow = total[LIMB]
            left = self.INTERVAL_CLOCKS - 2 - number
            limbs.append(Line(m, total[:LIMB], f"interval{number}")[left])
        difference = Cat(*limbs)
        interval = Signal(VALUE_BITS)
        m.d.comb += interval.eq(
            Mux(difference[VALUE_BITS - 1 :].any(), LARGEST, difference[: VALUE_BITS - 1])
        )
        return interval

    def _intervals(self, m, outcome, interval) -> None:
        """Make samples of on-widths and periods."""
        kind = Mux(outcome.active, IntervalKind.PERIOD, IntervalKind.WIDTH)
        m.d.sync += self.o_interval_valid.eq((outcome.active | outcome.back) & outcome.rise_valid)
        m.d.sync += self._sample(self.o_interval, kind, outcome, interval)

    def _latencies(self, m, outcomes, interval) -> None:
        """Make samples of rise and fall latencies, in the order of their events."""
        # The edge back's latency is that of its active edge and the on-width together.
        first = outcomes[0]
        rises = [
            Signal(signed(VALUE_BITS), name=f"rise{n}") for n in range(self._geometry.channels)
        ]
        with m.If(first.matched & first.active):
            m.d.sync += Array(rises)[first.channel].eq(first.latency)
        base = Signal(signed(VALUE_BITS))
        m.d.comb += base.eq(Array(rises)[first.channel])
        bases = Line(m, base, "base")
        widths = Line(m, interval, "width")
        there = self.INTERVAL_CLOCKS
        low, low_carry = Signal(LIMB), Signal()
        total = Signal(signed(VALUE_BITS - LIMB + 2))
        fall = Signal(signed(VALUE_BITS))
        m.d.sync += Cat(low, low_carry).eq(bases[there][:LIMB] + widths[1][:LIMB])
        m.d.comb += [
            total.eq(
                bases[there + 1][LIMB:].as_signed() + widths[2][LIMB:].as_signed() + low_carry
            ),
            fall.eq(
                Mux(
                    total >= 1 << (VALUE_BITS - LIMB - 1),
                    LARGEST,
                    Cat(low, total[: VALUE_BITS - LIMB]),
                )
            ),
        ]
        outcome = outcomes[self.FALL_CLOCKS - 1]
        m.d.sync += self.o_latency_valid.eq(
            outcome.matched | (outcome.back & outcome.rise_answered)
        )
        with m.If(outcome.matched):
            m.d.sync += self._sample(self.o_latency, LatencyKind.RISE, outcome, outcome.latency)
        with m.Else():
            m.d.sync += self._sample(self.o_latency, LatencyKind.FALL, outcome, fall)

    def _sample(self, sample, kind, outcome, value):
        key_bits = self._geometry.key_bits
        kept = Feature.EXTREMES in self._geometry.features
        return [
            sample.key.eq(Cat(outcome.channel[:key_bits], Mux(kind, 1, 0))),
            sample.value_ticks.eq(value),
            sample.index.eq(outcome.index if kept else 0),
            sample.time_ticks.eq(outcome.time_ticks if kept else 0),
            sample.bank.eq(outcome.bank),
        ]

    @staticmethod
    def _greater(m, name, left, right):
        """Return whether signed `left` > `right`, one clock later: right - left is negative."""
        less = ~left
        high = add_one_more(high_part(right), high_part(less))
        # The sign, where both have the same; otherwise the negative one is less.
        flags = {
            "more": Mux(left[-1] == right[-1], high[HIGH_BITS - 1], right[-1]),
            "equal": high_part(right) == high_part(left),
            "low": ~add_one_more(low_part(right), low_part(less))[-1],
        }
        registers = {key: Signal(name=f"{name}_{key}") for key in flags}
        m.d.sync += [registers[key].eq(value) for key, value in flags.items()]
        return registers["more"] | (registers["equal"] & registers["low"])
