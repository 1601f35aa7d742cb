# SPDX-License-Identifier: Apache-2.0
"""What grows with the number N of things that a service walks through: fixed + per_n x N."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

MOST = 10**12
"""Maximum of a count, a repetition and N: beyond all that runs, and short enough to print."""


@dataclass(frozen=True, slots=True)
class Formula:
    """An exact formula, in whatever unit its two parts have: accesses, or nanoseconds."""

    fixed: Fraction = Fraction(0)
    per_n: Fraction = Fraction(0)

    def at(self, n: int) -> Fraction:
        """Return the value at N = `n`. Raises ValueError unless `n` lies between 0 and MOST."""
        if not 0 <= n <= MOST:
            raise ValueError(f"N: {n}; must be a whole number from 0 to {MOST}")
        return self.fixed + self.per_n * n

    def __add__(self, addend: Formula) -> Formula:
        return Formula(self.fixed + addend.fixed, self.per_n + addend.per_n)

    def times(self, factor: Fraction | int) -> Formula:
        """Return the formula whose value is `factor` times this one's, at each N."""
        return Formula(self.fixed * factor, self.per_n * factor)


ZERO = Formula()


def decimals(value: Fraction) -> int | None:
    """Return the digits behind the point that a number needs; None if it never ends."""
    twos = (value.denominator & -value.denominator).bit_length() - 1
    fives, remainder = 0, value.denominator >> twos
    while remainder % 5 == 0:
        remainder //= 5
        fives += 1
    return max(twos, fives) if remainder == 1 else None
