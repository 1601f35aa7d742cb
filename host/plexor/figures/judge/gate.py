# SPDX-License-Identifier: Apache-2.0
"""Whether a change is too large: conditions, and what two runs say of them with a stated error.

A condition is broken where the interval of the change lies beyond its limit, kept where it lies
within, and between the two there are too few samples. The whole gate breaks for a device that has
not changed by more than its limits with a probability of at most ERROR: each of k figures has its
k-th part (Bonferroni). It passes for one that has with at most ERROR: a pass needs all of them, so
each has the whole.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from plexor.base.figure_words import figure_key
from plexor.base.meant import MEANT, nearest
from plexor.figures.analyse.unknown import NOTHING, NotKnown
from plexor.figures.judge.change_bounds import ExcessBounds, limit_of, share_bounds
from plexor.figures.judge.compare import (
    SATURATION,
    SHARES,
    TIMES,
    WITHOUT_LAW,
    Difference,
    OpenEnd,
    is_quantile,
)
from plexor.figures.judge.verdict import Number, Outcome, Verdict

ERROR = 0.05
UNSEEN = 0.001
"""A share that counts as 0 if neither run has such a strike."""
_MARGIN = Fraction(3, 2)
"""Intervals must be narrower than needed by this factor, or every second answer falls short."""
_MOST = 10**9
"""More samples than anybody takes."""


class By(StrEnum):
    """What a change is judged by."""

    INTERVAL = "interval"
    ESTIMATE = "estimate"


@dataclass(frozen=True, slots=True)
class FailOn:
    """What must not happen: a figure that changes by more than a part of what it was."""

    figure: str
    rises: bool
    part: Fraction

    @property
    def text(self) -> str:
        """As it is written: `p99.9>+5%`."""
        return f"{self.figure}{'>' if self.rises else '<'}{float(self.part * 100):+g}%"

    def breaks(self, before: Fraction, after: Fraction) -> bool:
        """Return whether a change is too large; from 0, any change in this direction is."""
        limit = limit_of(before, self.part)
        return after > limit if self.rises else after < limit


@dataclass(frozen=True, slots=True)
class Judgement(Verdict):
    """One condition on one figure, and what is known of its change, as a part of what was before.

    `least` and `most` are bounds at the condition's limit; None: none is known, or it was 0 before.
    """

    condition: FailOn
    difference: Difference
    least: float | None = None
    most: float | None = None
    fail_error: float = ERROR
    """Error of the bound that breaks it."""

    @property
    def numbers(self) -> Mapping[str, Number | None]:
        """The limit and the change, as parts of what was before, and the change's bounds."""
        return {
            "limit": self.condition.part,
            "change": self.difference.change,
            "least": self.least,
            "most": self.most,
        }


_FAIL_ON = re.compile(
    r"\s*(?P<figure>[A-Za-z0-9._-]+(?: [A-Za-z]+)*)\s*(?P<way>[<>])"
    r"\s*(?P<part>[+-]?\d+(\.\d+)?)%\s*"
)


_OTHER_WORDS = {"median": "p50", "average": "mean", "avg": "mean", "worst": "max", "best": "min"}
_NEARLY = re.compile(r"([A-Za-z_]+[0-9.]*)\s*([<>]?)=?\s*([+-]?\d+(?:\.\d+)?)\s*([^\s<>]*)")


def _meant(text: str) -> str:
    """Return which condition a text meant that is none; empty if that is not known."""
    if _known(figure_key(text).lower()):
        return f"{MEANT} {text.lower()}>+5%?"
    closed = "".join(text.split())
    if closed != text and _is_condition(closed):
        return f"{MEANT} {closed}?"
    match = _NEARLY.fullmatch(text)
    if match is None:
        return ""
    figure, way, number, unit = match.groups()
    if unit not in ("", "%"):
        return " is no change in percent; limits of times are checks of a budget"
    name = _OTHER_WORDS.get(figure.lower(), figure.lower())
    name = name if _known(name) else nearest(figure, (*TIMES, *SHARES, SATURATION))
    if name is None or Fraction(number) < -100:
        return ""
    return f"{MEANT} {name}{way or ('<' if number.startswith('-') else '>')}{number}%?"


