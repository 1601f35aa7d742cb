# SPDX-License-Identifier: Apache-2.0
"""Options of `plexor measure` as settings, exactly."""

from fractions import Fraction

import pytest

from plexor import cli
from plexor.protocol.registers import Policy, Stream, Trigger

from ..test_cli import STRIKES, errors_of


def strikes_of(asked, arguments):
    assert cli.main(["measure", *arguments.split()]) == 0
    return asked["settings"].strikes


def test_settings_are_exact_and_complete(bench):
    asked = bench()
    arguments = (
        "measure --rate 3 --time 1.5ms --duty 20% --phase 7ns --dither 1us --burst 3 --spacing 2us "
        "--seed 9 --active-low --policy latest --timeout 3ms --deadline 50us --early 1us "
        "--load cpu --mode dump --stop-on latency>40us --stop-on latency>60us --stop-on missed "
        "--channel ISR=ch2:invert,filter=20ns --channel TASK=ch1:after=ch2.fall,deadline=2us"
    )
    assert cli.main(arguments.split()) == 0
    settings = asked["settings"]
    strike = settings.strikes[0]
    assert strike.period_s == Fraction(1, 3)
    assert (strike.duty, strike.phase_s) == (Fraction(1, 5), Fraction(7, 10**9))
    assert (strike.burst, strike.spacing_s, strike.seed) == (3, Fraction(2, 10**6), 9)
    assert (strike.dither_s, strike.invert) == (Fraction(1, 10**6), True)
    assert settings.time_s == Fraction(3, 2000)
    assert settings.policy is Policy.LATEST
    assert settings.latency_over_s == Fraction(40, 10**6)
    assert settings.stop_on_missed
    assert (settings.load, settings.load_name) == (True, "cpu")
    assert settings.stream == Stream.OFF
    isr, task = settings.channels
    assert (isr.number, isr.invert, isr.filter_s) == (2, True, Fraction(20, 10**9))
    assert (isr.deadline_s, task.deadline_s) == (Fraction(50, 10**6), Fraction(2, 10**6))
    assert task.reference == "ch2.fall"


@pytest.mark.parametrize(
    ("mode", "stream"), [("stream", Stream.LIVE), ("dump", Stream.OFF), ("deep", Stream.AFTER)]
)
def test_a_mode_says_when_events_are_sent(bench, mode, stream):
    asked = bench()
    assert cli.main([*STRIKES, "--mode", mode]) == 0
    assert asked["settings"].stream is stream


def test_further_outputs_are_taken_in_the_order_in_which_they_are_given(bench):
    gated, once = strikes_of(
        bench(),
        "--time 1s --strike 0:rate=3,count=7,start=gate --strike 1:width=2us,start=strike0",
    )
    assert (gated.period_s, gated.count, gated.trigger) == (Fraction(1, 3), 7, Trigger.GATE)
    assert (once.output, once.width_s, once.trigger_source) == (1, Fraction(2, 10**6), 0)


def test_the_main_output_may_start_on_another_strike(bench):
    main, other = strikes_of(
        bench(), "--rate 1M --count 5 --start strike1 --strike 1:rate=1k,count=3"
    )
    assert (main.trigger, main.trigger_source, main.count) == (Trigger.STRIKE, 1, 5)
    assert (other.output, other.count) == (1, 3)


def test_a_refusal_names_the_options_of_the_command_line(capsys):
    line = errors_of(capsys, 2, ["measure", "--rate", "1k"])
    assert "--count, --time or --stop-on" in line
    assert "--active-low applies" in errors_of(capsys, 2, ["measure", "--time=1s", "--active-low"])
