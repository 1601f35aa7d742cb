# SPDX-License-Identifier: Apache-2.0
"""Two sweeps of the same device: where its saturation frequencies differ."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from plexor.experiments.sweep.model import Bracket, SweepResult
from plexor.figures.judge.change_bounds import ExcessBounds, limit_of
from plexor.figures.judge.compare import SATURATION, Difference, OpenEnd


@dataclass(frozen=True, slots=True)
class BracketLaw:
    """Saturation frequencies that lie in their brackets, with the confidence of the sweeps."""

    before: Bracket
    after: Bracket

    @property
    def counts(self) -> None:
        """Return None: narrower brackets are needed, not more strikes."""

    def excess(
        self, part: Fraction, least_error: float, most_error: float, times: int = 1
    ) -> ExcessBounds:
        """Return where the second frequency less `limit_of` the first lies; errors are the sweeps'.

        A sweep that sustains all that it tried, or nothing, bounds its frequency on one side.
        """
        low, high = _ends(self.before)
        after_low, after_high = _ends(self.after)
        return ExcessBounds(
            None if high is None else after_low - limit_of(high, part),
            None if after_high is None else after_high - limit_of(low, part),
        )

    def least_count(self, error: float) -> int:
        """Return 0: brackets are not samples."""
        return 0


def _ends(bracket: Bracket) -> tuple[Fraction, Fraction | None]:
    """Return what is sustained, 0 where nothing is, and what is not; None: nothing failed."""
    return bracket.passing_hz or Fraction(0), bracket.failing_hz


def differences(before: SweepResult, after: SweepResult) -> tuple[Difference, ...]:
    """Return the saturation frequencies, in hertz, of channels and loads that both sweeps have.

    A saturation frequency is the highest rate that passed. It lies above that if no rate failed,
    and below the lowest rate tried if none passed. The interval of its difference is that of the
    brackets. Channels are named with their load, where that is not
    `none`.
    """
    found: list[Difference] = []
    for knee in before.knees:
        other = next(
            (k for k in after.knees if (k.load, k.channel) == (knee.load, knee.channel)), None
        )
        if other is None:
            continue
        name = knee.channel if knee.load == "none" else f"{knee.channel}, {knee.load}"
        law = BracketLaw(knee.bracket, other.bracket)
        (value, bound), (now, bound_now) = map(_value, (knee.bracket, other.bracket))
        found.append(
            Difference(
                name,
                SATURATION,
                value,
                now,
                law,
                "Hz",
                before_bound=bound,
                after_bound=bound_now,
            )
        )
    return tuple(found)


def _value(bracket: Bracket) -> tuple[Fraction, OpenEnd | None]:
    """Return a saturation frequency, and whether it lies above or below that."""
    low, high = _ends(bracket)
    if high is None:
        return low, OpenEnd.ABOVE
    return (low, None) if low else (high, OpenEnd.BELOW)
