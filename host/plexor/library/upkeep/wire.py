# SPDX-License-Identifier: Apache-2.0
"""Delays of wires, by their length or their time."""

from __future__ import annotations

import re
from fractions import Fraction

from plexor.library.specs.values import Time, seconds

MOST_PS = 100_000
LEAST_PS_M, MOST_PS_M = 3300, 6000
"""Delay of a metre of any wire or coax: between that of light and that of solid polyethylene's
cable, with a fifth more for insulation of PVC."""
OFF_PART = Fraction(1, 50)
"""By how much a delay that is told may be off."""
_PS_PER_S = 10**12
_LENGTH = re.compile(r"(\d+(?:\.\d+)?) ?(c)?m")


def wire_ps(wire: Time | tuple[int, int]) -> tuple[int, int]:
    """Return the bounds of a wire's delay in ps: of a length such as `1m` or `30cm`, or of a time.

    Bounds in ps stay as they are. Raises ValueError for what is neither, and for more than MOST_PS.
    """
    try:
        least, most = wire if isinstance(wire, tuple) else _bounds(wire)
    except (TypeError, ValueError) as error:
        right = "must be a length such as 1m or 30cm, or a time such as 5ns"
        raise ValueError(f"{wire!r}; {right}") from error
    if not 0 <= most <= MOST_PS:
        raise ValueError(f"{wire!r}: {most} ps; must be 0 to {MOST_PS} ps")
    return least, most


def _bounds(wire: Time) -> tuple[int, int]:
    match = _LENGTH.fullmatch(str(wire).strip())
    if match is not None:
        metres = Fraction(match[1]) / (100 if match[2] else 1)
        return int(metres * LEAST_PS_M), int(metres * MOST_PS_M)
    delay_ps = seconds(wire) * _PS_PER_S
    return int(delay_ps * (1 - OFF_PART)), int(delay_ps * (1 + OFF_PART))
