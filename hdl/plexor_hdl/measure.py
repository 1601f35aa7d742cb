"""From what the matcher did to samples, classes and triggers."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import MAX_CHANNELS
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import VALUE_BITS, IntervalKind, LatencyKind, ResponseClass
from plexor_hdl.interfaces import TIME_BITS, Sample
from plexor_hdl.matcher import Outcome
from plexor_hdl.trigger import Moment

LIMB = 16
LARGEST = (1 << (VALUE_BITS - 1)) - 1


class ClassBeat(data.StructLayout):
    """One response put into its class."""

    def __init__(self, channel_bits: int) -> None:
        super().__init__({"channel": channel_bits, "response_class": 3, "bank": 1})


class Measure(wiring.Component):
    """Subtracts in limbs of 16 bits: a latency and an interval a clock, no back-pressure.

    `o_class` comes 4 clocks after the outcome, `o_interval` 5, `o_latency` 7. Intervals and fall
    latencies over 2**31 - 1 ticks are taken as 2**31 - 1. `trigger_stb` says that a rise latency of
    a trigger channel was over `trigger_latency_ticks`; `trigger_at` is its event. Kinds whose
    feature is absent give no samples.
    """

    CLASS_CLOCKS, INTERVAL_CLOCKS, LATENCY_CLOCKS = 4, 5, 7

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        self._channel_bits = max(geometry.key_bits, 1)
        sample = Sample(geometry.key_bits + 1)
        super().__init__(
            {
                "deadlines": In(data.ArrayLayout(signed(VALUE_BITS), geometry.channels)),
                "trigger_latency_ticks": In(signed(VALUE_BITS)),
                "trigger_channels": In(MAX_CHANNELS),
                "i_outcome": In(Outcome(self._channel_bits)),
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
        outcomes = [self.i_outcome]
        for number in range(1, self.LATENCY_CLOCKS):
            outcome = Signal(self.i_outcome.shape(), name=f"outcome{number}")
            m.d.sync += outcome.eq(outcomes[-1])
            outcomes.append(outcome)

        latencies = self._subtract(
            m,
            "latency",
            [o.minuend for o in outcomes],
            [o.subtrahend for o in outcomes],
            VALUE_BITS // LIMB,
        )
        latency = Signal(signed(VALUE_BITS))
        m.d.comb += latency.eq(latencies)

        # One clock after the latency: the compares, and what a later edge back will need.
        second = outcomes[2]
        kept = Array(
            Signal(signed(VALUE_BITS), name=f"kept{n}") for n in range(self._geometry.channels)
        )
        with m.If(second.matched & second.active):
            m.d.sync += kept[second.channel].eq(latency)
        base = Signal(signed(VALUE_BITS))
        m.d.sync += base.eq(kept[second.channel])
        deadline = Signal(signed(VALUE_BITS))
        triggers = Signal()
        m.d.sync += [
            deadline.eq(Array(self.deadlines)[outcomes[1].channel]),
            triggers.eq(
                Array(self.trigger_channels[: self._geometry.channels])[outcomes[1].channel]
            ),
        ]
        late = self._greater(m, "late", latency, deadline)
        over = self._greater(m, "over", latency, self.trigger_latency_ticks)
        triggers_r = Signal()
        m.d.sync += triggers_r.eq(triggers)

        third = outcomes[3]
        m.d.sync += [
            self.o_class_valid.eq(third.matched | third.unmatched),
            self.o_class.channel.eq(third.channel),
            self.o_class.bank.eq(third.bank),
            self.trigger_stb.eq(third.matched & over & triggers_r),
            self.trigger_at.index.eq(third.index),
            self.trigger_at.time_ticks.eq(third.time_ticks),
        ]
        with m.If(third.matched):
            m.d.sync += self.o_class.response_class.eq(
                Mux(late, ResponseClass.LATE, ResponseClass.ANSWERED)
            )
        with m.Else():
            m.d.sync += self.o_class.response_class.eq(
                Mux(third.duplicate, ResponseClass.DUPLICATE, ResponseClass.SPURIOUS)
            )

        difference = self._subtract(
            m,
            "interval",
            [o.time_ticks for o in outcomes],
            [o.rise_time for o in outcomes],
            TIME_BITS // LIMB,
        )
        interval = Signal(VALUE_BITS)
        m.d.comb += interval.eq(
            Mux(difference[VALUE_BITS - 1 :].any(), LARGEST, difference[: VALUE_BITS - 1])
        )
        fourth = outcomes[4]
        if Feature.INTERVALS in features:
            kind = Mux(fourth.active, IntervalKind.PERIOD, IntervalKind.WIDTH)
            m.d.sync += self.o_interval_valid.eq(
                (fourth.active | fourth.back) & fourth.rise_valid,
            )
            m.d.sync += self._sample(self.o_interval, kind, fourth, interval)

        # The edge back's latency is that of its active edge and the on-width together.
        bases = [base]
        rises = [latency]
        for number in range(3):
            delayed = Signal(signed(VALUE_BITS), name=f"base{number}")
            m.d.sync += delayed.eq(bases[-1])
            bases.append(delayed)
        for number in range(4):
            delayed = Signal(signed(VALUE_BITS), name=f"rise{number}")
            m.d.sync += delayed.eq(rises[-1])
            rises.append(delayed)
        width_r, width_rr = Signal(VALUE_BITS), Signal(VALUE_BITS)
        low, low_carry = Signal(LIMB), Signal()
        total = Signal(signed(VALUE_BITS - LIMB + 2))
        m.d.sync += [
            width_r.eq(interval),
            width_rr.eq(width_r),
            Cat(low, low_carry).eq(bases[2][:LIMB] + width_r[:LIMB]),
        ]
        m.d.comb += total.eq(
            bases[3][LIMB:].as_signed() + width_rr[LIMB:].as_signed() + low_carry,
        )
        fall = Signal(signed(VALUE_BITS))
        m.d.comb += fall.eq(
            Mux(
                total >= 1 << (VALUE_BITS - LIMB - 1),
                LARGEST,
                Cat(low, total[: VALUE_BITS - LIMB]),
            )
        )
        sixth = outcomes[6]
        falls = sixth.back & sixth.rise_answered & (Feature.FALL in features)
        m.d.sync += self.o_latency_valid.eq(sixth.matched | falls)
        with m.If(sixth.matched):
            m.d.sync += self._sample(self.o_latency, LatencyKind.RISE, sixth, rises[4])
        with m.Else():
            m.d.sync += self._sample(self.o_latency, LatencyKind.FALL, sixth, fall)
        return m

    def _sample(self, sample, kind, outcome, value):
        key_bits = self._geometry.key_bits
        return [
            sample.key.eq(Cat(outcome.channel[:key_bits], Mux(kind, 1, 0))),
            sample.value_ticks.eq(value),
            sample.index.eq(outcome.index),
            sample.time_ticks.eq(outcome.time_ticks),
            sample.bank.eq(outcome.bank),
        ]

    @staticmethod
    def _subtract(m, name, minuends, subtrahends, limbs):
        """Return minuend - subtrahend, `limbs` clocks after the first of either list."""
        borrow = 0
        parts = []
        for number in range(limbs):
            limb = slice(number * LIMB, (number + 1) * LIMB)
            delayed = [Signal(LIMB, name=f"{name}_{number}_{n}") for n in range(number)]
            total = Signal(LIMB + 1, name=f"{name}_limb{number}")
            m.d.sync += [new.eq(old) for new, old in zip(delayed, parts, strict=True)]
            m.d.sync += total.eq(minuends[number][limb] - subtrahends[number][limb] - borrow)
            parts = [*delayed, total[:LIMB]]
            borrow = total[LIMB]
        return Cat(*parts)

    @staticmethod
    def _greater(m, name, left, right):
        """Return whether signed `left` > `right`, one clock later."""
        half = VALUE_BITS // 2
        flags = {
            "more": left[half:].as_signed() > right[half:].as_signed(),
            "equal": left[half:] == right[half:],
            "low": left[:half] > right[:half],
        }
        registers = {key: Signal(name=f"{name}_{key}") for key in flags}
        m.d.sync += [registers[key].eq(value) for key, value in flags.items()]
        return registers["more"] | (registers["equal"] & registers["low"])
