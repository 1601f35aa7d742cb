# SPDX-License-Identifier: Apache-2.0
"""State machines with a flip-flop for each state, because decoding a coded state is too slow."""

from functools import reduce
from operator import or_

from amaranth.hdl import Const, Module, Signal, Value


class States:
    """A state machine with a flip-flop for each state; one of them is high at a time.

    `go` says when a state is left for another; the ways out of one state must exclude each other.
    `connect`, after the last `go`, makes the flip-flops move.

    Latency: 1 clock from a condition to the next state.
    Throughput: one change of state each clock.
    Reset: in the first state.
    Wrap: none; it holds no count.
    Full: never; it is always in one state.
    """

    def __init__(self, *names: str) -> None:
        self._states = {
            name: Signal(name=f"in_{name.lower()}", init=number == 0)
            for number, name in enumerate(names)
        }
        self._into = {name: [] for name in names}
        self._from = {name: [] for name in names}

    def __getitem__(self, name: str) -> Signal:
        return self._states[name]

    def go(self, source: str, target: str, when: Value | None = None) -> None:
        """Leave `source` for `target` in a clock with `when`, or at once without a condition."""
        when = Const(1) if when is None else when
        self._into[target].append(self[source] & when)
        self._from[source].append(when)

    def connect(self, m: Module) -> None:
        """Drive the states' flip-flops."""
        for name, state in self._states.items():
            stays = state & ~reduce(or_, self._from[name], Const(0))
            m.d.sync += state.eq(reduce(or_, self._into[name], stays))
