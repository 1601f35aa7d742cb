"""Options of `plexor measure` as settings, exactly."""

from dataclasses import fields
from fractions import Fraction

import click
import pytest

from plexor import cli
from plexor.commands.measure import command
from plexor.commands.measure.options import Options, named, settings_of
from plexor.commands.measure.strikes import Start
from plexor.commands.parameters import StopCondition
from plexor.model.settings import Channel
from plexor.protocol.registers import Policy, Stream, Trigger

from ...test_cli import STRIKES


def test_settings_are_exact_and_complete(bench):
    asked = bench()
    arguments = (
        "measure --rate 3 --time 1.5ms --duty 20% --phase 7ns --dither 1us --burst 3 --spacing 2us "
        "--seed 9 --active-low --policy latest --timeout 3ms --deadline 50us --early 1us --load "
        "--mode dump --stop-on latency>40us --stop-on latency>60us --stop-on missed "
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
    assert settings.load
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


US = Fraction(1, 10**6)
NOTHING = {entry.name: None for entry in fields(Options)} | {
    "channels": (),
    "policy": "oldest",
    "window": Fraction(0),
    "early": Fraction(0),
    "load": False,
    "stops": (),
    "phase": Fraction(0),
    "dither": Fraction(0),
    "poisson": False,
    "burst": 1,
    "seed": 1,
    "active_low": False,
    "start": Start(),
    "strikes": (),
}


def settings(**given):
    """Return the settings of a command line with these options and no others."""
    return settings_of(Options(**NOTHING | given))


def test_the_options_are_those_of_the_command_by_their_names():
    assert {entry.name for entry in fields(Options)} == {
        parameter.name for parameter in command.measure.params if parameter.expose_value
    }


def test_what_is_not_asked_for_is_left_to_the_instrument():
    found = settings(rate=Fraction(1000), count=5)
    assert (found.timeout_s, found.time_s, found.stream) == (None, None, None)
    assert (found.latency_over_s, found.stop_on_missed, found.channels) == (None, False, ())
    assert (found.policy, found.load) == (Policy.OLDEST, False)


def test_of_several_limits_of_a_latency_the_least_stops():
    stops = tuple(StopCondition(each * US) for each in (60, 40, 50))
    found = settings(rate=Fraction(1000), stops=stops)
    assert (found.latency_over_s, found.stop_on_missed) == (40 * US, False)


@pytest.mark.parametrize(
    "end",
    [{"count": 5}, {"time_s": Fraction(1)}, {"stops": (StopCondition(None),)}],
)
def test_any_end_is_enough(end):
    assert settings(rate=Fraction(1000), **end).strikes[0].period_s == 1000 * US


def test_a_device_that_runs_by_itself_is_watched_for_a_time():
    found = settings(time_s=Fraction(2))
    assert (found.strikes, found.time_s) == ((), 2)


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({}, ["--rate", "--time"]),
        ({"stops": (StopCondition(None),)}, ["--rate", "--time"]),
        ({"rate": Fraction(1000)}, ["--count", "--time", "--stop-on"]),
        (
            {"rate": Fraction(1000), "count": 5, "start": Start(Trigger.GATE)},
            ["--count", "--start", "--time"],
        ),
    ],
)
def test_a_run_without_an_end_is_refused_with_what_would_end_it(given, names):
    with pytest.raises(click.UsageError) as refused:
        settings(**given)
    assert [name for name in names if name not in refused.value.message] == []


def test_a_channels_own_deadline_outweighs_the_common_one():
    own, other = named((Channel(0, deadline_s=2 * US), Channel(1)), 5 * US)
    assert (own.deadline_s, other.deadline_s) == (2 * US, 5 * US)
    (zero,) = named((Channel(0, deadline_s=Fraction(0)),), 5 * US)
    assert zero.deadline_s == 0


@pytest.mark.parametrize(
    ("channels", "twice"),
    [
        ((Channel(1, "A"), Channel(1, "B")), "ch1"),
        ((Channel(0, "A"), Channel(1, "A")), "A"),
        ((Channel(0, "ch1"), Channel(1)), "ch1"),
    ],
)
def test_a_channel_or_name_that_is_given_twice_is_refused_with_it(channels, twice):
    with pytest.raises(click.UsageError, match=f"--channel: {twice} "):
        named(channels, None)
