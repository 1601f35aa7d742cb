# SPDX-License-Identifier: Apache-2.0
"""Budgets: limits of figures, and what a run says of them.

A time on its limit passes, one tick beyond it fails; both sides are compared exactly. If a figure
is not known exactly (a percentile, a figure of bins), its bounds are compared: a limit is broken if
both bounds are beyond it, and kept if both are within it. Otherwise the verdict is TOO_FEW, never
PASS.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import numpy as np

from plexor.base.counts import counted
from plexor.base.figure_words import figure_word
from plexor.base.units import format_seconds, ticks_of
from plexor.figures.analyse.analyse import LATENCIES, ChannelFigures, Figures, Report
from plexor.figures.analyse.bounds import AT_LIMIT, KNOWN, FigureBounds, exact, extreme
from plexor.figures.analyse.pairing import AMBIGUOUS
from plexor.figures.analyse.percentiles import Quantile, least_count, quantile, quantile_name
from plexor.figures.analyse.tail import beyond
from plexor.figures.analyse.unknown import NOTHING, NotKnown
from plexor.figures.judge.verdict import Number, Outcome, Verdict, worst
from plexor.model.results import Kind
from plexor.protocol.memory import ResponseClass

COUNTS = {
    "missed": ResponseClass.MISSED,
    "late": ResponseClass.LATE,
    "duplicate": ResponseClass.DUPLICATE,
    "spurious": ResponseClass.SPURIOUS,
    "early": ResponseClass.EARLY,
}
TIMES = ("min", "max", "mean", "peak_to_peak", "rms", "jitter128", "jitter128_max")


_NO_SAMPLES = NotKnown("no samples", "a run in which it answers would tell")
_APART = NotKnown(AMBIGUOUS, "strikes further apart would tell")
SILENT = NotKnown("answered no strike", "a limit for this channel would say whether it must")
"""Why nothing is proven by a run with a channel that the budget does not name."""
NO_LIMIT = "no limit applies to this run"


class Scope(StrEnum):
    """Which channels a limit is for."""

    ALL = "all"
    STRUCK = "struck"  # channels with at least one strike
    FREE = "free"  # channels without: the device runs by itself
    CHANNEL = "channel"  # the one that is named


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit. `figure` is of COUNTS, of TIMES, or a quantile name such as `p99.9`.

    `most` is in seconds, or a number for COUNTS. For `min` it is the minimum. A goal is shown, but
    never breaks the budget.
    """

    scope: Scope
    figure: str
    most: Fraction
    kind: Kind = Kind.RISE
    q: Fraction | None = None
    channel: str = ""
    goal: bool = False

    @property
    def is_count(self) -> bool:
        """Whether it limits a number of strikes or edges, not a time."""
        return self.figure in COUNTS

    @property
    def label(self) -> str:
        """What people read for the figure, with its kind: `max seen`, `period max seen`."""
        word = figure_word(self.figure)
        return word if self.kind == Kind.RISE else f"{self.kind.value} {word}"

    @property
    def text(self) -> str:
        """The limit as text: `<= 100 µs`."""
        most = str(self.most) if self.is_count else format_seconds(self.most, 6)
        return f"{'≥' if self.figure == 'min' else '≤'} {most}"


@dataclass(frozen=True, slots=True)
class Budget:
    """A named set of limits."""

    title: str
    limits: tuple[Limit, ...]

    def check(self, names: list[str]) -> None:
        """Raise ValueError if it names a channel that the run does not have."""
        for limit in self.limits:
            if limit.channel and limit.channel not in names:
                raise ValueError(
                    f'budget {self.title}: channel "{limit.channel}" is not in this run; '
                    f"it has {', '.join(names) or 'none'}"
                )


@dataclass(frozen=True, slots=True)
class Check(Verdict):
    """One limit on one channel, and what was found there.

    `found` is in ticks, or the number for a count; None: there is none, or it is known only to be
    above `over_ticks`. Between `least` and `most`
    samples violate the limit; the two are equal if every sample is known. `first_sample` counts
    samples of this kind from 0, `first_index` is that of the event; None: not known.
    """

    channel: str
    limit: Limit
    found: Fraction | None = None
    violations: tuple[int, int] | None = None
    first_sample: int | None = None
    first_index: int | None = None
    over_ticks: Fraction | None = None

    @property
    def numbers(self) -> Mapping[str, Number | None]:
        """The limit in seconds, and what was found in ticks; of a count, both are numbers."""
        least, most = self.violations or (None, None)
        found, limit = ("found", "limit") if self.limit.is_count else ("found_ticks", "limit_s")
        return {
            limit: self.limit.most,
            found: self.found,
            "over_ticks": self.over_ticks,
            "violations_least": least,
            "violations_most": most,
        }

    @property
    def named(self) -> str:
        """The channel, the figure and its limit: `ISR max seen ≤ 100 µs`."""
        return f"{self.channel} {self.limit.label} {self.limit.text}"


