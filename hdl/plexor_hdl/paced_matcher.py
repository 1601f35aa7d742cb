"""The matcher of a paced build: one beat at a time, all channels' strikes in one memory."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import MAX_CHANNELS, SOURCE_CHANNEL
from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import VALUE_BITS, LatencyKind, ResponseClass
from plexor.protocol.registers import CHANNEL, MATCHER, Policy
from plexor_hdl.fetch import plain_memory
from plexor_hdl.interfaces import Beat, Sample, block_layout, lean
from plexor_hdl.limits import SHARED, Limits
from plexor_hdl.measure import ClassBeat
from plexor_hdl.merge import encode, lowest
from plexor_hdl.outcome import LaneStrobes
from plexor_hdl.paced import HALF_BITS
from plexor_hdl.parts import add_one_more, added

LOOK_CLOCKS = 8
"""From when a channel is chosen to what becomes of its oldest strike and of its response."""
SWEEP_BIT = 14
"""An event is a reason to look at all channels where this bit of the time has changed."""


class _Stage(data.StructLayout):
    """A beat between the input and what is done with it."""

    def __init__(self, channels: int, channel_bits: int) -> None:
        super().__init__(
            {
                "valid": 1,
                "is_event": 1,
                "final": 1,
                "sweeps": 1,
                "own": channels,
                "struck": channels,
                "channel": channel_bits,
                "time_ticks": VALUE_BITS,
            }
        )


class PacedMatcher(wiring.Component):
    """Does what Matcher and Measure do, for a `paced` build: the same ports, rules and results.

    Throughput: a beat takes 2 clocks, and 2 more for each channel after the first that it strikes;
    a response LOOK_CLOCKS, and 2 for each channel if it strikes any. A channel whose queue a
    strike finds full is looked at first, LOOK_CLOCKS + 2 more, and each strike that has expired
    there or before a response takes LOOK_CLOCKS. All channels are looked at so by a beat without
    event, and by an event once in 2**SWEEP_BIT ticks. Latencies come LOOK_CLOCKS or more apart.

    `taken` strobes as an event is taken, `o_class`, `o_latency` and `strobes` come before its last
    clock or in the clock behind, as does `final`. A strike that finds its queue full is refused and
    counted. `clear`, between beats, empties every queue. Settings must have stood for 2 clocks. In
    a build that is `lean` limits come by `limit_stb` and `limit_data`: Limits has them.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        channels = geometry.channels
        self._channel_bits = max(geometry.key_bits, 1)
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
                "taken": Out(1),
                "final": Out(1),
                "busy": Out(1),
                "missed_trigger": Out(1),
                "queue_full": Out(1),
                "trigger_stb": Out(1),
                "o_class": Out(ClassBeat(self._channel_bits)),
                "o_class_valid": Out(1),
                "o_latency": Out(Sample(geometry.key_bits + 1)),
                "o_latency_valid": Out(1),
                "strobes": Out(data.ArrayLayout(LaneStrobes, channels)),
                "pending": Out(data.ArrayLayout(32, channels)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        numbers, depth = range(self._geometry.channels), self._geometry.queue_depth
        count = len(numbers)
        latest, windowed = Signal(), Signal()
        m.d.sync += [
            latest.eq(self.settings.policy == Policy.LATEST),
            windowed.eq(self.settings.policy == Policy.WINDOW),
        ]
        # A channel's strikes: as many as its level, from its head up to the place before its tail.
        # Heads are kept, too: a difference of what the channel chooses would take too long.
        levels = Array(Signal(range(depth + 1), name=f"level{number}") for number in numbers)
        tails = Array(Signal(range(depth), name=f"tail{number}") for number in numbers)
        heads = Array(Signal(range(depth), name=f"head{number}") for number in numbers)
        full, some = Cat(level[-1] for level in levels), Cat(level.any() for level in levels)

        # Of the beat: channels still to be looked at, those to be struck, the one that responds.
        looks, strikes = Signal(count), Signal(count)
        channel, responds, final = Signal(self._channel_bits), Signal(), Signal()
        looking, left = Signal(), Signal()
        idle, choosing, pushing = Signal(init=1), Signal(), Signal()
        time_n = Signal(VALUE_BITS)
        step, ages, lows = Signal(LOOK_CLOCKS), Signal(), Signal()
        decided, expired, matched, done = (Signal() for _ in range(4))
        # The first of those to be struck, known a clock late: they change 2 clocks before or more.
        first, struck = Signal(count), Signal(count)
        # The clocks after a look and after a push; those of the upper half of the time.
        kept, popped, upper, half = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            self.busy.eq(~idle | ~self.i_ready),
            decided.eq(step[-1]),
            struck.eq(first & pushing.replicate(count)),
        ]
        m.d.sync += [
            kept.eq(decided),
            popped.eq(expired | matched),
            upper.eq(pushing),
            half.eq(pushing | step[1] | step[3]),
            ages.eq(step[1:5].any()),
            lows.eq(step[2] | step[4]),
            step.eq(step << 1),
            looking.eq(looks.any()),
            left.eq(looks.any() | strikes.any()),
            choosing.eq(0),
            pushing.eq(0),
        ]
        m.d.sync += first.eq(lowest(strikes))
        stage = self._accept(m, idle)
        takes = idle & stage.valid
        with m.If(takes):
            # The channel that responds is looked at unasked.
            asked = (stage.sweeps.replicate(count) | (stage.struck & full)) & ~stage.own
            own = stage.own.any()
            m.d.sync += [
                looks.eq(asked),
                strikes.eq(stage.struck),
                first.eq(lowest(stage.struck)),
                channel.eq(stage.channel),
                responds.eq(own),
                # This is step 0, but of a channel whose last match is just being stored.
                step[:2].eq(Mux(kept & (stage.channel == channel), own, own << 1)),
                choosing.eq(asked.any() & ~own),
                pushing.eq(~asked.any() & ~own),
                final.eq(stage.final),
                time_n.eq(~stage.time_ticks),
            ]
        with m.If(choosing):
            m.d.sync += [
                channel.eq(encode(lowest(looks), numbers)),
                looks.eq(looks & ~lowest(looks)),
                step[0].eq(1),
            ]
        with m.If(pushing):
            m.d.comb += done.eq(~(strikes & ~first).any())
            m.d.sync += strikes.eq(strikes & ~first)
        with m.If(expired):
            m.d.sync += step[0].eq(1)
        with m.Elif(decided):
            m.d.comb += done.eq(~left)
            m.d.sync += responds.eq(0)
        with m.If(~idle & (upper | (kept & ~step[0]))):
            m.d.sync += [choosing.eq(looking), pushing.eq(~looking)]
        m.d.sync += [
            idle.eq(done | (idle & ~stage.valid)),
            self.taken.eq(takes & stage.is_event),
        ]

        # The channel's last strike that was matched is looked at first, then its oldest one, the
        # lower half before the upper.
        place = Signal(range(depth))
        m.d.sync += place.eq(heads[channel])
        before = idle | step[0] | step[1]
        number = encode(first, numbers)
        last = Cat(Const(0, len(place)), Const(1, 1))
        word, time_half_n = self._memory(
            m,
            read=Cat(
                place & ~before.replicate(len(place)),
                before,
                Mux(idle, stage.channel, channel),
                step[1] | step[3] | step[6],
            ),
            write=Mux(decided, Cat(last, channel), Cat(tails[number], Const(0, 1), number)),
            storing=matched | (struck & ~full).any(),
            copying=decided | kept,
            time_n=Mux(half, time_n[HALF_BITS:], time_n[:HALF_BITS]),
        )
        age_n, old, opened, over, late = self._compare(
            m, word, time_half_n, channel, step, ages, lows
        )
        # Channels with a last match, as far as it is up to the time-out.
        known, known_here, recent = Signal(count), Signal(), Signal()
        waiting, keep = Signal(), Signal()
        may_expire, may_match = Signal(), Signal()
        m.d.sync += [
            may_expire.eq(step[-2] & waiting),
            may_match.eq(step[-2] & waiting & responds),
            waiting.eq(some.bit_select(channel, 1)),
            known_here.eq(known.bit_select(channel, 1)),
            keep.eq(matched | recent),
        ]
        with m.If(step[5]):
            m.d.sync += recent.eq(~old & known_here)
        m.d.comb += [
            expired.eq(may_expire & old),
            matched.eq(may_match & ~old & (opened | ~windowed)),
        ]

        for place, (level, head, tail) in enumerate(zip(levels, heads, tails, strict=True)):
            # It stands while it is looked at.
            here, strobes = Signal(name=f"here{place}"), self.strobes[place]
            m.d.sync += here.eq(channel == place)
            replaces = latest & some[place]
            with m.If(struck[place] & ~full[place]):
                m.d.sync += tail.eq(tail + 1)
                with m.If(~replaces):
                    m.d.sync += level.eq(level + 1)
            with m.If(popped & here):
                m.d.sync += level.eq(level - 1)
            with m.If((popped & here) | (struck[place] & ~full[place] & replaces)):
                m.d.sync += head.eq(head + 1)
            with m.If(kept & here):
                m.d.sync += known[place].eq(keep)
            with m.If(self.clear):
                m.d.sync += [level.eq(0), head.eq(0), tail.eq(0), known[place].eq(0)]
            m.d.sync += [
                strobes.strikes.eq(struck[place]),
                strobes.queue_full.eq(struck[place] & full[place]),
                strobes.missed.eq((struck[place] & (full[place] | replaces)) | (expired & here)),
            ]
            m.d.comb += self.pending[place].eq(level)
        responded = decided & responds & ~expired
        triggers = self.trigger_channels[:count]
        missed = Cat(strobes.missed for strobes in self.strobes)
        m.d.sync += [
            self.final.eq(done & final),
            self.missed_trigger.eq((missed & triggers).any()),
            self.queue_full.eq(Cat(strobes.queue_full for strobes in self.strobes).any()),
            self.trigger_stb.eq(matched & over & triggers.bit_select(channel, 1)),
            self.o_class_valid.eq(responded),
            self.o_class.channel.eq(channel),
            self.o_latency_valid.eq(matched),
        ]
        with m.If(matched):
            m.d.sync += self.o_class.response_class.eq(
                Mux(late, ResponseClass.LATE, ResponseClass.ANSWERED)
            )
        with m.Else():
            m.d.sync += self.o_class.response_class.eq(
                Mux(recent, ResponseClass.DUPLICATE, ResponseClass.SPURIOUS)
            )
        key = Cat(self.o_class.channel[: self._geometry.key_bits], Const(LatencyKind.RISE, 1))
        m.d.comb += [self.o_latency.key.eq(key), self.o_latency.value_ticks.eq(~age_n)]
        return m

    def _accept(self, m, idle):
        """Take what is at the input; return what is known of it, until it is taken at `idle`."""
        beat, event = self.i_beat, self.i_beat.event
        layout = _Stage(self._geometry.channels, self._channel_bits)
        stage = Signal(layout, name="stage")
        swept = Signal()
        with m.If(self.i_ready):
            for number, channel in enumerate(self.channels):
                enabled = beat.is_event & channel.enable
                m.d.sync += [
                    stage.own[number].eq(
                        enabled & event.polarity & (event.source == SOURCE_CHANNEL + number)
                    ),
                    stage.struck[number].eq(
                        enabled
                        & (event.source == channel.reference_source)
                        & (event.polarity == channel.reference_polarity)
                    ),
                ]
            m.d.sync += [
                # Sources of channels begin at 0.
                stage.channel.eq(event.source),
                stage.is_event.eq(beat.is_event),
                stage.final.eq(beat.final),
                stage.sweeps.eq(~beat.is_event | (swept ^ event.time_ticks[SWEEP_BIT])),
                stage.time_ticks.eq(event.time_ticks),
            ]
        with m.If(self.i_ready & self.i_valid):
            m.d.sync += swept.eq(event.time_ticks[SWEEP_BIT])
        m.d.sync += [
            stage.valid.eq(Mux(self.i_ready, self.i_valid, ~idle)),
            self.i_ready.eq(Mux(self.i_ready, ~self.i_valid, idle)),
        ]
        return stage

    def _memory(self, m, read, write, storing, copying, time_n):
        """Return the half word that was at `read` 2 clocks ago, and `time_n` of a clock ago.

        With `storing` the time, or what is read, is stored at `write`: the half of this clock and
        the upper one of the next.
        """
        memory = plain_memory(HALF_BITS, 1 << len(read))
        m.submodules.memory = memory
        reader, port = memory.read_port(), memory.write_port()
        word, again = Signal(HALF_BITS, reset_less=True), Signal()
        half_n = Signal(HALF_BITS)
        m.d.comb += reader.addr.eq(read)
        m.d.sync += [
            word.eq(reader.data),
            half_n.eq(time_n),
            again.eq(storing),
            port.en.eq(storing | again),
            port.addr[-1].eq(again),
            port.data.eq(Mux(copying, word, ~time_n)),
        ]
        with m.If(~again):
            m.d.sync += port.addr[:-1].eq(write)
        return word, half_n

    def _compare(self, m, word, time_n, channel, step, ages, lows):
        """Return the complement of the strike's age, and whether it is beyond the settings.

        That is: over the time-out, not below the window, over the trigger's latency, and late.
        """
        # Complements of carries, which iCE40 can keep where they come out.
        # The lower half is in `high` too, a clock before the upper one.
        low, carry_n, high = Signal(HALF_BITS), Signal(), Signal(HALF_BITS)
        total = added(word, time_n, ~carry_n)
        m.d.sync += [
            carry_n.eq(~(total[HALF_BITS] & (step[2] | step[4]))),
        ]
        with m.If(ages):
            m.d.sync += high.eq(total)
        with m.If(lows):
            m.d.sync += low.eq(high)
        compared = self._halves if lean(self._geometry) else self._whole
        return Cat(low, high), *compared(m, high, channel, lows)

    def _halves(self, m, high, channel, lows):
        """Compare with the limits' halves: the lower ones, where `lows`, then the upper ones."""
        m.submodules.limits = limits = Limits(self._geometry)
        m.d.comb += [
            limits.stb.eq(self.limit_stb),
            limits.data.eq(self.limit_data),
            limits.channel.eq(channel),
            limits.upper.eq(lows),
        ]

        def beyond(number, name, more=1):
            carry_n, negative = Signal(name=f"{name}_carry_n"), Signal(name=f"{name}_negative")
            half = limits.halves[number]
            m.d.sync += [
                carry_n.eq(~added(half, high, Mux(lows, more, ~carry_n))[HALF_BITS]),
                negative.eq(half[-1]),
            ]
            return carry_n | negative

        return beyond(0, "old"), beyond(1, "opened", 0), beyond(2, "over"), beyond(3, "late")

    def _whole(self, m, high, channel, lows):
        """Compare with the lower and the upper halves of the limits at the same time."""
        deadline = Signal(signed(VALUE_BITS))
        m.d.sync += deadline.eq(Array(self.deadlines)[channel])

        def beyond(limit, name, add=add_one_more):
            low_carry_n, result = Signal(name=f"{name}_carry_n"), Signal(name=name)
            limit = Cat(limit, Const(0, 1))
            m.d.sync += [
                low_carry_n.eq(~add(limit[:HALF_BITS], high)[HALF_BITS]),
                result.eq(~added(limit[HALF_BITS:VALUE_BITS], high, ~low_carry_n)[HALF_BITS]),
            ]
            return result

        old = beyond(self.settings.timeout_ticks, "old")
        opened = beyond(self.settings.window_min_ticks, "opened", lambda left, right: left + right)
        over = beyond(self.trigger_latency_ticks, "over") | self.trigger_latency_ticks[-1]
        late = beyond(deadline, "late") | deadline[-1]
        return old, opened, over, late
