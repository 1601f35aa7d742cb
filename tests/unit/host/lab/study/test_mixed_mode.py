# SPDX-License-Identifier: Apache-2.0
"""The study's figures come back from the figures of a run, as it prints them."""

from fractions import Fraction

import pytest

from plexor_lab.mixed.compare import ratio_of
from plexor_lab.mixed.model import Limits
from plexor_lab.mixed.summary import moments_of, summary_of
from plexor_lab.study.mixed_mode import ROWS, replay_ps

from ..mixed.lists import run_of

# Mean in ms and variance as the study prints them, by the figure.
PRINTED = {
    8: ("0.0391", "0.004809"),
    9: ("14.465", "36.52"),
    11: ("0.0430", "0.000378"),
    12: ("0.04703", "0.001035"),
}
MS_PS = 10**9
COUNT = 1000


def digits(text):
    """Return the number of digits behind the point."""
    return len(text.partition(".")[2])


def figures():
    return {row.figure: moments_of(replay_ps(row, COUNT)) for row in ROWS}


def test_a_replayed_row_has_the_printed_mean_and_variance():
    assert {row.figure for row in ROWS} == {*PRINTED}
    for figure, found in figures().items():
        mean, variance = PRINTED[figure]
        assert found.mean_ticks == Fraction(mean) * MS_PS
        variance_ms2 = found.variance_ticks2 / MS_PS**2
        assert f"{float(variance_ms2):.{digits(variance)}f}" == variance
        assert found.count == COUNT
        assert found.min_ticks >= 0


def test_the_mixed_mean_is_336_4_times_below_the_conventional_one():
    found = figures()
    assert f"{float(ratio_of(found[11], found[9]).mean):.1f}" == "336.4"


def test_heavy_load_adds_9_4_percent_to_the_mean_and_2_74_times_to_the_variance():
    found = figures()
    ratio = ratio_of(found[11], found[12])
    assert f"{float(ratio.mean_change * 100):+.1f} %" == "+9.4 %"
    assert f"{float(ratio.variance):.2f}" == "2.74"


def test_the_spikes_of_a_replay_are_those_that_it_has():
    values = replay_ps(ROWS[0], COUNT)
    usual = min(values)
    wide = Limits(Fraction(MS_PS), Fraction(MS_PS), Fraction(0))
    found = summary_of(run_of(values, limits=wide), Fraction(5, 2))
    assert {spike.number for spike in found.spikes} == {
        number for number, value in enumerate(values) if value > usual
    }


@pytest.mark.parametrize("count", [0, -10, 15])
def test_a_count_without_a_tenth_is_refused(count):
    with pytest.raises(ValueError, match="multiple of 10"):
        replay_ps(ROWS[0], count)