@dataclass(frozen=True, slots=True)
class Judged(Verdict):
    """All checks of a budget on a run. Goals decide nothing."""

    budget: Budget
    checks: tuple[Check, ...]
    silent: tuple[str, ...] = ()
    """Channels that answered no strike, and of which the budget names none."""

    @property
    def numbers(self) -> Mapping[str, Number | None]:
        """How many checks there are, and how many of them are broken."""
        return {"checks": len(self.checks), "broken": len(self.broken)}

    @property
    def broken(self) -> tuple[Check, ...]:
        """The checks that broke the budget."""
        return tuple(
            check for check in self.checks if check.outcome == Outcome.FAIL and not check.limit.goal
        )


def judge(report: Report, budget: Budget) -> Judged:
    """Return the verdict of a budget on a run.

    Raises ValueError if the budget names a channel that the run does not have.
    """
    budget.check([channel.name for channel in report.channels])
    checks = [
        _check(channel, limit, report.result.tick_fs)
        for channel in report.channels
        for limit in _limits_of(channel, budget)
    ]
    named = {limit.channel for limit in budget.limits}
    silent = tuple(c.name for c in report.channels if c.silent and c.name not in named)
    return _all(budget, tuple(checks), silent)


def _all(budget: Budget, checks: tuple[Check, ...], silent: tuple[str, ...]) -> Judged:
    """Return the verdict of all checks.

    A silent channel proves nothing: a run on a wrong pin keeps every limit that it has.
    """
    limits = [check for check in checks if not check.limit.goal]
    outcome = worst(limits)
    decisive = [check for check in limits if check.outcome == outcome != Outcome.PASS]
    told = [f"{check.named}{f' ({check.reason})' if check.reason else ''}" for check in decisive]
    settles = [check.settles for check in decisive if check.settles]
    if outcome != Outcome.FAIL:
        told += [f"{name}: {SILENT.reason}" for name in silent]
        settles += [SILENT.settles] if silent else []
        told += [] if checks else [NO_LIMIT]
        outcome = Outcome.TOO_FEW if silent or not checks else outcome
    return Judged(
        budget,
        checks,
        silent,
        outcome=outcome,
        reason=", ".join(told),
        settles=", ".join(dict.fromkeys(settles)),
    )


def _limits_of(channel: ChannelFigures, budget: Budget) -> list[Limit]:
    """Return the limits of a channel; one for a narrower scope replaces one for a wider."""
    struck = Scope.STRUCK if channel.result.strikes else Scope.FREE
    chosen: dict[tuple[str, str, bool], Limit] = {}
    for scope in (Scope.ALL, struck, Scope.CHANNEL):
        for limit in budget.limits:
            if limit.scope == scope and limit.channel in ("", channel.name):
                chosen[limit.kind.value, limit.figure, limit.goal] = limit
    return list(chosen.values())


def _check(channel: ChannelFigures, limit: Limit, tick_fs: int) -> Check:
    if limit.is_count:
        count = channel.result.classes[COUNTS[limit.figure]]
        outcome = Outcome.PASS if count <= limit.most else Outcome.FAIL
        return Check(channel.name, limit, Fraction(count), (count, count), outcome=outcome)
    if not channel.paired and limit.kind in LATENCIES:
        return _told(channel, limit, Outcome.NOT_COMPARABLE, _APART)
    figures = channel.kinds.get(limit.kind)
    if figures is None or not figures.count:
        return _told(channel, limit, Outcome.TOO_FEW, _NO_SAMPLES)
    most = ticks_of(limit.most, tick_fs)
    if limit.q is not None:
        return _check_quantile(channel, limit, figures, most)
    if limit.figure in ("min", "max"):
        return _check_extreme(channel, limit, figures, most)
    known = KNOWN[limit.figure](figures)
    outcome = _place(known, most**2 if limit.figure == "rms" else most)
    unknown = known.unknown if known.figure is None or outcome == Outcome.TOO_FEW else NOTHING
    over = _over(known) if limit.figure != "rms" else None
    return _told(channel, limit, outcome, unknown, known.figure, over)


