# SPDX-License-Identifier: Apache-2.0
"""The twin is the gateware: the same documents, frames and pins, or a run that it hands over."""

from fractions import Fraction

import pytest
from tools.twin.conform import differences, prepared, taken
from tools.twin.draw import Measurement, drawn

from plexor.model.settings import Channel, Settings, Stimulus
from plexor_sim.serve import GATEWARE, TWIN

NS = Fraction(1, 1_000_000_000)
BOARD = "ulx3s-25f"


def measured(period_s: Fraction, count: int, dut: str = "synthetic:latency=300ns,width=40ns"):
    strikes = (Stimulus(period_s=period_s, width_s=20 * NS),)
    return Measurement(BOARD, dut, Settings(strikes=strikes, channels=(Channel(0),), count=count))


def assert_identical(measurement):
    found = taken(measurement, prepared(measurement, TWIN))
    expected = taken(measurement, prepared(measurement, GATEWARE))
    assert found is not None
    assert expected is not None
    assert differences(found, expected) == []
    assert found.document["valid"]


@pytest.mark.parametrize("seed", [2, 3, 8])
def test_random_runs_are_identical(seed):
    measurement = drawn(seed)
    found = taken(measurement, prepared(measurement, TWIN))
    expected = taken(measurement, prepared(measurement, GATEWARE))
    assert expected is not None
    assert found is None or differences(found, expected) == []


def test_a_run_at_a_rate_that_it_sustains_is_identical():
    assert_identical(measured(1000 * NS, 500))


def test_a_device_that_draws_answers_both_the_same():
    assert_identical(measured(4000 * NS, 200, "synthetic:latency=normal:1us:50ns,seed=5"))


def test_a_run_over_the_sustained_rate_needs_the_gateware():
    measurement = measured(80 * NS, 2000)
    assert taken(measurement, prepared(measurement, TWIN)) is None