def parse_fail_on(text: str) -> tuple[FailOn, ...]:
    """Return the conditions of `p99.9>+5%,missed>+10%,saturation<-2%`; raise ValueError."""
    found: list[FailOn] = []
    for part in text.split(","):
        match = _FAIL_ON.fullmatch(part)
        figure = figure_key(match["figure"]) if match is not None else ""
        if match is None or not _known(figure) or Fraction(match["part"]) < -100:
            figures = ", ".join((*TIMES, *SHARES, "p50 to p99.99", SATURATION))
            right = (
                f"; must be a figure ({figures}), < or > and a percentage of at least -100, such "
                "as p99.9>+5% or saturation<-2%"
            )
            raise ValueError(f"condition: {part.strip()!r}{_meant(part.strip()) or right}")
        found.append(FailOn(figure, match["way"] == ">", Fraction(match["part"]) / 100))
    return tuple(found)


def _is_condition(text: str) -> bool:
    match = _FAIL_ON.fullmatch(text)
    return match is not None and _known(match["figure"])


def _known(figure: str) -> bool:
    return figure in TIMES or figure in SHARES or figure == SATURATION or is_quantile(figure)


def judge(
    found: Sequence[Difference], conditions: Sequence[FailOn], by: By = By.INTERVAL
) -> tuple[Judgement, ...]:
    """Return a judgement of each condition on each figure to which it applies.

    Raises ValueError for a figure whose change cannot be judged by an interval.
    """
    for condition in conditions:
        if by == By.INTERVAL and condition.figure in WITHOUT_LAW:
            raise ValueError(
                f"{condition.text}: {condition.figure} comes from single samples, so the error of "
                "its change is not known; use a percentile such as p99.9, limit it in a budget, "
                "or judge estimates with --judge estimate"
            )
    pairs = [(c, entry) for c in conditions for entry in found if entry.figure == c.figure]
    each = ERROR / max(sum(entry.law is not None for _, entry in pairs), 1)
    return tuple(
        _by_estimate(condition, entry)
        if by == By.ESTIMATE or entry.before is None or entry.after is None
        else _settled(_by_interval(condition, entry, each))
        for condition, entry in pairs
    )


def _settled(judgement: Judgement) -> Judgement:
    """Return a judgement with the number of samples that would settle it."""
    if judgement.outcome != Outcome.TOO_FEW or judgement.settles:
        return judgement
    found = needed(judgement)
    if found is None:
        if judgement.reason:
            return judgement
        return replace(judgement, reason="no number of samples can distinguish it from its limit")
    what = "strikes" if judgement.difference.unit == "share" else "samples"
    about = "at least" if found.at_least else "about"
    return replace(judgement, settles=f"needs {about} {found.count:,} {what} in each run")


def _told(
    condition: FailOn, entry: Difference, outcome: Outcome, unknown: NotKnown = NOTHING
) -> Judgement:
    """Return a judgement with its reason and what would settle it."""
    reason, settles = unknown
    return Judgement(condition, entry, outcome=outcome, reason=reason, settles=settles)


def _by_estimate(condition: FailOn, entry: Difference) -> Judgement:
    if entry.reason:
        return _told(condition, entry, Outcome.NOT_COMPARABLE, NotKnown(entry.reason))
    if entry.before is None or entry.after is None:
        run = "A" if entry.before is None else entry.side or "B"
        return _told(condition, entry, Outcome.TOO_FEW, NotKnown(f"{run} has no samples"))
    if entry.before_bound or entry.after_bound:
        return _by_bound(condition, entry)
    broken = condition.breaks(entry.before, entry.after)
    return _told(condition, entry, Outcome.FAIL if broken else Outcome.PASS)


def _by_bound(condition: FailOn, entry: Difference) -> Judgement:
    """Return what is known of a figure that lies above or below its value."""
    ends = entry.change_ends if condition.rises else entry.change_ends[::-1]
    sure, at_worst = ends
    if sure is not None and _beyond(condition, sure):
        outcome = Outcome.FAIL
    elif at_worst is not None and not _beyond(condition, at_worst):
        outcome = Outcome.PASS
    else:
        return _told(condition, entry, Outcome.TOO_FEW, _further(entry))
    return _told(condition, entry, outcome)


def _beyond(condition: FailOn, change: Fraction) -> bool:
    return change > condition.part if condition.rises else change < condition.part


def _by_interval(condition: FailOn, entry: Difference, fail_error: float) -> Judgement:
    law, before, after = entry.law, entry.before or Fraction(0), entry.after or Fraction(0)
    if law is None:
        return _told(condition, entry, Outcome.TOO_FEW, NotKnown("its sums are not known"))
    if entry.figure in SHARES and law.counts is not None and not before and not after:
        return _none(condition, entry, min(law.counts))
    errors = (fail_error, ERROR) if condition.rises else (ERROR, fail_error)
    bounds = law.excess(condition.part, *errors)
    outcome = _place(bounds, condition.rises)
    least, most = (
        None if end is None or before <= 0 else float(condition.part + end / before)
        for end in (bounds.least, bounds.most)
    )
    if entry.before_bound == OpenEnd.BELOW:
        most = None  # of a part of anything down to 0
    unknown = NOTHING
    if outcome == Outcome.TOO_FEW and law.counts is None:
        bound = entry.before_bound or entry.after_bound
        unknown = _further(entry) if bound else _narrower(condition.part)
    reason, settles = unknown
    return Judgement(
        condition, entry, least, most, fail_error, outcome=outcome, reason=reason, settles=settles
    )


