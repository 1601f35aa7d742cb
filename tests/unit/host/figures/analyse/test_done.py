# SPDX-License-Identifier: Apache-2.0
"""What was done: rates of bursts too, and widths and time-outs as they were applied."""

from dataclasses import replace
from fractions import Fraction

from plexor.figures.analyse.done import strikes_of, timeout_of
from plexor.model.settings import RegisterWrite, Settings, Stimulus

US = Fraction(1, 10**6)


def test_a_rate_counts_the_strikes_of_bursts_and_a_width_is_the_applied_one(run_of):
    stimulus = Stimulus(output=1, period_s=100 * US, burst=4, spacing_s=2 * US)
    registers = (
        RegisterWrite("stimulus", 1, "width_ticks", 250),
        RegisterWrite("stimulus", 0, "width_ticks", 7),
        RegisterWrite("matcher", 0, "timeout_ticks", 60_000),
    )
    run = run_of([[1000]], settings=Settings(strikes=(stimulus,)), registers=registers)
    (entry,) = strikes_of(run)
    assert (entry.rate_hz, entry.width_s) == (40_000, Fraction(1, 4) * US)
    assert timeout_of(run) == 60 * US
    single = replace(stimulus, period_s=None, width_s=3 * US)
    run = replace(run, settings=Settings(strikes=(single,), timeout_s=US), registers=())
    (entry,) = strikes_of(run)
    assert (entry.rate_hz, entry.width_s, timeout_of(run)) == (None, 3 * US, US)
