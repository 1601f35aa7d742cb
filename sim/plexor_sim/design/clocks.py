# SPDX-License-Identifier: Apache-2.0
"""Clocks, resets and random inputs of a design, as its manifest has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from plexor_sim.design.pins import Pin, pin_of

Table = dict[str, Any]
_LEAST_PERIOD_PS = 2
_MOST_PPM = 100_000
_JITTER_PARTS = 24
"""A jitter's RMS is at most this part of a period: no edge then passes another."""


@dataclass(frozen=True)
class Clock:
    """A clock of its own."""

    pin: Pin
    period_ps: int
    phase_ps: int = 0
    ppm: int = 0
    jitter_ps: int = 0
    """RMS by which each edge is displaced; displacements do not add up."""


@dataclass(frozen=True)
class Reset:
    """A reset before time zero."""

    pin: Pin
    is_active_low: bool = False
    cycles: int = 1
    clock: int = 0
    """Number of the clock that counts its cycles."""
    early_cycles: int = 0
    """Cycles by which it ends earlier than one that ends just before time zero."""
    is_synchronous: bool = False
    """Whether it ends right behind a rising edge, as what a flip-flop drives."""


def clocks_of(tables: Sequence[Table], faults: list[str]) -> tuple[Clock, ...]:
    """Return the clocks; append what is wrong to `faults`."""
    found: list[Clock] = []
    for number, table in enumerate(tables):
        key = _key("clock", number, tables)
        period_ps = table.get("period_ps", 0)
        if period_ps < _LEAST_PERIOD_PS or "port" not in table:
            faults.append(f"[{key}]: needs port and period_ps, which must be at least 2")
            continue
        pin = pin_of(f"{key}.port", table["port"], faults)
        ppm, jitter_ps = table.get("ppm", 0), table.get("jitter_ps", 0)
        if abs(ppm) > _MOST_PPM:
            faults.append(f"{key}.ppm: {ppm}; must be -{_MOST_PPM} to {_MOST_PPM}")
        if jitter_ps * _JITTER_PARTS > period_ps:
            faults.append(
                f"{key}.jitter_ps: {jitter_ps}; must be at most {period_ps // _JITTER_PARTS}, a "
                f"{_JITTER_PARTS}th of the period"
            )
        if pin is not None:
            found.append(Clock(pin, period_ps, table.get("phase_ps", 0), ppm, jitter_ps))
    return tuple(found)


def resets_of(
    tables: Sequence[Table], clocks: Sequence[Clock], faults: list[str]
) -> tuple[Reset, ...]:
    """Return the resets; append what is wrong to `faults`."""
    found: list[Reset] = []
    for number, table in enumerate(tables):
        key = _key("reset", number, tables)
        if "port" not in table:
            faults.append(f"{key}.port: missing; must be an input of the design")
            continue
        if table.get("active", "high") not in ("high", "low"):
            faults.append(f'{key}.active: {table["active"]!r}; must be "high" or "low"')
        pin = pin_of(f"{key}.port", table["port"], faults)
        clock = 0
        if "clock" in table:
            clock = clock_named(f"{key}.clock", table["clock"], clocks, faults)
        if pin is not None:
            found.append(
                Reset(
                    pin,
                    table.get("active") == "low",
                    table.get("cycles", 1),
                    clock,
                    table.get("early_cycles", 0),
                    table.get("synchronous", False),
                )
            )
    return tuple(found)


def random_of(
    table: Mapping[str, str], clocks: Sequence[Clock], faults: list[str]
) -> dict[str, int]:
    """Return the inputs that change at random, with the number of the clock that each is of."""
    return {
        port: clock_named(f"random.{port}", name, clocks, faults) for port, name in table.items()
    }


def clock_named(key: str, name: str, clocks: Sequence[Clock], faults: list[str]) -> int:
    """Return the number of the clock at a port; append to `faults` if there is none."""
    names = [clock.pin.text for clock in clocks]
    if name in names:
        return names.index(name)
    faults.append(f"{key}: {name!r} is no clock; must be {' or '.join(names) or 'in [clock]'}")
    return 0


def _key(name: str, number: int, tables: Sequence[Table]) -> str:
    """Return the name of a table: with its number if there are several."""
    return name if len(tables) == 1 else f"{name} {number + 1}"
