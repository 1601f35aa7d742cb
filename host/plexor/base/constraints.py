# SPDX-License-Identifier: Apache-2.0
"""What a document's types say besides: bounds, names and meanings, as in `Annotated[int, Ge(0)]`.

Documents are checked by them, and their schemas are made from them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Annotated, ClassVar

Number = int | float | Fraction
LATER = {"later": True}
"""Metadata of a field that came when digests of its dataclass had been kept already."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a field means, as its schema says it."""

    text: str


@dataclass(frozen=True, slots=True)
class OneOf:
    """A text that is one of these."""

    texts: tuple[str, ...]


def name_of(kind: type[Enum]) -> OneOf:
    """Return what the name of an enumeration's member is, in lower case."""
    return OneOf(tuple(member.name.lower() for member in kind))


@dataclass(frozen=True, slots=True)
class Constraint(ABC):
    """One bound of a number or a fraction."""

    limit: Number
    keyword: ClassVar[str]
    """The keyword of JSON Schema for it."""
    words: ClassVar[str]

    @abstractmethod
    def holds(self, value: Number) -> bool:
        """Return whether a value keeps it."""


class Ge(Constraint):
    """Greater than the limit, or equal."""

    __slots__ = ()
    keyword, words = "minimum", "{} or more"

    def holds(self, value: Number) -> bool:
        return value >= self.limit


class Gt(Constraint):
    """Greater than the limit."""

    __slots__ = ()
    keyword, words = "exclusiveMinimum", "above {}"

    def holds(self, value: Number) -> bool:
        return value > self.limit


class Le(Constraint):
    """Less than the limit, or equal."""

    __slots__ = ()
    keyword, words = "maximum", "at most {}"

    def holds(self, value: Number) -> bool:
        return value <= self.limit


class Lt(Constraint):
    """Less than the limit."""

    __slots__ = ()
    keyword, words = "exclusiveMaximum", "below {}"

    def holds(self, value: Number) -> bool:
        return value < self.limit


def said(bounds: Sequence[Constraint]) -> str:
    """Return what a number within bounds is: `0 to 7`, `0 or more, below 8`."""
    match bounds:
        case [Ge(least), Le(most)]:
            return f"{least} to {most}"
        case _:
            pass
    return ", ".join(bound.words.format(bound.limit) for bound in bounds)


MOST_TICKS = 1 << 62
"""Bound of times in ticks and of counts, which are below it: 146 years of 1 ns. Differences of two
fit into 64 bits."""
Count = Annotated[int, Ge(0), Lt(MOST_TICKS)]
"""A number of things, or a time from a begin on in ticks."""
Signed = Annotated[int, Gt(-MOST_TICKS), Lt(MOST_TICKS)]
"""A time in ticks on either side of 0."""
Whole = Annotated[int, Ge(1), Lt(MOST_TICKS)]
"""A number of things of which there is at least one, or a length in ticks."""
Positive = Annotated[Fraction, Gt(0), Lt(MOST_TICKS)]
"""A time, a rate or a part that is above 0."""
NotNegative = Annotated[Fraction, Ge(0), Lt(MOST_TICKS)]
"""A time or a part that is 0 or more."""
Word = Annotated[int, Ge(0), Lt(1 << 64)]
"""A word of 64 bits."""
