"""Strike outputs, starts and presets on the command line."""

from fractions import Fraction

import pytest

from plexor import cli
from plexor.protocol.registers import Trigger


def strikes_of(asked, arguments):
    assert cli.main(["measure", *arguments.split()]) == 0
    return asked["settings"].strikes


def test_further_outputs_are_exact_and_complete(bench):
    gated, once = strikes_of(
        bench(),
        "--time 1s --strike 0:rate=3,count=7,duty=1/5,phase=7ns,dither=1us,burst=3,spacing=2us,"
        "seed=9,active-low,start=gate --strike 1:width=2us,start=strike0",
    )
    assert (gated.period_s, gated.count, gated.duty) == (Fraction(1, 3), 7, Fraction(1, 5))
    assert (gated.phase_s, gated.dither_s) == (Fraction(7, 10**9), Fraction(1, 10**6))
    assert (gated.burst, gated.spacing_s, gated.seed) == (3, Fraction(2, 10**6), 9)
    assert (gated.invert, gated.trigger, gated.poisson) == (True, Trigger.GATE, False)
    assert (once.output, once.period_s, once.width_s) == (1, None, Fraction(2, 10**6))
    assert (once.trigger, once.trigger_source) == (Trigger.STRIKE, 0)


def test_the_main_output_may_start_on_another_strike(bench):
    asked = bench()
    main, other = strikes_of(
        asked, "--rate 1M --count 5 --start strike1 --strike 1:rate=1k,count=3"
    )
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
def test_a_further_output_strikes_as_long_as_the_main_one(bench, further, count):
    strikes = strikes_of(bench(), f"--rate 1k --count 10 --strike 1:{further}")
    assert strikes[1].count == count


def test_a_further_output_of_a_run_with_a_time_has_no_end(bench):
    strikes = strikes_of(bench(), "--rate 1k --count 10 --time 1s --strike 1:rate=3k")
    assert strikes[1].count == 0
