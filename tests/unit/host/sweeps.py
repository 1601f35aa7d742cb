# SPDX-License-Identifier: Apache-2.0
"""Hand-made sweeps: verdicts and figures of each rate as they are planted."""

from fractions import Fraction

from plexor.experiments.step import RateFigures, RateStep
from plexor.experiments.sweep.model import Bracket, Knee, SweepResult
from plexor.figures.judge.verdict import Outcome
from plexor.protocol.memory import ResponseClass

TICK_FS = 10**6
RATES = (20_000, 25_000, 40_000, 80_000, 100_000, 160_000, 200_000)


def figures(name, *, missed=0, latency=2000, jitter=0, verdict=None):
    """Return a channel at a rate: 1000 strikes, latencies in ticks of 1 ns."""
    classes = dict.fromkeys(ResponseClass, 0)
    classes |= {ResponseClass.MISSED: missed, ResponseClass.ANSWERED: 1000 - missed}
    answered = missed < 1000
    return RateFigures(
        name,
        1000,
        classes,
        min_ticks=latency - jitter if answered else None,
        max_ticks=latency if answered else None,
        p50_ticks=latency - jitter if answered else None,
        p99_ticks=latency if answered else None,
        rms_ticks=jitter / 4 if answered else None,
        jitter128_ticks=jitter if answered else None,
        verdict=verdict or (Outcome.FAIL if missed > 10 else Outcome.PASS),
    )


def step(load, rate_hz, *channels, direction=""):
    """Return one rate of a scan."""
    return RateStep(TICK_FS, True, load, Fraction(rate_hz), "", 1000, channels, direction=direction)


def knee(load, channel, low, high, **bracket):
    """Return the bracket of a channel under a load; None for an end that is not known."""
    ends = (None if end is None else Fraction(end) for end in (low, high))
    return Knee(load, channel, Bracket(*ends, **bracket), 1000)


def result(steps, knees, **other):
    """Return a simulated sweep from 20 to 200 kHz for fewer than 1 % missed strikes."""
    fields = {
        "tick_fs": TICK_FS,
        "simulated": True,
        "criteria": ("missed<1%@95%",),
        "low_hz": Fraction(20_000),
        "high_hz": Fraction(200_000),
        "width": Fraction(1, 100),
        "shape": "width 1 µs",
        "steps": tuple(steps),
        "knees": tuple(knees),
        "device": {"dut": "ce30"},
    }
    return SweepResult(**fields | other)


def swept(loads, channels=("IST", "APP"), directions=("",)):
    """Return a sweep of loads with their saturation frequencies; the second pin has half of it."""
    steps, knees = [], []
    for load, most in loads.items():
        for direction in directions:
            for rate in RATES:
                found = [
                    figures(
                        name,
                        missed=0 if rate <= most / (place + 1) else 600,
                        latency=2500 * 3**place if rate <= most / (place + 1) else 30_000,
                        jitter=100 * len(load),
                    )
                    for place, name in enumerate(channels)
                ]
                steps.append(step(load, rate, *found, direction=direction))
        for place, name in enumerate(channels):
            sustained = [rate for rate in RATES if rate <= most / (place + 1)]
            failing = [rate for rate in RATES if rate > most / (place + 1)]
            low, high = max(sustained, default=None), min(failing, default=None)
            knees.append(knee(load, name, low, high))
    return result(steps, knees)
