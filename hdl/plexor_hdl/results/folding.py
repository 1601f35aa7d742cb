# SPDX-License-Identifier: Apache-2.0
"""Adds the counts made beside a frozen state to the counters, one counter after the other."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.results.upper import PHASES

SETTLE_ROUNDS = 3
"""Rounds until an issued pair has counted and its carry waits."""


class Folding(wiring.Component):
    """Goes through the counters after a freeze, and adds to each what was counted beside it.

    It starts when `frozen` falls. Of each counter it reads the delta word and has the upper word
    taken. If one of them is not 0, the counter wants a round of four clocks in which both are
    added. When carries have come and gone, the delta word is zeroed.

    Latency: about 12 clocks for a counter that has nothing to add, else 32 or more.
    Throughput: one counter at a time.
    Reset: not busy.
    Wrap: none; it ends with the last counter.
    Full: never; it waits for `job_done`, `go` and `quiet`.

    Ports:
        phase: One bit for each clock of a round, of which one is high.
        frozen: 1 while counters are frozen.
        clear: 1 ends it.
        quiet: 1 if no carry waits.
        busy: 1 from 2 clocks after `frozen` fell until the last counter is done.
        walks: 1 while the delta word of `address` is read.
        address: The counter.
        delta_any: 1 if its delta word is not 0.
        upper_any: 1 if its upper delta word, taken, is not 0; looked at with `job_done`.
        job_wants: 1 asks to take its upper delta word.
        job_done: 1 when that has been taken.
        wants: 1 asks for a round.
        go: 1, in phase 3, gives it.
        zero_stb: Zeroes the delta word, in phase 0.
        done_stb: Strobes after the last counter.
    """

    def __init__(self, entries: int) -> None:
        self._entries = entries
        super().__init__(
            {
                "phase": In(PHASES),
                "frozen": In(1),
                "clear": In(1),
                "quiet": In(1),
                "busy": Out(1),
                "walks": Out(1),
                "address": Out(range(entries)),
                "delta_any": In(1),
                "upper_any": In(1),
                "job_wants": Out(1),
                "job_done": In(1),
                "wants": Out(1),
                "go": In(1),
                "zero_stb": Out(1),
                "done_stb": Out(1),
            }
        )

    def elaborate(self, platform) -> Module:
        m = Module()
        frozen, was_frozen = Signal(), Signal()
        rounds = Signal(range(SETTLE_ROUNDS + 1))
        settled, is_last, some = Signal(), Signal(), Signal()
        m.d.sync += [
            frozen.eq(self.frozen),
            was_frozen.eq(frozen & ~self.clear),
            some.eq(self.delta_any | self.upper_any),
            settled.eq((rounds == SETTLE_ROUNDS) & self.quiet),
            is_last.eq(self.address == self._entries - 1),
        ]
        with m.If(self.phase[0] & (rounds != SETTLE_ROUNDS)):
            m.d.sync += rounds.eq(rounds + 1)
        states = {
            "IDLE": was_frozen & ~frozen,
            "START": settled,
            "TAKE": self.job_done,
            "LOOK": 1,
            "ADD": self.go,
            "WAIT": settled & self.phase[0],
            "NEXT": 1,
        }
        with m.FSM(name="folding") as fsm:
            for name, leave in states.items():
                with m.State(name):
                    with m.If(self.clear):
                        m.next = "IDLE"
                    with m.Elif(leave):
                        self._leave(m, name, is_last, some)
            m.d.comb += [
                self.busy.eq(~fsm.ongoing("IDLE")),
                self.walks.eq(~fsm.ongoing("IDLE") & ~fsm.ongoing("START")),
                self.job_wants.eq(fsm.ongoing("TAKE")),
                self.wants.eq(fsm.ongoing("ADD")),
                self.zero_stb.eq(fsm.ongoing("WAIT") & states["WAIT"]),
                self.done_stb.eq(fsm.ongoing("NEXT") & is_last),
            ]
            waits = fsm.ongoing("IDLE") | fsm.ongoing("ADD")
        with m.If(waits):
            m.d.sync += [rounds.eq(0), settled.eq(0)]
        return m

    def _leave(self, m: Module, name: str, is_last, some) -> None:
        """Leave a state."""
        if name == "LOOK":
            with m.If(some):
                m.next = "ADD"
            with m.Else():
                m.next = "NEXT"
        elif name == "NEXT":
            m.d.sync += self.address.eq(self.address + 1)
            with m.If(is_last):
                m.next = "IDLE"
            with m.Else():
                m.next = "TAKE"
        else:
            if name == "IDLE":
                m.d.sync += self.address.eq(0)
            m.next = {
                "IDLE": "START",
                "START": "TAKE",
                "TAKE": "LOOK",
                "ADD": "WAIT",
                "WAIT": "NEXT",
            }[name]
