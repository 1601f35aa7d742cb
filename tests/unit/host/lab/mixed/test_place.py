# SPDX-License-Identifier: Apache-2.0
"""Where a schedule runs: a simulated instrument waits for the host, a real board does not."""

from fractions import Fraction

import pytest

from plexor.library.specs.options import Target
from plexor_lab.mixed.place import EXECUTOR, place_of
from plexor_lab.mixed.spec import MixedSpec

PERIOD = Fraction(275, 340_000)


@pytest.mark.parametrize(
    ("link", "dut", "place"),
    [
        ("sim:", None, ("sim:?pace=100000ns", EXECUTOR)),
        ("sim:?samples=8", "synthetic", ("sim:?samples=8&pace=100000ns", "synthetic")),
        ("sim:?board=ulx3s-25f", None, ("sim:?board=ulx3s-25f&pace=100000ns", EXECUTOR)),
        ("sim:bare", None, ("sim:bare?pace=100000ns", None)),
        ("sim:?dut=bare", None, ("sim:?dut=bare&pace=100000ns", None)),
        ("sim:?pace=1us", None, ("sim:?pace=1us", EXECUTOR)),
        ("serial:/dev/ttyUSB1", None, ("serial:/dev/ttyUSB1", None)),
    ],
)
def test_a_simulated_instrument_goes_on_by_about_an_eighth_of_a_step(link, dut, place):
    assert place_of(MixedSpec(period=PERIOD), Target(link=link, dut=dut)) == place


def test_no_pace_is_below_the_least_that_an_instrument_takes():
    assert place_of(MixedSpec(period=Fraction(1, 10**9)), Target())[0] == "sim:?pace=20000ns"


def test_where_only_the_host_answers_the_simulated_device_is_the_one_that_starts_fastest():
    assert place_of(MixedSpec(mode="normal"), Target())[1] == "synthetic"
    assert place_of(MixedSpec(mode="normal"), Target(dut="bare"))[1] == "bare"
