# SPDX-License-Identifier: Apache-2.0
"""What is asked of a run, in texts or numbers: exact, complete, and refused by its name."""

from dataclasses import fields
from fractions import Fraction

import pytest

from plexor.base.errors import UsageError
from plexor.library.run_spec import RunSpec, named, settings_of
from plexor.library.specs.texts import Start, StopCondition
from plexor.library.specs.values import hertz, seconds
from plexor.model.settings import Channel, Stimulus
from plexor.protocol.registers import Policy, Stream, Trigger

US = Fraction(1, 10**6)


def settings(**options):
    """Return the settings of these options and no others."""
    return settings_of(RunSpec.of(options))


def test_settings_are_exact_and_complete():
    found = settings(
        rate=3,
        time="1.5ms",
        duty="20%",
        phase="7ns",
        dither=1e-6,
        burst="3",
        spacing="2us",
        seed=9,
        active_low=True,
        policy="latest",
        timeout="3ms",
        deadline="50us",
        early=US,
        window="3us",
        load="cpu",
        mode="dump",
        stop_on=["latency>40us", "latency>60us", "missed"],
        channels=["ISR=ch2:invert,filter=20ns", "TASK=ch1:after=ch2.fall,deadline=2us"],
        every="100ms",
    )
    strike = found.strikes[0]
    assert strike.period_s == Fraction(1, 3)
    assert (strike.duty, strike.phase_s) == (Fraction(1, 5), Fraction(7, 10**9))
    assert (strike.burst, strike.spacing_s, strike.seed) == (3, 2 * US, 9)
    assert (strike.dither_s, strike.invert) == (US, True)
    assert found.time_s == Fraction(3, 2000)
    assert found.policy is Policy.LATEST
    assert (found.latency_over_s, found.stop_on_missed) == (40 * US, True)
    assert (found.timeout_s, found.early_s, found.window_min_s) == (3000 * US, US, 3 * US)
    assert (found.load, found.stream, found.report_s) == (True, Stream.OFF, Fraction(1, 10))
    isr, task = found.channels
    assert (isr.number, isr.invert, isr.filter_s) == (2, True, Fraction(20, 10**9))
    assert (isr.deadline_s, task.deadline_s) == (50 * US, 2 * US)
    assert task.reference == "ch2.fall"


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        ("10us", 10 * US),
        (10e-6, 10 * US),
        (0.1, Fraction(1, 10)),
        (1e-30, Fraction(1, 10**30)),
        (3, Fraction(3)),
        (0, Fraction(0)),
        (Fraction(1, 3), Fraction(1, 3)),
    ],
)
def test_a_time_is_a_text_with_a_unit_or_a_number_of_seconds(value, exact):
    assert seconds(value) == exact
    assert RunSpec.of({"width": value}).width == exact


@pytest.mark.parametrize(
    ("value", "exact"),
    [("20k", 20_000), (20e3, 20_000), (3, 3), (0.1, Fraction(1, 10)), (Fraction(1, 3),) * 2],
)
def test_a_rate_is_a_text_or_a_number_of_hertz(value, exact):
    assert hertz(value) == exact
    assert RunSpec.of({"rate": value}).rate == exact


@pytest.mark.parametrize("value", ["10k", 10_000, 1e4])
def test_a_count_is_a_text_or_a_number(value):
    assert RunSpec.of({"count": value}).count == 10_000


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"rate": 0}, "rate: '0'"),
        ({"rate": -1}, "rate: '-1'"),
        ({"rate": Fraction(-1)}, "rate: '-1'"),
        ({"rate": float("nan")}, "rate: 'nan'"),
        ({"rate": float("inf")}, "rate: 'inf'"),
        ({"rate": True}, "rate: 'True'"),
        ({"rate": [1]}, r"rate: '\[1\]'"),
        ({"width": "10"}, "width: .*'10'; must be a number with a unit"),
        ({"width": float("inf")}, "width: .*inf"),
        ({"width": True}, "width: .*'True'"),
        ({"width": object}, "width: "),
        ({"count": 1.5}, "count: '1.5'"),
        ({"count": 0}, "count: '0'"),
        ({"duty": 2}, "duty: '2'; must lie between 0 and 1"),
        ({"seed": 0}, "seed: 0; must be a whole number from 1"),
        ({"seed": "0"}, "seed: '0'; must be a whole number from 1"),
        ({"seed": 1 << 64}, "seed: 18446744073709551616; must be a whole number from 1"),
        ({"poisson": 1}, "poisson: 1; must be True or False"),
        ({"load": True}, "load: True; must be the name of one load, such as cpu"),
        ({"load": "cpu,all"}, "load: 'cpu,all'; must be the name of one load"),
        ({"policy": "best"}, "policy: 'best'; must be one of oldest, latest, window"),
        ({"mode": "fast"}, "mode: 'fast'; must be one of stream, dump, deep"),
        ({"start": "now"}, "start: 'now'; must be run, gate"),
        ({"strikes": "1"}, "strikes: strike: '1'; must be an output"),
        ({"channels": "ISR"}, "channels: channel: 'ISR' names no channel; did you mean ISR=ch0"),
        ({"channels": [3]}, "channels: channel: '3'"),
        ({"channels": 3}, "channels: "),
        ({"stop_on": "late"}, "stop_on: condition: 'late'"),
        ({"every": "often"}, "every: .*'often'"),
    ],
)
def test_a_value_that_cannot_be_read_is_refused_with_its_option(given, wrong):
    with pytest.raises(UsageError, match=f"^{wrong}") as refused:
        RunSpec.of(given)
    assert "\n" not in str(refused.value)


