"""One channel's part of the matcher: its outstanding strikes and what its last response was."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import VALUE_BITS
from plexor_hdl.interfaces import TIME_BITS
from plexor_hdl.queue import StrikeQueue

HALF = VALUE_BITS // 2


class Moment(data.StructLayout):
    """A beat's time, and that time moved by what the settings add; modulo 2**32 but for `full`."""

    def __init__(self) -> None:
        super().__init__(
            {
                "full": TIME_BITS,
                "timeout": VALUE_BITS,  # + timeout_ticks
                "window": VALUE_BITS,  # + timeout_ticks - window_min_ticks
                "early": VALUE_BITS,  # + early_ticks
            }
        )


class After(wiring.Component):
    """Whether `later` is after `earlier`, modulo 2**32 (RFC 1982 with 32 bits); 1 clock of latency.

    Two half-width compares are registered and joined behind the registers. The times must be less
    than 2**31 - 2**16 ticks apart.
    """

    later: In(VALUE_BITS)
    earlier: In(VALUE_BITS)
    after: Out(1)

    def elaborate(self, platform):
        m = Module()
        high_a, high_b = self.later[HALF:-1], self.earlier[HALF:-1]
        low_a, low_b = self.later[:HALF], self.earlier[:HALF]
        same, more, equal, low_more = (Signal(name=f"r{n}") for n in range(4))
        less = Signal()
        m.d.sync += [
            same.eq(self.later[-1] == self.earlier[-1]),
            more.eq(high_a > high_b),
            less.eq(high_a < high_b),
            equal.eq(high_a == high_b),
            low_more.eq(low_a > low_b),
        ]
        m.d.comb += self.after.eq(
            Mux(same, more | (equal & low_more), less),
        )
        return m


class Lane(wiring.Component):
    """State of one channel, and the compares of a beat's time with it.

    In each clock the compares look at `compared`; one clock later `overdue`, `held_overdue`,
    `in_window` and `recent` tell of that time, unless `stale`: the state then changed meanwhile.
    `busy`: the oldest strike is on its way out of the queue's memory.

    Actions, each in the clock of its strobe, with `moment` the beat's time: `expire` drops the
    oldest strike; `answer` matches it; `settle` forgets the held response; `join` matches the held
    response to a strike; `hold` keeps an unanswered response; `active` notes the edge to the active
    level, `back` the edge back; `strike` queues a strike (`latest`: in place of the one there).
    `refused` says that the queue has no room for it, `superseded` that it replaces one. `looking`
    says that the compares are those of the beat at hand.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._early = Feature.EARLY in geometry.features
        self._depth = geometry.queue_depth
        super().__init__(
            {
                "clear": In(1),
                "latest": In(1),
                "looking": In(1),
                "compared": In(Moment()),
                "moment": In(Moment()),
                "expire": In(1),
                "answer": In(1),
                "settle": In(1),
                "join": In(1),
                "hold": In(1),
                "active": In(1),
                "back": In(1),
                "strike": In(1),
                "overdue": Out(1),
                "outstanding": Out(1),
                "in_window": Out(1),
                "recent": Out(1),
                "holds": Out(1),
                "held_overdue": Out(1),
                "held_duplicate": Out(1),
                "stale": Out(1),
                "busy": Out(1),
                "refused": Out(1),
                "superseded": Out(1),
                "head": Out(VALUE_BITS),
                "held": Out(VALUE_BITS),
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
        m.submodules.head_after = head_after = After()
        m.submodules.window_after = window_after = After()
        m.submodules.match_after = match_after = After()
        matched, matched_valid = Signal(VALUE_BITS), Signal()
        m.d.comb += [
            head_after.later.eq(self.compared.full),
            head_after.earlier.eq(queue.head),
            self.overdue.eq(head_after.after & queue.head_valid),
            # Not before: the strike is at or before the moment less the window's least latency.
            window_after.later.eq(queue.head),
            window_after.earlier.eq(self.compared.window),
            self.in_window.eq(~window_after.after),
            match_after.later.eq(self.compared.full),
            match_after.earlier.eq(matched),
            self.recent.eq(matched_valid & ~match_after.after),
            self.outstanding.eq(queue.head_valid),
            self.busy.eq(queue.busy),
            self.head.eq(queue.head),
            self.pending.eq(queue.level),
            queue.clear.eq(self.clear),
        ]

        taken = Signal()
        m.d.comb += [
            taken.eq(self.expire | self.answer),
            self.superseded.eq(self.strike & self.latest & queue.head_valid & ~taken),
            self.refused.eq(self.strike & queue.full & ~taken & ~self.latest),
            queue.pop.eq(taken | self.superseded),
            queue.push.eq(self.strike & ~self.refused),
            queue.push_data.eq(self.moment.timeout),
        ]

        with m.If(self.answer):
            m.d.sync += [matched.eq(queue.head), matched_valid.eq(1)]
        with m.Elif(match_after.after & self.looking & ~self.stale):
            m.d.sync += matched_valid.eq(0)
        with m.If(self.active):
            m.d.sync += [
                self.rise_time.eq(self.moment.full),
                self.rise_valid.eq(1),
                self.rise_open.eq(1),
                self.rise_answered.eq(self.answer),
            ]
        with m.If(self.back):
            m.d.sync += [self.rise_open.eq(0), self.rise_answered.eq(0)]

        change = queue.changing | self.answer
        if self._early:
            m.submodules.held_after = held_after = After()
            m.d.comb += [
                held_after.later.eq(self.compared.full),
                held_after.earlier.eq(self.held),
                self.held_overdue.eq(self.holds & held_after.after),
            ]
            with m.If(self.hold):
                m.d.sync += [
                    self.holds.eq(1),
                    self.held.eq(self.moment.early),
                    self.held_duplicate.eq(self.recent),
                ]
            with m.Elif(self.settle | self.join):
                m.d.sync += self.holds.eq(0)
            with m.Elif(self.answer):
                m.d.sync += self.held_duplicate.eq(1)
            with m.If(self.join):
                m.d.sync += [matched.eq(self.moment.timeout), matched_valid.eq(1)]
            change = change | self.hold | self.settle | self.join
        m.d.sync += self.stale.eq(change)

        with m.If(self.clear):
            m.d.sync += [
                self.rise_valid.eq(0),
                self.rise_open.eq(0),
                self.rise_answered.eq(0),
                matched_valid.eq(0),
                self.holds.eq(0),
            ]
        return m
