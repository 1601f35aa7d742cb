# SPDX-License-Identifier: Apache-2.0
"""A value and its values of earlier clocks."""

from typing import Any

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import data


class Line:
    """A value and its past: `line[n]` is the value n clocks ago.

    Registers are made when asked for, so ask outside of `m.If`.

    Latency: n clocks to `line[n]`.
    Throughput: one value each clock.
    Reset: the past is the value's initial value.
    Wrap: none; it holds no count.
    Full: never; the oldest value goes as a new one comes.
    """

    def __init__(self, m: Module, value: Value | data.View, name: str) -> None:
        self._m = m
        self._past = [value]
        self._name = name

    def __getitem__(self, clocks: int) -> Any:
        while len(self._past) <= clocks:
            later = Signal.like(self._past[-1], name=f"{self._name}_{len(self._past)}")
            self._m.d.sync += later.eq(self._past[-1])
            self._past.append(later)
        return self._past[clocks]
