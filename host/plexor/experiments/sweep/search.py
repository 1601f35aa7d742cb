# SPDX-License-Identifier: Apache-2.0
"""Finds where a device saturates from verdicts: a scan, then bisection. Pure: no run, no clock."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from fractions import Fraction

from plexor.experiments.rates import between
from plexor.experiments.sweep.model import Bracket
from plexor.figures.judge.verdict import Outcome


def scan_bracket(verdicts: Mapping[Fraction, Outcome]) -> Bracket:
    """Return the lowest rate of a scan that fails, and the highest below it that passes."""
    beyond = min(
        (rate for rate in verdicts if verdicts[rate] == Outcome.NOT_COMPARABLE), default=None
    )
    rates = sorted(rate for rate in verdicts if beyond is None or rate < beyond)
    failing = next((rate for rate in rates if verdicts[rate] == Outcome.FAIL), None)
    below = [rate for rate in rates if failing is None or rate < failing]
    passing = max((rate for rate in below if verdicts[rate] == Outcome.PASS), default=None)
    return Bracket(
        passing,
        failing,
        tuple(
            rate
            for rate in below
            if verdicts[rate] == Outcome.TOO_FEW and (passing is None or rate > passing)
        ),
        tuple(
            rate
            for rate in rates
            if failing is not None and rate > failing and verdicts[rate] == Outcome.PASS
        ),
        beyond if failing is None else None,
    )


def bisect(
    scan: Bracket, width: Fraction, *, untried: bool = False
) -> Generator[Fraction, Outcome, Bracket]:
    """Yield rates to try between the ends of a scan's bracket, and return the narrowed one.

    Ends when failing <= passing x (1 + width), or when only rates at which the test cannot decide
    are left: then each gap on their two sides is at most the width. Where the instrument's end is
    the upper one, it is narrowed alike until a rate below it fails. `untried`: that end is known
    without a run, so it is the first rate to try.
    """
    passing, failing, instrument = scan.passing_hz, scan.failing_hz, scan.instrument_hz
    undecided = list(scan.undecided_hz)
    upper = instrument if failing is None else failing
    if passing is None or upper is None:
        return scan
    while upper / passing > 1 + width or (untried and upper > passing):
        gaps = [(passing, upper)]
        if undecided:
            gaps = [(passing, min(undecided)), (max(undecided), upper)]
        low, high = max(gaps, key=lambda gap: gap[1] / gap[0])
        rate = upper if untried else between(low, high)
        if not untried and (high / low <= 1 + width or rate in (low, high)):
            break
        untried = False
        verdict = yield rate
        if verdict == Outcome.PASS:
            passing = rate
        elif verdict == Outcome.FAIL:
            failing = upper = rate
        elif verdict == Outcome.NOT_COMPARABLE:
            instrument = upper = rate
        else:
            undecided.append(rate)
        undecided = [entry for entry in undecided if passing < entry < upper]
    return Bracket(
        passing,
        failing,
        tuple(sorted(undecided)),
        scan.passing_above_hz,
        instrument if failing is None else None,
    )
