# SPDX-License-Identifier: Apache-2.0
"""What bins leave open: every law that fits them lies within the bounds, and some reach them."""

import itertools
from fractions import Fraction
from statistics import mean, pvariance

import numpy as np
import pytest

from plexor.figures.analyse.analyse import Figures
from plexor.figures.analyse.bounds import AT_LIMIT, KNOWN, NO_EXTREMES, extreme
from plexor.figures.analyse.jitter import SlidingSpan
from plexor.figures.analyse.percentiles import OPEN_TICKS, from_cells
from plexor.figures.analyse.unknown import NOTHING
from plexor.model.results import Kind
from plexor.protocol.memory import VALUE_MOST


def figures(*cells, **known):
    """Return figures of (least, end, count) cells, of which nothing but the bins is known."""
    low, high, counts = (np.array(column, np.int64) for column in zip(*cells, strict=True))
    distribution = from_cells(low, high, counts)
    fields = {
        "kind": Kind.RISE,
        "count": distribution.total,
        "min_ticks": None,
        "max_ticks": None,
        "mean_ticks": None,
        "variance_ticks2": None,
        "max_index": None,
        "max_time_ticks": None,
        "distribution": distribution,
        "quantiles": (),
    }
    return Figures(**fields | known)


CELLS = [
    [(3, 6, 2), (8, 10, 1)],
    [(3, 4, 3)],
    [(0, 4, 2)],
    [(1, 3, 1), (3, 5, 1), (9, 12, 1)],
]


def laws(cells):
    """Return all values that samples in cells may have."""
    ways = [
        itertools.combinations_with_replacement(range(low, high), count)
        for low, high, count in cells
    ]
    return [list(itertools.chain(*way)) for way in itertools.product(*ways)]


FOUND = {
    "mean": lambda values: mean(map(Fraction, values)),
    "peak_to_peak": lambda values: Fraction(max(values) - min(values)),
}


@pytest.mark.parametrize("figure", FOUND)
@pytest.mark.parametrize("cells", CELLS)
def test_the_bounds_are_reached_and_nothing_lies_beyond(figure, cells):
    found = [FOUND[figure](values) for values in laws(cells)]
    known = KNOWN[figure](figures(*cells))
    assert (known.least, known.most) == (min(found), max(found))
    assert known.figure is None
    assert known.unknown.reason


@pytest.mark.parametrize("cells", CELLS)
def test_no_law_has_a_variance_beyond_what_its_span_tells(cells):
    found = [pvariance(map(Fraction, values)) for values in laws(cells)]
    known = KNOWN["rms"](figures(*cells))
    assert known.least <= min(found) <= max(found) <= known.most


def test_the_variance_of_a_known_span_is_reached_from_both_sides():
    # Four samples a span of 6 apart: least with two in the middle, most with two at each end.
    known = KNOWN["rms"](figures((0, 1, 2), (6, 7, 2), min_ticks=0, max_ticks=6))
    assert known.least == pvariance(map(Fraction, [0, 3, 3, 6]))
    assert known.most == pvariance(map(Fraction, [0, 0, 6, 6]))


@pytest.mark.parametrize("cells", CELLS)
def test_extremes_lie_in_the_first_and_the_last_cell(cells):
    found = laws(cells)
    for least, of in ((True, min), (False, max)):
        known = extreme(figures(*cells), least)
        ends = [of(values) for values in found]
        assert (known.least, known.most) == (min(ends), max(ends))
        assert known.unknown == NO_EXTREMES


def test_samples_below_0_may_be_as_low_as_any():
    found = figures((-1, 0, 1), (5, 6, 1))
    assert (extreme(found, True).least, extreme(found, True).most) == (None, -1)
    assert (KNOWN["peak_to_peak"](found).least, KNOWN["peak_to_peak"](found).most) == (6, None)
    assert (KNOWN["mean"](found).least, KNOWN["mean"](found).most) == (None, 2)
    assert KNOWN["rms"](found).most is None


def test_samples_at_the_end_of_the_range_may_be_as_great_as_any():
    found = figures((5, 6, 1), (VALUE_MOST, VALUE_MOST + 1, 1))
    assert (extreme(found, False).least, extreme(found, False).most) == (VALUE_MOST, None)
    assert KNOWN["peak_to_peak"](found).most is None
    mean_of_least = Fraction(5 + VALUE_MOST, 2)
    assert (KNOWN["mean"](found).least, KNOWN["mean"](found).most) == (mean_of_least, None)


def test_what_is_known_is_its_own_bounds():
    found = figures(
        (0, 64, 3),
        min_ticks=10,
        max_ticks=40,
        mean_ticks=Fraction(70, 3),
        variance_ticks2=Fraction(1400, 9),
    )
    assert extreme(found, True).least == extreme(found, True).most == 10
    for name, value in (("mean", Fraction(70, 3)), ("peak_to_peak", 30)):
        known = KNOWN[name](found)
        assert (known.least, known.most, known.figure, known.unknown) == (
            value,
            value,
            value,
            NOTHING,
        )
    square = KNOWN["rms"](found)
    assert square.least == square.most == Fraction(1400, 9)
    assert float(square.figure) == pytest.approx(12.472191)


@pytest.mark.parametrize("name", ["jitter128", "jitter128_max"])
@pytest.mark.parametrize(("count", "least", "most"), [(127, 20, None), (128, 0, 40)])
def test_128_samples_bound_the_span_of_128_and_fewer_only_from_below(name, count, least, most):
    # Cells 20 to 40 ticks apart, ends included.
    known = KNOWN[name](figures((0, 11, count - 1), (30, 41, 1)))
    assert (known.least, known.most) == (least, most)
    needs = "127 samples; jitter128 needs 128"
    assert known.unknown.line == (needs if count == 127 else "needs every event of the channel")


def test_a_full_window_tells_the_last_and_the_greatest_span():
    span = SlidingSpan(current_ticks=7, greatest_ticks=9, greatest_end=150, full=True)
    found = figures((0, 11, 200), span=span)
    assert KNOWN["jitter128"](found).figure == 7
    assert KNOWN["jitter128_max"](found).figure == 9


def test_a_span_whose_greatest_sample_is_at_the_limit_says_so_though_the_least_is_known():
    found = KNOWN["peak_to_peak"](figures((3, 4, 2), (VALUE_MOST, VALUE_MOST + 1, 1), min_ticks=3))
    assert (found.least, found.most, found.figure) == (VALUE_MOST - 3, None, None)
    assert found.unknown.reason


def test_why_a_mean_is_not_known_is_the_open_end_or_the_sum_that_did_not_come():
    assert KNOWN["mean"](figures((5, 6, 1), (9, 12, 2))).unknown.reason == "the sum is not known"
    assert KNOWN["mean"](figures((5, 6, 1), (VALUE_MOST, OPEN_TICKS, 1))).unknown == AT_LIMIT
