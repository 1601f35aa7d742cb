# SPDX-License-Identifier: Apache-2.0
"""The verdict: whether something holds, why, by which numbers, and what would settle what is open.

Budgets, gates, criteria, estimates and trends give it of what they judge. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

from plexor.figures.analyse.unknown import NotKnown

Number = Fraction | float | int


class Outcome(StrEnum):
    """What is known."""

    PASS = "pass"
    FAIL = "fail"
    TOO_FEW = "too few"  # samples, strikes or runs to tell
    NOT_COMPARABLE = "not comparable"  # what there is says nothing of it, however much there is

    @classmethod
    def _missing_(cls, value: object) -> Outcome | None:
        return _OLD.get(value) if isinstance(value, str) else None


_OLD = {
    **dict.fromkeys(("kept", "safe"), Outcome.PASS),
    **dict.fromkeys(("broken", "unsafe"), Outcome.FAIL),
    **dict.fromkeys(("insufficient", "undecided", "not proven"), Outcome.TOO_FEW),
    "beyond": Outcome.NOT_COMPARABLE,
}
"""The words of documents from before all verdicts had the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is known of one thing that is judged."""

    outcome: Outcome
    reason: str = ""
    """What decided it, or left it open; empty where the numbers say all."""
    settles: str = ""
    """What would settle it; empty if nothing is open, or nothing would."""

    @property
    def numbers(self) -> Mapping[str, Number | None]:
        """The numbers that it is by, each with its unit in the name; None: not known."""
        return {}

    @property
    def line(self) -> str:
        """The reason and what would settle it, in one line."""
        return NotKnown(self.reason, self.settles).line

    def document(self) -> dict[str, Any]:
        """Return it in JSON's types, as every document has it."""
        return {
            "outcome": self.outcome.value,
            "reason": self.reason,
            "settles": self.settles,
            "numbers": {
                name: float(number) if isinstance(number, Fraction) else number
                for name, number in self.numbers.items()
            },
        }


def worst(verdicts: Iterable[Verdict]) -> Outcome:
    """Return FAIL if one is, else TOO_FEW or NOT_COMPARABLE if one is, else PASS."""
    outcomes = {verdict.outcome for verdict in verdicts}
    order = (Outcome.FAIL, Outcome.TOO_FEW, Outcome.NOT_COMPARABLE)
    return next((outcome for outcome in order if outcome in outcomes), Outcome.PASS)
