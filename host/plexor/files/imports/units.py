# SPDX-License-Identifier: Apache-2.0
"""Units as programs write them into captures: prefixes, and units of time."""

from __future__ import annotations

from fractions import Fraction

from plexor.base.units import FEMTOSECONDS

_EXPONENTS = {
    **{"": 0, "m": -3, "u": -6, "µ": -6, "μ": -6, "n": -9, "p": -12, "f": -15},
    **{"k": 3, "K": 3, "M": 6, "G": 9},
}
_LONG = {"milli": "m", "micro": "u", "nano": "n", "pico": "p", "femto": "f"}
_PREFIX = "[munpfµμ]"
SHORT = rf"(?:{_PREFIX}?s(?:ec)?)"
"""A unit of time as a sign, for a pattern that takes letters of any case: ms, uS, sec."""
WORD = rf"(?:(?:{'|'.join(_LONG)})?seconds?|(?:milli|micro|nano)s)"
"""A unit of time as a word: seconds, nanosecond, millis."""


def scale_of(prefix: str) -> Fraction:
    """Return what a prefix of a unit multiplies by, such as 1000 for `k`."""
    exponent = _EXPONENTS[prefix]
    return Fraction(10**exponent) if exponent >= 0 else Fraction(1, 10**-exponent)


def unit_fs_of(text: str) -> int:
    """Return a unit of time, as a sign or a word in letters of any case, in femtoseconds."""
    unit = text.lower()
    for word, prefix in _LONG.items():
        if unit.startswith(word):
            return int(scale_of(prefix) * FEMTOSECONDS)
    return int(scale_of(unit[: unit.index("s")]) * FEMTOSECONDS)
