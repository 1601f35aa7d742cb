"""Bounds of numbers, said in their types: `Annotated[int, Ge(0)]`. Documents are checked so."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, ClassVar

Number = int | float


@dataclass(frozen=True, slots=True)
class Bound(ABC):
    """One bound of a number or a fraction."""

    limit: Number
    keyword: ClassVar[str]
    """The keyword of JSON Schema for it."""
    words: ClassVar[str]

    @abstractmethod
    def holds(self, value: Number) -> bool:
        """Return whether a value keeps it."""


class Ge(Bound):
    """Greater than the limit, or equal."""

    __slots__ = ()
    keyword, words = "minimum", "{} or more"

    def holds(self, value: Number) -> bool:
        return value >= self.limit


class Gt(Bound):
    """Greater than the limit."""

    __slots__ = ()
    keyword, words = "exclusiveMinimum", "above {}"

    def holds(self, value: Number) -> bool:
        return value > self.limit


class Le(Bound):
    """Less than the limit, or equal."""

    __slots__ = ()
    keyword, words = "maximum", "at most {}"

    def holds(self, value: Number) -> bool:
        return value <= self.limit


class Lt(Bound):
    """Less than the limit."""

    __slots__ = ()
    keyword, words = "exclusiveMaximum", "below {}"

    def holds(self, value: Number) -> bool:
        return value < self.limit


def said(bounds: Iterable[Bound]) -> str:
    """Return what a number within bounds is: `0 or more, below 8`."""
    return ", ".join(bound.words.format(bound.limit) for bound in bounds)


MOST_TICKS = 1 << 62
"""Bound of times in ticks and of counts: both are below it."""
Count = Annotated[int, Ge(0), Lt(MOST_TICKS)]
"""A number of things, or a time from a begin on in ticks."""
Signed = Annotated[int, Gt(-MOST_TICKS), Lt(MOST_TICKS)]
"""A time in ticks on either side of 0."""
Word = Annotated[int, Ge(0), Lt(1 << 64)]
"""A word of 64 bits."""
