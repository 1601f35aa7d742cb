# SPDX-License-Identifier: Apache-2.0
"""Strike outputs and starts: exact, ended with the main output, or refused."""

from fractions import Fraction

import pytest

from plexor.base.errors import UsageError
from plexor.library.run_spec import RunSpec, settings_of
from plexor.protocol.registers import Trigger


def strikes_of(**options):
    return settings_of(RunSpec.of(options)).strikes


def test_further_outputs_are_exact_and_complete():
    gated, once = strikes_of(
        time="1s",
        strikes=[
            "0:rate=3,count=7,duty=1/5,phase=7ns,dither=1us,burst=3,spacing=2us,seed=9,active-low,"
            "start=gate",
            "1:width=2us,start=strike0",
        ],
    )
    assert (gated.period_s, gated.count, gated.duty) == (Fraction(1, 3), 7, Fraction(1, 5))
    assert (gated.phase_s, gated.dither_s) == (Fraction(7, 10**9), Fraction(1, 10**6))
    assert (gated.burst, gated.spacing_s, gated.seed) == (3, Fraction(2, 10**6), 9)
    assert (gated.invert, gated.trigger, gated.poisson) == (True, Trigger.GATE, False)
    assert (once.output, once.period_s, once.width_s) == (1, None, Fraction(2, 10**6))
    assert (once.trigger, once.trigger_source) == (Trigger.STRIKE, 0)


def test_the_main_output_may_start_on_another_strike():
    main, other = strikes_of(rate="1M", count=5, start="strike1", strikes="1:rate=1k,count=3")
    assert (main.trigger, main.trigger_source, main.count) == (Trigger.STRIKE, 1, 5)
    assert (other.output, other.count) == (1, 3)


@pytest.mark.parametrize(
    ("further", "count"),
    [
        ("rate=3k", 30),  # 10 strikes at 1 kHz last 10 ms
        ("rate=300", 3),
        ("rate=30", 1),
        ("rate=1k,phase=4ms", 10),
        ("rate=1k,burst=4,spacing=1us", 40),
        ("rate=3k,count=2", 2),
        ("rate=3k,start=gate", 0),
    ],
)
def test_a_further_output_strikes_as_long_as_the_main_one(further, count):
    strikes = strikes_of(rate="1k", count=10, strikes=f"1:{further}")
    assert strikes[1].count == count


def test_a_further_output_of_a_run_with_a_time_has_no_end():
    strikes = strikes_of(rate="1k", count=10, time="1s", strikes="1:rate=3k")
    assert strikes[1].count == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rate": 1, "count": 1, "strikes": "0:rate=1k"}, "strike 0: rate uses this output"),
        ({"rate": 1, "count": 1, "strikes": ["1:rate=1", "1:rate=2"]}, "strike: 1 is given twice"),
        (
            {"rate": 1, "count": 1, "strikes": "1:rate=1,start=strike0"},
            "strike 1: never stops once it has started; give it a count=, or limit the "
            "run with time",
        ),
    ],
)
def test_outputs_that_do_not_go_together_are_refused_with_their_number(options, message):
    with pytest.raises(UsageError, match=message):
        strikes_of(**options)
