"""One channel's part of the matcher: its outstanding strikes and what its last response was."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import VALUE_BITS
from plexor_hdl.interfaces import TIME_BITS, Beat
from plexor_hdl.parts import HIGH_BITS, LOW_BITS, add, add_one_more, high_part, low_part
from plexor_hdl.queue import StrikeQueue


class Behind(wiring.Component):
    """Whether `time` is behind a horizon, modulo 2**32, the two less than 2**31 ticks apart.

    `low` is the lower part of the horizon's complement, `high` its upper part a clock later;
    `behind` is a register and there another clock later. One horizon a clock; `time` must stand
    for those two clocks.
    """

    time: In(VALUE_BITS)
    low: In(LOW_BITS)
    high: In(HIGH_BITS)
    behind: Out(1)

    def elaborate(self, platform):
        m = Module()
        carry = Signal()
        m.d.sync += [
            carry.eq(add_one_more(low_part(self.time), self.low)[-1]),
            # The sign of the difference.
            self.behind.eq(add(high_part(self.time), self.high, carry)[HIGH_BITS - 1]),
        ]
        return m


class Lane(wiring.Component):
    """State of one channel, and the compares of the beats' times with it.

    Of the beat that enters the matcher's ring in clock 0 the complements of its horizons (the time
    less the time-out, and less `early_ticks`) are due in clocks 0 and 1, part by part. In clock 2
    `overdue`, `recent` and `held_overdue` tell of its time, unless `stale`: the lane has changed
    since clock 0 or is just changing; `was_stale` leaves out what the beat before it does in clock
    2. Due then are `active`, `back`, `strike`: what the beat is to this lane; and `look`: the beat
    is the next to be acted on. With `look` what is overdue is dropped a clock later, one strike a
    beat.

    In clock 3, with `go`, the beat is acted on: `time` is its time, `inside` says that the oldest
    strike is in the window. `answers` and `unanswered` tell at once what becomes of an active edge.
    In clock 4 the queue changes, `queue_time` being the same time, and clock 5 has the new state.
    So two changes of a lane are at least 4 clocks apart. `missed`, `refused`: a strike is dropped,
    for want of room.

    With Feature.EARLY, while `early`: an unanswered response is held; `settle` forgets it, `join`
    matches it to the strike of `time`, which is not queued if `served`. `rise_...` tell of the last
    active edge where the build has intervals or fall latencies.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._early = Feature.EARLY in geometry.features
        self._long = bool(geometry.features & Beat.LONG)
        self._depth = geometry.queue_depth
        super().__init__(
            {
                "clear": In(1),
                "latest": In(1),
                "early": In(1),
                "low": In(LOW_BITS),
                "high": In(HIGH_BITS),
                "early_low": In(LOW_BITS),
                "early_high": In(HIGH_BITS),
                "look": In(1),
                "overdue": Out(1),
                "recent": Out(1),
                "held_overdue": Out(1),
                "stale": Out(1),
                "was_stale": Out(1),
                "go": In(1),
                "time": In(TIME_BITS),
                "queue_time": In(VALUE_BITS),
                "active": In(1),
                "back": In(1),
                "strike": In(1),
                "inside": In(1),
                "served": In(1),
                "settle": In(1),
                "join": In(1),
                "answers": Out(1),
                "unanswered": Out(1),
                "missed": Out(1),
                "refused": Out(1),
                "head": Out(VALUE_BITS),
                "head_valid": Out(1),
                "holds": Out(1),
                "held": Out(VALUE_BITS),
                "held_duplicate": Out(1),
                "rise_time": Out(TIME_BITS),
                "rise_valid": Out(1),
                "rise_open": Out(1),
                "rise_answered": Out(1),
                "pending": Out(range(geometry.queue_depth + 1)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.queue = queue = StrikeQueue(self._depth, VALUE_BITS)
        m.submodules.head_behind = head_behind = Behind()
        m.submodules.match_behind = match_behind = Behind()
        matched, matched_valid = Signal(VALUE_BITS), Signal()
        # What the beat is, and what it would do: ready-made for the clock in which it acts.
        active, strike, touched = Signal(), Signal(), Signal()
        takes, replaces, overflows = Signal(), Signal(), Signal()
        m.d.sync += [
            active.eq(self.active),
            strike.eq(self.strike),
            touched.eq(self.active | self.strike),
            takes.eq(self.active & queue.head_valid),
            replaces.eq(self.strike & self.latest),
            overflows.eq(self.strike & queue.full & ~self.latest),
        ]
        expire, expires, taken, queued = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            head_behind.time.eq(queue.head),
            match_behind.time.eq(matched),
            self.overdue.eq(head_behind.behind & queue.head_valid),
            self.recent.eq(matched_valid & ~match_behind.behind),
            self.head.eq(queue.head),
            self.head_valid.eq(queue.head_valid),
            self.pending.eq(queue.level),
            taken.eq(takes & self.inside),
            queued.eq(self.go & ~self.served) if self._early else queued.eq(self.go),
            self.answers.eq(self.go & taken),
            self.unanswered.eq(self.go & active & ~taken),
            self.refused.eq(queued & overflows & ~taken),
            self.missed.eq(
                expire | self.refused | (queued & replaces & queue.head_valid & ~taken),
            ),
            queue.clear.eq(self.clear),
            expires.eq(self.look & self.overdue & ~self.stale),
            queue.push_data.eq(self.queue_time),
        ]
        # A clock later, so that nothing is between these and the queue.
        answered = Signal()
        m.d.sync += [
            expire.eq(expires),
            answered.eq(self.answers),
            queue.pop.eq(expires | (self.go & taken) | (queued & replaces)),
            queue.push.eq(queued & strike & ~(overflows & ~taken)),
        ]
        for behind in (head_behind, match_behind):
            m.d.comb += [behind.low.eq(self.low), behind.high.eq(self.high)]

        # Now and in the three clocks before.
        change, change_r, change_rr, changed = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            change.eq((self.go & touched) | self.settle | self.join),
            self.was_stale.eq(self.settle | self.join | change_r | changed),
            self.stale.eq(change | change_r | changed),
        ]
        m.d.sync += [
            change_r.eq(change | expires),
            change_rr.eq(change_r),
            changed.eq(change_r | change_rr),
        ]
        with m.If(self.look & match_behind.behind & ~self.stale):
            m.d.sync += matched_valid.eq(0)
        with m.If(answered):
            m.d.sync += [matched.eq(queue.head), matched_valid.eq(1)]
        if self._early:
            self._hold(m, matched, matched_valid)
        if self._long:
            self._rise(m, active)
        with m.If(self.clear):
            m.d.sync += matched_valid.eq(0)
        return m

    def _hold(self, m, matched, matched_valid) -> None:
        """Keep an unanswered response."""
        m.submodules.held_behind = held_behind = Behind()
        m.d.comb += [
            held_behind.time.eq(self.held),
            held_behind.low.eq(self.early_low),
            held_behind.high.eq(self.early_high),
            self.held_overdue.eq(self.holds & held_behind.behind),
        ]
        recent = Signal()
        m.d.sync += recent.eq(self.recent)
        with m.If(self.unanswered & self.early):
            m.d.sync += [
                self.holds.eq(1),
                self.held.eq(self.time),
                self.held_duplicate.eq(recent),
            ]
        with m.Elif(self.settle | self.join):
            m.d.sync += self.holds.eq(0)
        with m.Elif(self.answers):
            m.d.sync += self.held_duplicate.eq(1)
        with m.If(self.join):
            m.d.sync += [matched.eq(self.time), matched_valid.eq(1)]
        with m.If(self.clear):
            m.d.sync += self.holds.eq(0)

    def _rise(self, m, active) -> None:
        """Note the edge to the active level and the edge back."""
        back = Signal()
        m.d.sync += back.eq(self.back)
        with m.If(self.go & active):
            m.d.sync += [
                self.rise_time.eq(self.time),
                self.rise_valid.eq(1),
                self.rise_open.eq(1),
                self.rise_answered.eq(self.answers),
            ]
        with m.If(self.go & back):
            m.d.sync += [self.rise_open.eq(0), self.rise_answered.eq(0)]
        with m.If(self.clear):
            m.d.sync += [
                self.rise_valid.eq(0),
                self.rise_open.eq(0),
                self.rise_answered.eq(0),
            ]
