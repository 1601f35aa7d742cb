# SPDX-License-Identifier: Apache-2.0
"""Drivers and monitors of cocotb tests: plain objects, called once a clock by one coroutine."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import EnumType
from typing import Any, Protocol

from amaranth.hdl import Shape
from amaranth.lib import data, wiring
from amaranth.lib.wiring import Out
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

CLOCK_NS = 8


class Seen(wiring.Signature):
    """A stream that never waits, seen by a monitor: no ready."""

    def __init__(self, payload: Any) -> None:
        super().__init__({"valid": Out(1), "payload": Out(payload)})


class Agent(Protocol):
    """Something at the ports."""

    def clock(self) -> None:
        """Look at the ports as they stood up to the clock's edge, and set them for the next."""


def fields(shape: Any, prefix: str = "") -> Iterator[tuple[str, int, int, bool]]:
    """Yield (name, offset, bits, signed) of each field; of a field in a field with a dot."""
    for name, field in data.Layout.cast(shape):
        inner = field.shape
        if isinstance(inner, data.StructLayout | type) and not isinstance(inner, EnumType):
            for path, offset, bits, signed in fields(inner):
                yield f"{prefix}{name}.{path}", field.offset + offset, bits, signed
        else:
            cast = Shape.cast(inner)
            yield f"{prefix}{name}", field.offset, cast.width, cast.signed


class Packing:
    """Packs and unpacks the bits of one layout."""

    def __init__(self, shape: Any) -> None:
        self._fields = {name: rest for name, *rest in fields(shape)}

    def pack(self, values: Mapping[str, int]) -> int:
        """Return the bits; a field that is not given is 0."""
        bits = 0
        for name, value in values.items():
            offset, width, _ = self._fields[name]
            bits |= (value & (1 << width) - 1) << offset
        return bits

    def unpack(self, bits: int) -> dict[str, int]:
        """Return every field."""
        values = {}
        for name, (offset, width, signed) in self._fields.items():
            value = bits >> offset & (1 << width) - 1
            values[name] = value - (1 << width) if signed and value >> (width - 1) else value
        return values


class Driver:
    """Sends items over valid, ready and payload, with random pauses between them.

    An item is the payload's bits. Once valid is high, it stays until the item is taken. `pauses` is
    the chance of a clock without valid where one could be.
    """

    def __init__(
        self, dut: Any, name: str, items: Iterable[int], rng: random.Random, pauses: float = 0.0
    ) -> None:
        self._valid, self._ready, self._payload = _stream(dut, name)
        self._items, self._rng, self._pauses = iter(items), rng, pauses
        self._offered = self.done = False
        self._valid.value = 0
        self.sent = 0

    def clock(self) -> None:
        """See Agent."""
        if self._offered:
            if self._ready is not None and not self._ready.value:
                return
            self._offered = False
            self.sent += 1
        if not self.done and self._rng.random() >= self._pauses:
            item = next(self._items, None)
            self.done = item is None
            if item is not None:
                self._payload.value = item
                self._offered = True
        self._valid.value = int(self._offered)


class Monitor:
    """Takes items from valid, ready and payload, with random stalls; `into` gets their bits.

    Without a ready port every valid clock is an item. An item that is offered must stay: a payload
    that changes, or a valid that falls, before it is taken is an AssertionError.
    """

    def __init__(
        self,
        dut: Any,
        name: str,
        into: Callable[[int], None],
        rng: random.Random,
        stalls: float = 0.0,
    ) -> None:
        self._valid, self._ready, self._payload = _stream(dut, name)
        self._name, self._into, self._rng, self.stalls = name, into, rng, stalls
        self._was_ready = False
        self._waiting: int | None = None
        if self._ready is not None:
            self._ready.value = 0

    def clock(self) -> None:
        """See Agent."""
        if self._valid.value:
            item = int(self._payload.value)
            assert self._waiting in {None, item}, f"{self._name}: changed while it waited"
            if self._ready is None or self._was_ready:
                self._waiting = None
                self._into(item)
            else:
                self._waiting = item
        else:
            assert self._waiting is None, f"{self._name}: withdrawn while it waited"
        if self._ready is not None:
            self._was_ready = self._rng.random() >= self.stalls
            self._ready.value = int(self._was_ready)


def _stream(dut: Any, name: str) -> tuple[Any, Any, Any]:
    """Return valid, ready (None where there is none) and payload of a stream."""
    ready = getattr(dut, f"{name}__ready", None)
    return getattr(dut, f"{name}__valid"), ready, getattr(dut, f"{name}__payload")


async def start(dut: Any) -> None:
    """Start the clock, once a test, and reset."""
    Clock(dut.clk, CLOCK_NS, "ns", impl="gpi").start()
    await reset(dut)


async def reset(dut: Any) -> None:
    """Reset; what counts clocks from 0 is at 1 when this returns."""
    dut.rst.value = 1
    await clocks(dut, 4)
    dut.rst.value = 0
    await clocks(dut, 1)


async def clocks(
    dut: Any, most: int, *agents: Agent, until: Callable[[], bool] | None = None
) -> int:
    """Call the agents each clock until `until()`; return the clocks it took.

    Without `until` exactly `most` clocks pass; with it more than `most` are an AssertionError.
    """
    edge = RisingEdge(dut.clk)
    for clock in range(most):
        if until is not None and until():
            return clock
        await edge
        for agent in agents:
            agent.clock()
    assert until is None, f"not done after {most} clocks"
    return most
