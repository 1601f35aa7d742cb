# SPDX-License-Identifier: Apache-2.0
"""What the Stimulus section of docs/instrument.md says, in plain Python integers."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import floor

MASK = (1 << 64) - 1


@dataclass(frozen=True)
class Settings:
    """The registers of one stimulus that say when it strikes."""

    interval_ticks: int = 1000
    interval_fraction: int = 0
    width_ticks: int = 1
    phase_ticks: int = 0
    burst_count: int = 1
    spacing_ticks: int = 0
    strike_count: int = 0
    dither_bits: int = 0
    poisson_threshold: int = 0
    seed: int = 1


def states(seed: int) -> Iterator[int]:
    """Yield the xorshift64 states after each step from `seed` (0 acts as 1)."""
    state = seed or 1
    while True:
        state ^= state << 13 & MASK
        state ^= state >> 7
        state ^= state << 17 & MASK
        yield state


def rises(settings: Settings, samples: int) -> Iterator[int]:
    """Yield the ticks of a sequence's strikes, phase 0 at tick 0."""
    endless = settings.strike_count == 0
    times = _random(settings, samples) if settings.poisson_threshold else _periodic(settings)
    for number, time in enumerate(times):
        if not endless and number == settings.strike_count:
            return
        yield time


def _periodic(settings: Settings) -> Iterator[int]:
    draws = states(settings.seed)
    dither_mask = (1 << min(settings.dither_bits, 32)) - 1
    burst = 0
    whole = settings.phase_ticks
    while True:
        fraction = Fraction(burst * settings.interval_fraction, 1 << 32)
        number = 0
        while settings.burst_count == 0 or number < settings.burst_count:
            time = whole + number * settings.spacing_ticks + floor(fraction)
            yield time
            number += 1
        whole += (number - 1) * settings.spacing_ticks + settings.interval_ticks
        if settings.dither_bits:
            whole += next(draws) & dither_mask
        burst += 1


def _random(settings: Settings, samples: int) -> Iterator[int]:
    clock = settings.phase_ticks // samples
    last = None
    for state in states(settings.seed):
        time = clock * samples + state % samples
        clock += 1
        if state >> 16 >= settings.poisson_threshold:
            continue
        if last is not None and time - last < settings.width_ticks + samples:
            continue
        last = time
        yield time