def test_an_option_that_there_is_not_is_refused_with_those_there_are():
    with pytest.raises(UsageError) as refused:
        RunSpec.of({"rat": 1})
    assert str(refused.value).startswith("rat: no such option; must be one of rate, count, time")
    assert all(entry.name in str(refused.value) for entry in fields(RunSpec))


def test_none_stands_for_the_default():
    assert RunSpec.of(dict.fromkeys(entry.name for entry in fields(RunSpec))) == RunSpec()


def test_one_channel_strike_or_condition_needs_no_list():
    found = RunSpec.of({"channels": "ISR=ch0", "strikes": "1:rate=1k", "stop_on": "missed"})
    assert [channel.label for channel in found.channels] == ["ISR"]
    assert [strike.output for strike in found.strikes] == [1]
    assert found.stop_on == (StopCondition(None),)


def test_what_is_read_already_is_taken_as_it_is():
    channel, strike, stop = Channel(3, "A"), Stimulus(2), StopCondition(US)
    found = RunSpec.of({"channels": channel, "strikes": [strike, "1:rate=1"], "stop_on": (stop,)})
    assert found.channels == (channel,)
    assert found.strikes[0] == strike
    assert found.stop_on == (stop,)
    assert RunSpec.of({"start": Start(Trigger.GATE)}).start.trigger is Trigger.GATE


@pytest.mark.parametrize(
    ("mode", "stream"), [("stream", Stream.LIVE), ("dump", Stream.OFF), ("deep", Stream.AFTER)]
)
def test_a_mode_says_when_events_are_sent(mode, stream):
    assert settings(rate=1, count=1, mode=mode).stream is stream


def test_what_is_not_asked_for_is_left_to_the_instrument():
    found = settings(rate=1000, count=5)
    assert (found.timeout_s, found.time_s, found.stream, found.report_s) == (None,) * 4
    assert (found.latency_over_s, found.stop_on_missed, found.channels) == (None, False, ())
    assert (found.policy, found.load) == (Policy.OLDEST, False)


def test_of_several_limits_of_a_latency_the_least_stops():
    found = settings(rate=1000, stop_on=["latency>60us", "latency>40us", "latency>50us"])
    assert (found.latency_over_s, found.stop_on_missed) == (40 * US, False)


@pytest.mark.parametrize("end", [{"count": 5}, {"time": 1}, {"stop_on": "missed"}])
def test_any_end_is_enough(end):
    assert settings(rate=1000, **end).strikes[0].period_s == 1000 * US


def test_a_device_that_runs_by_itself_is_watched_for_a_time():
    found = settings(time="2s")
    assert (found.strikes, found.time_s) == ((), 2)


def test_a_run_that_somebody_stops_needs_no_end():
    assert settings_of(RunSpec.of({"rate": 1000}), endless=True).strikes[0].count == 0
    assert settings_of(RunSpec(), endless=True).strikes == ()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "say how often to strike with <rate>, or how long with <time>"),
        ({"stop_on": "missed"}, "say how often to strike with <rate>, or how long with <time>"),
        ({"rate": 1000}, "say when to stop with <count>, <time> or <stop_on>"),
        (
            {"rate": 1000, "count": 5, "start": "gate"},
            "<count> applies to each sequence that <start> begins; say when to stop with <time>",
        ),
        ({"time": 1, "active_low": True}, "<active_low> applies to strikes; give <rate> too"),
        ({"time": 1, "burst": 2}, "<burst> applies to strikes; give <rate> too"),
        ({"time": 1, "start": "gate"}, "<start> applies to strikes; give <rate> too"),
        (
            {"rate": 1, "count": 1, "width": 1, "duty": "1%"},
            "<width> and <duty> both set the width of a strike; give one of them",
        ),
        (
            {"rate": 1, "count": 2, "burst": 2},
            "<burst> needs <spacing>, the time between its strikes",
        ),
        ({"rate": 1, "count": 1, "channels": ["ch0", "ch0"]}, "<channel>: ch0 is given twice"),
    ],
)
def test_options_that_do_not_go_together_are_refused_by_the_names_of_the_caller(given, message):
    with pytest.raises(UsageError) as refused:
        settings_of(RunSpec.of(given), lambda name: f"<{name}>")
    assert str(refused.value) == message
    with pytest.raises(UsageError) as refused:
        settings(**given)
    assert str(refused.value) == message.replace("<", "").replace(">", "")


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
    with pytest.raises(UsageError, match=f"^channel: {twice} "):
        named(channels, None)


def test_a_window_is_that_of_every_channel_without_its_own():
    found = settings(rate=1, count=1, channels=["A=ch0:zoom=9us", "B=ch1"], zoom="20us")
    assert [channel.zoom_rise_s for channel in found.channels] == [9 * US, 20 * US]
    automatic = settings(rate=1, count=1, channels=["A=ch0"], zoom="auto")
    assert automatic.channels[0].zoom_rise_s == 0
    with pytest.raises(UsageError, match=r"^zoom: .*'near'"):
        RunSpec.of({"zoom": "near"})
