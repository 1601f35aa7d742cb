# SPDX-License-Identifier: Apache-2.0
"""Decides what happens to strikes and responses, and keeps the queues."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal, Value
from amaranth.lib import data

from plexor_hdl.interfaces import Decision
from plexor_hdl.match.ages import Ages
from plexor_hdl.match.horizon import Horizon
from plexor_hdl.match.turns import Look


def keep_queues(m: Module, s: Look, clear: Value, pending: data.View) -> tuple[Array, Array]:
    """Keep each channel's queue: its level, head and tail; return heads and tails."""
    numbers, depth = range(s.geometry.channels), s.geometry.queue_depth
    levels = [Signal(range(depth + 1), name=f"level{number}") for number in numbers]
    # Heads are registers, because a difference of selected values would take too long.
    heads = Array(Signal(range(depth), name=f"head{number}") for number in numbers)
    tails = Array(Signal(range(depth), name=f"tail{number}") for number in numbers)
    popped = Signal()
    m.d.sync += popped.eq(s.expired | s.matched)
    for place, (level, head, tail) in enumerate(zip(levels, heads, tails, strict=True)):
        # The channel stays the same during a look.
        here, struck = Signal(name=f"here{place}"), s.struck[place] & ~s.full[place]
        # The level stands for clocks before a strike leaves, so this may be late.
        single = Signal(name=f"single{place}")
        replaces = s.latest & s.some[place]
        m.d.sync += here.eq(s.channel == place)
        m.d.comb += s.popped[place].eq(popped & here)
        # The level goes up or down by one through a single carry chain.
        down = s.popped[place]
        change = Cat(down | (struck & ~replaces), down.replicate(len(level) - 1))
        m.d.sync += [level.eq(level + change), single.eq(level == 1)]
        with m.If(struck):
            m.d.sync += [tail.eq(tail + 1), s.some[place].eq(1)]
        with m.Elif(down & single):
            m.d.sync += s.some[place].eq(0)
        with m.If(s.popped[place] | (struck & replaces)):
            m.d.sync += head.eq(head + 1)
        with m.If(clear):
            m.d.sync += [level.eq(0), head.eq(0), tail.eq(0), s.some[place].eq(0)]
        m.d.comb += s.full[place].eq(level[-1])
        m.d.sync += pending[place].eq(level)
    return heads, tails


def decide(m: Module, s: Look, ages: Ages, horizon: Horizon | None, clear: Value) -> data.View:
    """Decide about strikes and responses; return the verdict without the class by deadline.

    The verdict is the decision and its validity, whether its response was matched, and if not,
    whether it repeats one.
    """
    count = len(s.first)
    # `known` marks channels whose last match is not older than the time-out, as far as known.
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
    with m.If(clear):
        m.d.sync += known.eq(0)

    verdict = Signal(
        data.StructLayout({"decision": Decision(s.geometry), "told": 1, "matched": 1, "repeats": 1})
    )
    decision = verdict.decision
    refused, replaced = (s.struck & s.full).any(), (s.struck & s.some).any() & s.latest
    m.d.comb += [
        decision.channel.eq(Mux(s.pushing, s.number, s.channel)),
        decision.strike.eq(s.pushing & s.struck.any()),
        decision.missed.eq(refused | replaced | s.expired),
        decision.queue_full.eq(refused),
        decision.classed.eq(s.responded),
        # Refusals and replacements always come with a strike, so they need no term here.
        verdict.told.eq(decision.strike | s.expired | decision.classed),
        verdict.matched.eq(s.matched),
        verdict.repeats.eq(recent),
    ]
    if s.several:
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
        with m.If(clear):
            m.d.sync += s.holds.eq(0)
    if horizon is not None:
        left = (waiting & plain & ~ages.old) | (s.holding & ~s.settled)
        m.d.comb += [
            horizon.offer_stb.eq(s.decided & left & s.renews),
            horizon.offer.eq(ages.slack),
        ]
    return verdict
