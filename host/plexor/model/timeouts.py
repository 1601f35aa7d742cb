# SPDX-License-Identifier: Apache-2.0
"""The time-out that strikes have where none is given: one rule for every command."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

SWEPT = 4
"""Time between strikes, this many times, in a sweep. A device that lags loses no strike by it. A
response later than that is taken for the next strike's, so that one strike is missing where all are
late: so many missing do not pass."""
UNKNOWN_S = Fraction(1, 10)
"""Where nothing says how far apart strikes are."""
MOST_S = Fraction(1)
"""An instrument counts little more."""
RULE = (
    "Default: the time between strikes, in a sweep four times that; 100ms if it is not known; on "
    "an instrument at most 1s."
)


def default_timeout_s(
    between_s: Iterable[Fraction], strikes: int = 1, most_s: Fraction | None = MOST_S
) -> Fraction:
    """Return the time-out by RULE, of how far apart the strikes of each output are.

    Of several outputs the slowest counts. A time-out of one such time keeps one missing response
    from shifting all later ones. `most_s`: None for what no instrument counts.
    """
    longest_s = max(between_s, default=None)
    timeout_s = UNKNOWN_S if longest_s is None else strikes * longest_s
    return timeout_s if most_s is None else min(timeout_s, most_s)