def _none(condition: FailOn, entry: Difference, strikes: int) -> Judgement:
    """Return the judgement if neither run has a strike of a class: 0 has no relative change."""
    unseen = share_bounds(0, strikes, ERROR)[1] if strikes else 1.0
    reason = NotKnown(f"none in either run, which any share of up to {unseen:.2%} explains")
    if unseen <= UNSEEN:
        return _told(condition, entry, Outcome.PASS, reason)
    return _told(condition, entry, Outcome.TOO_FEW, reason)


def _place(bounds: ExcessBounds, rises: bool) -> Outcome:
    """Return on which side of 0 an excess surely lies; 0 itself is within."""
    least, most = bounds.least, bounds.most
    if not rises:
        least, most = (None if end is None else -end for end in (most, least))
    if least is not None and least > 0:
        return Outcome.FAIL
    return Outcome.PASS if most is not None and most <= 0 else Outcome.TOO_FEW


@dataclass(frozen=True, slots=True)
class Needed:
    """Samples (of a share: strikes) of each run that would most often tell."""

    count: int
    at_least: bool
    """Whether what there is bounds nothing yet: more than `count` may be needed."""


def needed(judgement: Judgement) -> Needed | None:
    """Return how many samples are needed if there are too few; None: no number is enough.

    As many as tell no change from one at the limit: with them half the interval, by the samples
    that there are, is as wide as from no change to the limit, with some to spare. Where the limit
    is no change, as from it to the estimate. Where there are as many already, as from the limit to
    the estimate, by the square root of the samples.
    """
    entry, condition = judgement.difference, judgement.condition
    law, before, after = entry.law, entry.before, entry.after
    if law is None or law.counts is None or before is None or after is None:
        return None
    if not before and not after:
        return Needed(_rounded(math.log(ERROR) / math.log1p(-UNSEEN)), True)
    limit = limit_of(before, condition.part)
    reach = abs(limit - before) or abs(after - before)
    error = judgement.fail_error

    def half(times: int) -> float | None:
        errors = (error, ERROR) if condition.rises else (ERROR, error)
        bounds = law.excess(condition.part, *errors, times)
        if bounds.least is None or bounds.most is None:
            return None
        return float((bounds.most - bounds.least) / 2 * _MARGIN)

    def enough(times: int) -> bool:
        found = half(times)
        return found is not None and found <= reach

    together = 2 / (1 / law.counts[0] + 1 / law.counts[1])
    now = half(1)
    if now is not None and now <= reach:
        if after == limit:
            return None
        times = max((now / abs(limit - after)) ** 2, _MARGIN)
        return Needed(_rounded(times * together), False) if times * together < _MOST else None
    low, high = 1, 2
    while not enough(high):
        low, high = high, high * 2
        if not reach or high * together > _MOST:
            return None
    while high - low > max(high // 16, 1):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    least = law.least_count(error)
    return Needed(_rounded(max(high * together, least)), min(law.counts) < least)


def _rounded(count: float) -> int:
    """Return the number rounded up to two digits."""
    digits = max(math.floor(math.log10(max(count, 1))) - 1, 0)
    return math.ceil(count / 10**digits) * 10**digits


def _further(entry: Difference) -> NotKnown:
    """Return which rates a sweep must try to find a frequency that it has only bounded."""
    if OpenEnd.ABOVE in (entry.before_bound, entry.after_bound):
        return NotKnown("no rate failed", "sweep up to a higher rate with --to")
    return NotKnown("no rate passed", "sweep from a lower rate with --from")


def _narrower(part: Fraction) -> NotKnown:
    """Return of what width brackets tell a knee that has not moved from one at the limit."""
    width = 1 / (1 + part) - 1 if -1 < part < 0 else max(part, Fraction(0))
    if not width:
        return NotKnown("brackets cannot prove that there is no change at all")
    percent = math.floor(width * 1000) / 10
    option = f"plexor sweep --resolution {percent:g}%"
    settles = f"they must be {percent:g} % or narrower: {option}"
    return NotKnown("the brackets are too wide", settles)
