# SPDX-License-Identifier: Apache-2.0
"""Generations of strikes: tells whether a strike from before the current one is left."""

from amaranth.hdl import Array, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor_hdl.lib.history import Line
from plexor_hdl.match.horizon import Horizon
from plexor_hdl.match.turns import Look


class Generations(wiring.Component):
    """Says when a generation of strikes begins: once all from before the last one are gone.

    A beat begins one if nothing is left of what was there when the last one began, as `grown` says,
    or if none is known (`fresh`); but not if it is `quiet`. Places, `some` and `held` include all
    beats before in the clock after `taken`, and not its own. A strike that leaves unseen, without
    `popped`, keeps a generation from growing until the next begins. A held response that replaces
    another is as old as that.

    Latency: `turn` strobes 2 clocks after `taken`. `grown` is 2 clocks late, one of them that of
        the turn.
    Throughput: one beat each 2 clocks.
    Reset: grown.
    Wrap: places are modulo the queue's depth; a queue never has more strikes.
    Full: never; it marks one place for each channel.

    Ports:
        heads: The place of each channel's oldest strike.
        tails: The place behind each channel's youngest strike.
        some: A bit for each channel: strikes are outstanding.
        popped: A bit for each channel: its oldest strike leaves; 8 clocks after a turn or later.
        held: A bit for each channel: a response is held.
        taken: A beat was taken.
        quiet: The beat begins no generation; valid 2 clocks after `taken`.
        fresh: No generation is known.
        turn: A generation begins.
        grown: All from before the last turn are gone.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._channels = geometry.channels
        places = data.ArrayLayout(range(geometry.queue_depth), geometry.channels)
        super().__init__(
            {
                "heads": In(places),
                "tails": In(places),
                "some": In(geometry.channels),
                "popped": In(geometry.channels),
                "held": In(geometry.channels),
                "taken": In(1),
                "quiet": In(1),
                "fresh": In(1),
                "turn": Out(1),
                "grown": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        old, old_held, some = (Signal(self._channels, name=n) for n in ("old", "old_held", "was"))
        taken = Line(m, self.taken, "taken")
        m.d.sync += [some.eq(self.some), self.grown.eq(~(old | old_held).any())]
        m.d.comb += self.turn.eq(taken[2] & ~self.quiet & (self.grown | self.fresh))
        for number in range(self._channels):
            # `mark` is the place behind the last strike that was there. The beat's own strikes may
            # have come by the turn, but belong to the new generation. `is_last` tells whether that
            # last strike is the queue's first by now.
            mark = Signal(self.heads[number].shape(), name=f"mark{number}")
            tail = Signal.like(mark, name=f"tail{number}")
            is_last = Signal(name=f"is_last{number}")
            m.d.sync += [
                tail.eq(self.tails[number]),
                is_last.eq((self.heads[number] + 1)[: len(mark)] == mark),
            ]
            with m.If(self.turn):
                m.d.sync += [
                    mark.eq(tail),
                    old[number].eq(some[number]),
                    old_held[number].eq(self.held[number]),
                ]
            with m.Else():
                with m.If(self.popped[number] & is_last):
                    m.d.sync += old[number].eq(0)
                with m.If(~self.held[number]):
                    m.d.sync += old_held[number].eq(0)
        return m


def move_horizon(m: Module, s: Look, horizon: Horizon, heads: Array, tails: Array) -> None:
    """Move the matcher's horizon when generations have gone."""
    m.submodules.generations = generations = Generations(s.geometry)
    for number in range(s.geometry.channels):
        m.d.comb += [
            generations.heads[number].eq(heads[number]),
            generations.tails[number].eq(tails[number]),
        ]
    m.d.comb += [
        generations.some.eq(s.some),
        generations.popped.eq(s.popped),
        generations.held.eq(s.holds),
        generations.taken.eq(s.takes),
        generations.quiet.eq(s.renews),
        generations.fresh.eq(horizon.fresh),
        horizon.turn.eq(generations.turn),
        horizon.grown.eq(generations.grown),
    ]