def _told(
    channel: ChannelFigures,
    limit: Limit,
    outcome: Outcome,
    unknown: NotKnown,
    found: Fraction | None = None,
    over_ticks: Fraction | None = None,
) -> Check:
    """Return a check with its reason and what would settle it."""
    return Check(
        channel.name,
        limit,
        found,
        over_ticks=over_ticks,
        outcome=outcome,
        reason=unknown.reason,
        settles=unknown.settles,
    )


def _over(known: FigureBounds) -> Fraction | None:
    """Return what a figure is above, of which no more is known; None for every other."""
    return known.least if known.figure is None and known.unknown == AT_LIMIT else None


def _place(known: FigureBounds, limit: Fraction, at_least: bool = False) -> Outcome:
    """Return on which side of a limit all possible values of a figure lie."""
    low, high = known.least, known.most
    if at_least:
        broken, kept = high is not None and high < limit, low is not None and low >= limit
    else:
        broken, kept = low is not None and low > limit, high is not None and high <= limit
    return Outcome.FAIL if broken else Outcome.PASS if kept else Outcome.TOO_FEW


def _check_extreme(
    channel: ChannelFigures, limit: Limit, figures: Figures, most: Fraction
) -> Check:
    least = limit.figure == "min"
    found = figures.min_ticks if least else figures.max_ticks
    if found is None:
        known = extreme(figures, least)
        outcome, over = _place(known, most, least), _over(known)
        unknown = known.unknown if outcome == Outcome.TOO_FEW or over is None else NOTHING
        return _told(channel, limit, outcome, unknown, None, over)
    broken = found < most if least else found > most
    if not broken:
        return Check(channel.name, limit, Fraction(found), (0, 0), outcome=Outcome.PASS)
    if figures.samples is not None:
        values = figures.samples.value_ticks
        # Whole ticks beyond a limit of a fraction of a tick.
        edge = -(-most.numerator // most.denominator) if least else most // 1
        wrong = np.flatnonzero(values < edge if least else values > edge)
        return Check(
            channel.name,
            limit,
            Fraction(found),
            (len(wrong), len(wrong)),
            first_sample=int(wrong[0]),
            first_index=int(figures.samples.index[wrong[0]]),
            outcome=Outcome.FAIL,
        )
    if least:
        ceiling = -(-most.numerator // most.denominator) - 1
        after = beyond(figures.distribution, ceiling)
        violations = (figures.count - after.most, figures.count - after.least)
    else:
        after = beyond(figures.distribution, most.numerator // most.denominator)
        violations = (after.least, after.most)
    violations = (max(violations[0], 1), max(violations[1], 1))
    return Check(channel.name, limit, Fraction(found), violations, outcome=Outcome.FAIL)


def _check_quantile(
    channel: ChannelFigures, limit: Limit, figures: Figures, most: Fraction
) -> Check:
    q = limit.q or Fraction(1, 2)
    found = quantile(figures.distribution, q)
    if found is None:
        return _told(channel, limit, Outcome.TOO_FEW, _NO_SAMPLES)
    known = FigureBounds(exact(found.lower_ticks), exact(found.upper_ticks))
    outcome, unknown = _place(known, most), NOTHING
    if outcome == Outcome.TOO_FEW:
        unknown = _between(found, most, figures.count)
    value, over = exact(found.value_ticks), exact(found.limit_ticks)
    return _told(channel, limit, outcome, unknown, value, over)


def _between(found: Quantile, most: Fraction, count: int) -> NotKnown:
    """Return why a quantile cannot be compared with a limit, and what would tell."""
    if not found.enough:
        needs = f"{quantile_name(found.q)} needs {least_count(found.q):,}"
        return NotKnown(counted(count, "sample"), needs)
    value = found.value_ticks
    if value is None or (found.enough and found.upper_ticks is None):
        return AT_LIMIT
    if value > most >= value - found.value_resolution_ticks + 1:
        ticks = found.value_resolution_ticks
        return NotKnown(
            f"the limit lies inside a bin of {ticks} ticks", "complete events are exact"
        )
    return NotKnown("the limit lies within the 95 % interval", "more samples make it narrower")
