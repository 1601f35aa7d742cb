# SPDX-License-Identifier: Apache-2.0
"""Corrected figures as text: in ps or ns, with what corrected them and what was not."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from plexor.figures.analyse.analyse import analyse
from plexor.model.calibration import ChannelInstants, Instants, PadDelay
from plexor.show.corrected import bound, calibration_lines, corrected_rows, picoseconds

from ..figures.analyse.test_corrected_figures import CALIBRATION, LATENCIES


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 ps"),
        (999, "999 ps"),
        (-999, "-999 ps"),
        (1000, "1.000 ns"),
        (12_345, "12.345 ns"),
        (-12_005, "-12.005 ns"),
        (1_234_567_890, "1,234,567.890 ns"),
        (Fraction(4001, 2), "2.000 ns"),
        (Fraction(4003, 2), "2.002 ns"),
    ],
)
def test_picoseconds_are_ns_from_a_thousand_on_to_three_places(value, text):
    assert picoseconds(value) == text


def test_each_corrected_channel_has_a_row_with_its_extremes(run_of):
    report = analyse(run_of(LATENCIES, calibration=CALIBRATION), columns=("variance",))
    head, rows = corrected_rows(report)
    assert [row[0][0] for row in rows] == ["ISR", "TASK"]
    rise = next(iter(report.corrected[0].kinds.values()))
    cells = dict(zip(head, rows[0], strict=True))
    assert cells["n"] == ("40", "")
    assert cells["RMS"][0] == picoseconds(float(np.std(rise.values_ps)))
    assert cells["variance"][0] == f"{np.var(rise.values_ps) / 10**6:,.3f} ns²"
    for name, value in (("min", rise.values_ps.min()), ("max seen", rise.values_ps.max())):
        assert cells[name] == (f"{value / 1000:,.1f} ns", "± 6.0 ns")
    # 40 samples have no upper bound of a 99th percentile: 0.99**n <= 0.025 from 367 on.
    assert cells["p99"] == ("too few", "needs 368")
    assert rows[0][0][1].startswith("edge ± ")


def test_a_variance_below_a_square_nanosecond_is_in_square_picoseconds(run_of):
    # 1 and 3 ticks of 1 ns, by even bins without delays: variance 1 ns². With half the ticks, less.
    even = Instants((0,) * 4, (0,) * 4, 1)
    calibration = replace(
        CALIBRATION,
        channels=(ChannelInstants(0, even, even), ChannelInstants(1, even, even)),
        delays=(PadDelay(0, 0, 0, 0, 0, 0), PadDelay(0, 1, 0, 0, 0, 0)),
    )
    for values, text in (([1001, 1003], "1.000 ns²"), ([1001, 1002], "250,000 ps²")):
        run = run_of([values, [9000] * 2], calibration=calibration)
        report = analyse(run, columns=("variance",))
        head, rows = corrected_rows(report)
        assert rows[0][head.index("variance")][0] == text


def test_a_channel_that_was_not_calibrated_has_no_row_and_is_named(run_of):
    half = replace(CALIBRATION, channels=CALIBRATION.channels[:1])
    report = analyse(run_of(LATENCIES, calibration=half))
    assert [row[0][0] for row in corrected_rows(report)[1]] == ["ISR"]
    first, second, ways = calibration_lines(report)
    assert first.startswith("corrected with the calibration of sim made 2026-11-22T12:00")
    assert second == "TASK is not corrected: ch1 was not calibrated"
    assert ways.startswith("ISR: the ways over its pads take 1.5 ns ± 5.2 ns")


def test_a_run_of_which_nothing_is_corrected_does_not_say_that_it_is(run_of):
    report = analyse(run_of(LATENCIES, calibration=CALIBRATION, keep_events=False))
    assert corrected_rows(report)[1] == []
    assert calibration_lines(report)[0] == "nothing corrected with the calibration of sim"
    assert calibration_lines(analyse(run_of(LATENCIES))) == []


@pytest.mark.parametrize(
    "error_ps", [0, 1, Fraction(32, 3), 99, Fraction(995, 10), 100, 1004, 98_765]
)
@pytest.mark.parametrize("value_ps", [0, Fraction(1, 2), 1234, 1250, 123_449, 123_450])
def test_what_is_printed_holds_for_the_exact_value_and_has_a_unit_of_a_digit_more(
    value_ps, error_ps
):
    def read_ps(text):
        number, unit = text.replace(",", "").split()
        return Fraction(number) * {"ps": 1, "ns": 1000}[unit]

    assert bound(error_ps).startswith("± ")
    bound_ps = read_ps(bound(error_ps)[2:])
    rounding_ps = abs(read_ps(picoseconds(value_ps, error_ps)) - value_ps)
    # The second digit of the error; picoseconds have no part that is shown.
    place_ps = max(10 ** (math.floor(math.log10(error_ps)) - 1), 1) if error_ps else 1
    assert rounding_ps <= Fraction(place_ps, 2)
    assert error_ps + Fraction(place_ps, 2) <= bound_ps
    assert bound_ps < error_ps + 2 * place_ps
