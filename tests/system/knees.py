# SPDX-License-Identifier: Apache-2.0
"""Random synthetic devices whose saturation frequency is planted, and what it is."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

PS = Fraction(1, 10**12)
DRAWN = 400_000
"""Strikes by which the share of lost ones is found where it has no formula."""


@dataclass(frozen=True)
class Planted:
    """A device, and between which rates its knee lies: there it loses what the limit allows.

    A deterministic device loses nothing up to the lower one, the limit at the upper one.
    """

    kind: str
    options: str
    low_hz: float
    high_hz: float
    monotonic: bool = True
    deterministic: bool = True


def fixed(rng: random.Random, limit: float) -> Planted:
    """A service time and a queue."""
    service_ps = rng.randrange(2_000_000, 50_000_000)
    queue = rng.choice((0, 1, 2, 5, 12))
    return Planted(
        "fixed",
        f"service={service_ps}ps,queue={queue},latency={service_ps // 3}ps",
        *_served(service_ps, limit),
    )


def pulse(rng: random.Random, limit: float) -> Planted:
    """A pin that is busy with one response while others wait."""
    width_ps, gap_ps = rng.randrange(1_000_000, 30_000_000), rng.randrange(10_000, 10_000_000)
    return Planted(
        "pulse",
        f"width={width_ps}ps,gap={gap_ps}ps,latency=400ns",
        *_served(width_ps + gap_ps, limit),
    )


def lossy(rng: random.Random, limit: float) -> Planted:
    """A service time, a queue and a few requests lost at any rate."""
    service_ps, loss = rng.randrange(2_000_000, 50_000_000), limit * rng.uniform(0.02, 0.15)
    low, _ = _served(service_ps * (1 - loss), limit)
    # Of what is not lost as much as is left of the limit may find no room.
    high = low / (1 - (limit - loss) / (1 - loss))
    return Planted(
        "lossy",
        f"service={service_ps}ps,queue=3,latency=300ns,drop={loss:.9f}",
        low,
        high,
        deterministic=False,
    )


def jittery(rng: random.Random, limit: float) -> Planted:
    """A service time that varies, and a queue that is full now and then."""
    # What waits is answered within four periods, so that it does not count as missed.
    middle_ps, part = rng.randrange(2_000_000, 50_000_000), rng.uniform(0.05, 0.3)
    low_ps, high_ps = int(middle_ps * (1 - part)), int(middle_ps * (1 + part))
    queue = rng.choice((0, 1, 2))
    draws = random.Random(rng.getrandbits(32))
    services = [draws.randint(low_ps, high_ps) for _ in range(DRAWN)]

    def lost(period_ps: float) -> float:
        return _lost(services, queue, period_ps)

    least, most = float(low_ps), float(high_ps)
    while most / least > 1.0005:
        middle = (least * most) ** 0.5
        least, most = (middle, most) if lost(middle) > limit else (least, middle)
    return Planted(
        "jittery",
        f"service=uniform:{low_ps}ps:{high_ps}ps,queue={queue},latency=200ns",
        1e12 / most,
        1e12 / least,
        deterministic=False,
    )


def deaf(rng: random.Random, limit: float) -> Planted:
    """Hears nothing in a band of rates, and again above it."""
    del limit
    high_ps = rng.randrange(10_000_000, 60_000_000)
    low_ps = int(high_ps / rng.uniform(1.7, 2.5))
    knee = 1e12 / high_ps
    options = f"deaf={low_ps}ps:{high_ps}ps,latency=300ns,width=100ns"
    return Planted("deaf", options, knee, knee, monotonic=False)


def sticky(rng: random.Random, limit: float) -> Planted:
    """Serves slower once it was overloaded."""
    service_ps = rng.randrange(2_000_000, 50_000_000)
    slow_ps = int(service_ps * rng.uniform(1.2, 2))
    options = f"service={service_ps}ps,queue=2,latency=300ns,overload={slow_ps}ps,rest=100us"
    return Planted("sticky", options, *_served(service_ps, limit))


KINDS: tuple[Callable[[random.Random, float], Planted], ...] = (
    fixed,
    pulse,
    lossy,
    jittery,
    deaf,
    sticky,
)


def planted(seed: int, limit: Fraction) -> Planted:
    """Return a device; every kind comes in turn."""
    return KINDS[seed % len(KINDS)](random.Random(seed), float(limit))


def _served(service_ps: float, limit: float) -> tuple[float, float]:
    """Return the rate from which on strikes wait ever longer, and that at which the limit is lost.

    In the long run a share 1 - 1 / (rate x service) is lost.
    """
    return 1e12 / service_ps, 1e12 / (service_ps * (1 - limit))


def _lost(services: list[int], queue: int, period_ps: float) -> float:
    """Return the share of strikes that one server with a queue has no room for."""
    starts: deque[float] = deque()
    now = free = 0.0
    lost = 0
    for service in services:
        now += period_ps
        while starts and starts[0] <= now:
            starts.popleft()
        if free <= now:
            free = now + service
        elif len(starts) >= queue:
            lost += 1
        else:
            starts.append(free)
            free += service
    return lost / len(services)
