# SPDX-License-Identifier: Apache-2.0
"""Criteria for a rate that a device sustains, and how a step's figures meet them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from plexor.base.units import format_seconds, parse_duration, parse_part, ticks_of
from plexor.experiments.decide import StagedTest, first_strikes
from plexor.experiments.step import RateFigures
from plexor.figures.judge.verdict import Outcome, Verdict
from plexor.protocol.memory import ResponseClass

DEFAULT_SHARE = Fraction(1, 1000)
DEFAULT_CONFIDENCE = Fraction(95, 100)
_MORE = "a limit further from its share would tell, or less confidence"


class CriterionSubject(StrEnum):
    """What a criterion limits."""

    MISSED = "missed"  # strikes without a response in time
    LATE = "late"  # strikes answered after the deadline, or missed
    LATENCY = "latency"  # strikes answered after the criterion's own deadline, or missed
    DUPLICATE = "duplicate"  # second responses, per strike
    SPURIOUS = "spurious"  # responses without a strike, per strike
    JITTER = "jitter"  # maximum minus minimum latency
    JITTER_RMS = "jitter-rms"
    JITTER_128 = "jitter128"  # span of the last 128


_BAD: Mapping[CriterionSubject, tuple[ResponseClass, ...]] = {
    CriterionSubject.MISSED: (ResponseClass.MISSED,),
    CriterionSubject.LATE: (ResponseClass.LATE, ResponseClass.MISSED),
    CriterionSubject.LATENCY: (ResponseClass.LATE, ResponseClass.MISSED),
    CriterionSubject.DUPLICATE: (ResponseClass.DUPLICATE,),
    CriterionSubject.SPURIOUS: (ResponseClass.SPURIOUS,),
}


@dataclass(frozen=True, slots=True)
class Criterion:
    """One limit: fewer than a `share` of bad strikes, or a jitter of at most `most_s`."""

    what: CriterionSubject
    share: Fraction = DEFAULT_SHARE
    confidence: Fraction = DEFAULT_CONFIDENCE
    most_s: Fraction | None = None
    """Limit of latency and jitters."""

    @property
    def text(self) -> str:
        """As it is written: `missed<0.1%@95%`."""
        sure = f"{_percent(self.share)}@{_percent(self.confidence)}"
        if self.most_s is None:
            return f"{self.what}<{sure}"
        return f"{self.what}<={format_seconds(self.most_s)}:{sure}"

    def bad(self, figures: RateFigures) -> int:
        """Return how many strikes were bad."""
        return sum(figures.classes[entry] for entry in _BAD.get(self.what, ()))

    def test(self, first: int = 0) -> StagedTest:
        """Return its test, of whose stages the first has `first` strikes or more."""
        # Imported here so that --help and wrong options answer at once.
        from plexor.experiments.stage_bounds import plan_test  # noqa: PLC0415

        return plan_test(self.share, self.confidence, first)


DEFAULT = Criterion(CriterionSubject.MISSED)

_CRITERION = re.compile(
    r"(?P<what>[a-z0-9-]+)<=?(?P<limit>[^:@]+)(:(?P<share>[^@]+))?(@(?P<c>.+))?"
)
_TIMED = (
    CriterionSubject.LATENCY,
    CriterionSubject.JITTER,
    CriterionSubject.JITTER_RMS,
    CriterionSubject.JITTER_128,
)


def parse_criterion(text: str) -> Criterion:
    """Return the criterion of `missed<0.1%@95%`, `latency<50us:1%` or `jitter<10us`.

    A time holds for all but a share of the strikes. Raises ValueError that says what would be
    right.
    """
    match = _CRITERION.fullmatch(text.replace(" ", ""))
    if match is None or match["what"] not in set(CriterionSubject):
        raise ValueError(
            f"criterion: {text!r}; must be {', '.join(CriterionSubject)} with < and its limit, "
            "such as missed<0.1%@95%, latency<50us:0.1% or jitter<10us"
        )
    what = CriterionSubject(match["what"])
    confidence = DEFAULT_CONFIDENCE if match["c"] is None else _part(match["c"], text)
    if what in _TIMED:
        share = DEFAULT_SHARE if match["share"] is None else _part(match["share"], text)
        return Criterion(what, share, confidence, parse_duration(match["limit"]))
    if match["share"] is not None:
        raise ValueError(f"criterion: {text!r}; {what} has one limit, such as {what}<0.1%")
    return Criterion(what, _part(match["limit"], text), confidence)


def _part(text: str, whole: str) -> Fraction:
    try:
        value = parse_part(text)
    except ValueError:
        value = Fraction(0)
    if not 0 < value < 1:
        raise ValueError(f"criterion: {whole!r}: {text}; must be a share, such as 0.1% or 1e-3")
    return value


def _percent(part: Fraction) -> str:
    return f"{float(part * 100):g}%"


def stage_strikes(criteria: Sequence[Criterion], least: int) -> int:
    """Return the strikes of a first stage that lets each criterion pass."""
    return max(least, *(first_strikes(entry.share, entry.confidence) for entry in criteria))


def judge(
    criteria: Sequence[Criterion], figures: RateFigures, stage: int, first: int, tick_fs: int
) -> Verdict:
    """Return the verdict on the figures of all stages up to `stage`; its reason is a criterion.

    A device passes when it passes all criteria and does not fall behind; one that fails is enough.
    """
    outcomes = [(_outcome(entry, figures, stage, first, tick_fs), entry.text) for entry in criteria]
    if figures.falls_behind:
        outcomes.append((Outcome.FAIL, "falls behind"))
    for outcome, settles in ((Outcome.FAIL, ""), (Outcome.TOO_FEW, _MORE)):
        text = next((text for one, text in outcomes if one == outcome), None)
        if text is not None:
            return Verdict(outcome=outcome, reason=text, settles=settles)
    return Verdict(outcome=Outcome.PASS)


def _outcome(
    criterion: Criterion, figures: RateFigures, stage: int, first: int, tick_fs: int
) -> Outcome:
    if criterion.what not in _TIMED or criterion.what == CriterionSubject.LATENCY:
        test, bad = criterion.test(first), criterion.bad(figures)
        doubtful = figures.behind if ResponseClass.MISSED in _BAD[criterion.what] else 0
        if figures.shifted and ResponseClass.LATE in _BAD[criterion.what]:
            # Behind a strike that is missing every response may seem late, and be in time.
            late = figures.classes[ResponseClass.LATE]
            bad, doubtful = bad - late, doubtful + late
        return test.outcome(stage, figures.strikes, bad, doubtful)
    if figures.shifted:
        # A strike is missing, and which latencies the others have is not known.
        return Outcome.FAIL
    assert criterion.most_s is not None
    value = {
        CriterionSubject.JITTER: figures.peak_to_peak_ticks,
        CriterionSubject.JITTER_RMS: figures.rms_ticks,
        CriterionSubject.JITTER_128: figures.jitter128_ticks,
    }[criterion.what]
    if value is not None and value > ticks_of(criterion.most_s, tick_fs):
        return Outcome.FAIL
    return Outcome.PASS if value is not None else Outcome.TOO_FEW
