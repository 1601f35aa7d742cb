# SPDX-License-Identifier: Apache-2.0
"""Axes: round ticks, and units as people write them."""

import pytest

from plexor.show.pictures.scale import Axis, number, power_of_ten, time_unit


def test_round_ticks_lie_on_the_axis():
    assert Axis(0, 10, 0, 100).ticks(5) == [0, 2, 4, 6, 8, 10]
    assert Axis(3.2, 9.1, 0, 1).ticks(6) == [4, 5, 6, 7, 8, 9]
    assert Axis(2.1, 3.6, 0, 1).ticks(2) == [2.5, 3, 3.5]
    assert Axis(1, 1000, 0, 1, True).ticks(4) == [1, 10, 100, 1000]
    assert Axis(1, 100, 0, 100, True).at(10) == pytest.approx(50)
    assert Axis(1, 100, 0, 100, True).value(50) == pytest.approx(10)


def test_units_and_powers_are_written_as_people_write_them():
    assert time_unit(2.5e-6)[1] == "µs"
    assert time_unit(1e-3)[1] == "ms"
    assert [power_of_ten(v) for v in (1, 10, 100, 0.001)] == ["1", "10", "10²", "10⁻³"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (9e-13, "0"),
        (-9e-13, "0"),
        (2e-12, "2e-12"),
        (0.25, "0.25"),
        (-12.5, "-12.5"),
        (999_999, "999999"),
        (1_000_000, "1,000,000"),
        (-2_500_000, "-2,500,000"),
        (1_234_567.5, "1.23457e+06"),
    ],
)
def test_a_ticks_value_is_as_short_as_it_can_be(value, text):
    assert number(value) == text
