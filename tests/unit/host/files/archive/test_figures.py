# SPDX-License-Identifier: Apache-2.0
"""Figures of archived runs, worked out from their columns."""

from fractions import Fraction

import pytest

from plexor.figures.analyse.percentiles import from_values, quantile
from plexor.files.archive.figures import parse_figure

NS_FS = 10**6


@pytest.mark.parametrize(
    ("name", "cells", "value"),
    [
        ("min", [1000], 1e-6),
        ("max", [2500], 2.5e-6),
        ("mean", [3001, 2], 1.5005e-6),
        ("peak_to_peak", [2500, 1000], 1.5e-6),
        ("p99", [1234], 1.234e-6),
        ("missed", [3, 400], 3 / 400),
        ("late", [0, 400], 0.0),
    ],
)
def test_a_figure_is_in_seconds_or_a_share(name, cells, value):
    figure = parse_figure(name)
    assert len(figure.columns) == len(cells)
    assert figure.value(cells, NS_FS) == pytest.approx(value, rel=1e-12)
    assert figure.unit == ("share" if name in ("missed", "late") else "s")


def test_what_is_not_known_has_no_value():
    assert parse_figure("max").value([None], NS_FS) is None
    assert parse_figure("mean").value([None, 0], NS_FS) is None
    assert parse_figure("missed").value([0, 0], NS_FS) is None


@pytest.mark.parametrize("percent", ["75", "99.5", "10", "99.95"])
def test_any_percentile_is_found_in_the_histogram(percent):
    values = [(n * 7919) % 5003 for n in range(4000)]
    known = from_values(values)
    cells = [known.low_ticks.tolist(), [1] * len(known.counts), known.counts.tolist()]
    q = Fraction(percent) / 100
    own = sorted(values)[-(-len(values) * q.numerator // q.denominator) - 1]
    found = parse_figure(f"p{percent}").value(cells, NS_FS)
    if quantile(known, q).enough:
        assert found == pytest.approx(own * 1e-9)
    else:
        assert (found, percent) == (None, "99.95")


def test_a_percentile_of_too_few_samples_is_not_known():
    # p75 has an upper bound from 13 samples on: 0.75**13 < 0.025.
    for count, known in ((12, False), (13, True)):
        cells = [[5], [2], [count]]
        assert (parse_figure("p75").value(cells, NS_FS) is not None) == known
    assert parse_figure("p75").value([[5], [2], [13]], NS_FS) == pytest.approx(6e-9)
    assert parse_figure("p75").value([[], [], []], NS_FS) is None


def test_stored_percentiles_have_columns_of_their_own():
    assert parse_figure("p99.9").columns == ("p99_9_ticks",)
    assert parse_figure("p50.0").columns == ("p50_ticks",)
    assert parse_figure("p75").columns == ("low_ticks", "width_ticks", "counts")


@pytest.mark.parametrize("name", ["", "p0", "p100", "median", "max; DROP TABLE files", "strikes"])
def test_other_names_are_refused_with_those_that_are_right(name):
    with pytest.raises(ValueError, match="must be one of min, mean, max"):
        parse_figure(name)
