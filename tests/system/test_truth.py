"""Planted truth: what the chip counts is what the simulator saw at the pins, to the last bit."""

from fractions import Fraction

import pytest
from bench import assert_equals_truth, run

from plexor.settings import Channel, Settings, Stimulus

US = Fraction(1, 1_000_000)

DEVICES = {
    "fixed": "latency=fixed:5000000",
    "uniform": "latency=uniform:1000000:9000000",
    "normal": "latency=normal:5000000:200000",
    "lognormal": "latency=lognormal:2000000:0.5",
}


def settings(count: int, period_us: int = 20) -> Settings:
    return Settings(
        strikes=(Stimulus(period_s=period_us * US, width_s=2 * US),),
        channels=(Channel(0), Channel(1)),
        count=count,
    )


@pytest.mark.parametrize("name", DEVICES)
def test_on_chip_results_equal_the_truth_of_every_distribution(name, tmp_path):
    outcome = run(f"synthetic:{DEVICES[name]}", settings(500), tmp_path)
    truth = assert_equals_truth(outcome)
    assert truth.generated[8] == 1000
