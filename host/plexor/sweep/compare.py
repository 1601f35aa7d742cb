"""Two sweeps of the same device: where its saturation frequencies differ."""

from __future__ import annotations

from plexor.compare import SATURATION, Difference
from plexor.sweep.model import SweepResult


def differences(before: SweepResult, after: SweepResult) -> tuple[Difference, ...]:
    """Return the saturation frequencies, in hertz, of channels and loads that both sweeps have.

    A saturation frequency is the highest rate that passed; the interval of its difference is that
    of the brackets. Channels are named with their load, where that is not `none`.
    """
    found: list[Difference] = []
    for knee in before.knees:
        other = next(
            (k for k in after.knees if (k.load, k.channel) == (knee.load, knee.channel)), None
        )
        if other is None:
            continue
        low, high = knee.bracket.passing_hz, knee.bracket.failing_hz
        other_low, other_high = other.bracket.passing_hz, other.bracket.failing_hz
        if low is None or other_low is None:
            continue
        name = knee.channel if knee.load == "none" else f"{knee.channel}, {knee.load}"
        found.append(
            Difference(
                name,
                SATURATION,
                low,
                other_low,
                None if high is None else other_low - high,
                None if other_high is None else other_high - low,
                is_time=False,
            )
        )
    return tuple(found)
