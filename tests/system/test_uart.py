# SPDX-License-Identifier: Apache-2.0
"""A run through the pins of the instrument's UART, whose rate it measures: as over plain bytes."""

from fractions import Fraction

import pytest
from bench import assert_equals_truth, run

from plexor.model.settings import Channel, Settings, Stimulus

US = Fraction(1, 10**6)
DEVICE = "synthetic:seed=3,latency=uniform:1us:9us"
SETTINGS = Settings(
    strikes=(Stimulus(period_s=30 * US, width_s=2 * US),),
    channels=(Channel(0), Channel(1)),
    count=50,
)


@pytest.mark.full
@pytest.mark.parametrize("divisor", [8, 21])
def test_a_run_over_a_uart_equals_the_truth(divisor, tmp_path):
    arguments = ("--uart-divisor", str(divisor))
    outcome = run(DEVICE, SETTINGS, tmp_path, arguments=arguments, uart=True)
    assert_equals_truth(outcome)
    assert outcome.result.strikes == 50
