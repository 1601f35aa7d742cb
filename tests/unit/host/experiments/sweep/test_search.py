# SPDX-License-Identifier: Apache-2.0
"""The search finds what was planted, and says what it could not find."""

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from plexor.experiments.rates import scan_rates
from plexor.experiments.sweep.model import Bracket
from plexor.experiments.sweep.search import bisect, scan_bracket
from plexor.figures.judge.verdict import Outcome

PASS, FAIL, UNDECIDED = Outcome.PASS, Outcome.FAIL, Outcome.TOO_FEW
BEYOND = Outcome.NOT_COMPARABLE


def found(judge, low=Fraction(1000), high=Fraction(100_000), width=Fraction(1, 100), points=9):
    """Return the bracket of a device that `judge` says all of, and the rates tried after a scan."""
    scan = {rate: judge(rate) for rate in scan_rates(low, high, points)}
    search, tried = bisect(scan_bracket(scan), width), []
    try:
        rate = next(search)
        while True:
            tried.append(rate)
            rate = search.send(judge(rate))
    except StopIteration as end:
        return end.value, tried


@given(
    knee=st.floats(1001, 99_999),
    width=st.sampled_from([Fraction(1, 1000), Fraction(1, 100), Fraction(1, 10)]),
    points=st.integers(2, 30),
)
def test_the_bracket_holds_the_knee_and_is_as_narrow_as_asked(knee, width, points):
    bracket, tried = found(lambda rate: PASS if rate <= knee else FAIL, width=width, points=points)
    assert bracket.passing_hz <= knee < bracket.failing_hz
    assert bracket.failing_hz / bracket.passing_hz - 1 <= width
    assert bracket.monotonic
    gap = math.log(100) / (points - 1)
    assert len(tried) <= math.ceil(math.log2(max(gap / math.log1p(float(width)), 1))) + 1


@given(low=st.floats(1001, 99_000), part=st.floats(0.0001, 0.3))
def test_beside_rates_that_cannot_be_decided_each_gap_is_at_most_the_width(low, part):
    high = low * (1 + part)

    def judge(rate):
        return PASS if rate < low else FAIL if rate > high else UNDECIDED

    bracket, tried = found(judge)
    assert bracket.passing_hz is None or bracket.passing_hz < low
    assert bracket.failing_hz is None or bracket.failing_hz > high
    if bracket.width is not None:
        assert 1 + bracket.width <= (1 + part) * 1.01**2 or bracket.width <= 0.01
        assert all(low <= rate <= high for rate in bracket.undecided_hz)
    assert len(tried) < 24


def test_ends_that_hold_no_knee_are_said():
    bracket, tried = found(lambda rate: PASS)
    assert (bracket.passing_hz, bracket.failing_hz, tried) == (100_000, None, [])
    bracket, tried = found(lambda rate: FAIL)
    assert (bracket.passing_hz, bracket.failing_hz, tried) == (None, 1000, [])
    bracket, tried = found(lambda rate: UNDECIDED)
    assert (bracket.passing_hz, bracket.failing_hz, tried) == (None, None, [])
    assert bracket.width is None


def test_a_device_that_recovers_above_its_knee_is_told_from_a_monotonic_one():
    bracket, _ = found(lambda rate: FAIL if 5000 < rate < 20_000 else PASS)
    assert not bracket.monotonic
    assert bracket.passing_hz <= 5000 < bracket.failing_hz
    assert all(rate >= 20_000 for rate in bracket.passing_above_hz)


def test_the_lowest_failing_rate_counts_even_where_one_above_passes():
    scan = {Fraction(n): verdict for n, verdict in ((1, PASS), (2, FAIL), (3, PASS), (4, FAIL))}
    assert scan_bracket(scan) == Bracket(Fraction(1), Fraction(2), (), (Fraction(3),))


def carried(knee, end):
    """Return the verdicts of a device at an instrument that carries no more than `end`."""
    return lambda rate: BEYOND if rate > end else PASS if rate <= knee else FAIL


@given(knee=st.floats(1001, 49_000), end=st.floats(50_000, 99_000))
def test_a_knee_below_the_instruments_end_is_found_as_without_it(knee, end):
    bracket, _ = found(carried(knee, end), points=2)
    assert bracket.passing_hz <= knee < bracket.failing_hz
    assert bracket.width <= 0.01
    assert bracket.instrument_hz is None


@given(end=st.floats(1001, 99_000))
def test_an_end_of_the_instrument_below_the_knee_is_a_bound_of_its_own(end):
    bracket, tried = found(carried(10**6, end))
    assert bracket.failing_hz is None
    assert bracket.passing_hz <= end < bracket.instrument_hz
    assert bracket.instrument_hz / bracket.passing_hz <= Fraction(101, 100)
    assert len(tried) < 14


def test_an_end_that_is_known_is_tried_first_and_is_the_bound_where_it_passes():
    end = Fraction(43_000)
    scan = Bracket(Fraction(10_000), None, instrument_hz=end)
    for knee, outcome in ((10**6, (end, None, end)), (42_000, None)):
        search = bisect(scan, Fraction(1, 100), untried=True)
        tried = [next(search)]
        try:
            while True:
                tried.append(search.send(carried(knee, end)(tried[-1])))
        except StopIteration as stopped:
            bracket = stopped.value
        assert tried[0] == end
        if outcome is not None:
            assert tried == [end]
            ends = bracket.passing_hz, bracket.failing_hz, bracket.instrument_hz
            assert ends == outcome
        else:
            assert bracket.passing_hz <= knee < bracket.failing_hz
            assert bracket.instrument_hz is None


def test_rates_at_and_above_the_instruments_end_say_nothing_of_the_device():
    rates = [Fraction(n) for n in (1000, 2000, 3000, 4000)]
    verdicts = dict(zip(rates, (PASS, BEYOND, FAIL, PASS), strict=True))
    assert scan_bracket(verdicts) == Bracket(rates[0], None, instrument_hz=rates[1])
    verdicts = dict(zip(rates, (PASS, FAIL, BEYOND, PASS), strict=True))
    assert scan_bracket(verdicts) == Bracket(rates[0], rates[1])
