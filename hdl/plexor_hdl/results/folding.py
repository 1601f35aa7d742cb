"""Adding what counters have counted beside a frozen state, one counter after the other."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.results.upper import PHASES

SETTLE_ROUNDS = 3
"""Until what was issued has counted, and its carry waits."""


class Folding(wiring.Component):
    """Goes through `entries` counters when `frozen` has fallen, `busy` until each is folded.

    Of the counter `address` the delta word is read while it `walks`; `delta_any` says that it is
    not 0. With `job_wants` its upper word is to be taken, `job_done` a clock or more after
    `upper_any` says whether that is 0. Where one is not, the counter `wants` a round, given by `go`
    in phase 3, to add both; once carries have come and gone, `quiet`, `zero_stb` makes the delta
    word 0, in phase 0. `done_stb` comes after the last. About 12 clocks a counter that has nothing
    to add, else 32 or more. `clear` ends it. Reset: not busy.
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
        was_frozen = Signal()
        rounds = Signal(range(SETTLE_ROUNDS + 1))
        settled, is_last, some = Signal(), Signal(), Signal()
        m.d.sync += [
            was_frozen.eq(self.frozen),
            some.eq(self.delta_any | self.upper_any),
            settled.eq((rounds == SETTLE_ROUNDS) & self.quiet),
            is_last.eq(self.address == self._entries - 1),
        ]
        with m.If(self.phase[0] & (rounds != SETTLE_ROUNDS)):
            m.d.sync += rounds.eq(rounds + 1)
        states = {
            "IDLE": was_frozen & ~self.frozen,
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
        """Go on from a state."""
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
