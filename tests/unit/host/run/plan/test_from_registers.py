# SPDX-License-Identifier: Apache-2.0
"""Registers of a recording back to what was asked: worked out by hand, and the planner's undone."""

from fractions import Fraction

import pytest

from plexor.model.identity import Identity
from plexor.model.settings import Channel, RegisterWrite, Settings, Stall, Stimulus, TableStep
from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import (
    CHANNEL,
    STEP,
    STIMULUS,
    InputSelect,
    Policy,
    StopOn,
    Stream,
    Trigger,
    register,
)
from plexor.run.plan.from_registers import registers_in, settings_in, wrong_in
from plexor.run.plan.registers import plan_of
from plexor.wire.decode.register_image import common_registers, setup_keys

from ...ended import image_of, set_register

# One tick is a nanosecond.
NS = Fraction(1, 10**9)
GEOMETRY = Geometry(channels=2, strikes=2)
SPARE = {"deadline_ticks": (1 << 31) - 1, "reference_source": 8, "reference_polarity": 1}
COMMON = {
    "stream": Stream.LIVE,
    "timeout_ticks": 800,
    "settle_ticks": 1600,
    "final_spaces": 0x3FF,
}


def recorded(*changes, outputs=(0,), channels=(0,), steps=0):
    """Return an image of a run that strikes each output every 1000 ticks, with changes."""
    values = {place: COMMON.get(place[2], 0) for place in common_registers(GEOMETRY)}
    values["control", 0, "step_count"] = steps
    for output in range(2):
        values["stimulus", output, "enable"] = int(output in outputs)
    for channel in range(2):
        values["channel", channel, "enable"] = int(channel in channels)
    for output in outputs:
        own = {"enable": 1, "interval_ticks": 1000, "burst_count": 1, "width_ticks": 50}
        values |= {place: own.get(place[2], 0) for place in setup_keys(STIMULUS, output)}
    for channel in channels:
        own = SPARE | {"enable": 1}
        values |= {place: own.get(place[2], 0) for place in setup_keys(CHANNEL, channel)}
    for step in range(steps):
        own = {"interval_ticks": 100 * (step + 1), "strike_count": 7, "width_ticks": 5}
        values |= {place: own.get(place[2], 0) for place in setup_keys(STEP, step)}
    for block, copy, name, value in changes:
        values[block, copy, name] = value
    return image_of(*((*place, value) for place, value in values.items()))


def strike(**registers):
    changes = [("stimulus", 0, name, value) for name, value in registers.items()]
    (found,) = settings_in(recorded(*changes), GEOMETRY).strikes
    return found


def test_a_fraction_is_of_two_to_the_32_ticks():
    assert strike(interval_fraction=0x4000_0000).period_s == (1000 + Fraction(1, 4)) * NS


def test_a_period_is_from_first_strike_to_first_strike_of_a_burst():
    found = strike(burst_count=4, spacing_ticks=100)
    assert (found.period_s, found.burst, found.spacing_s) == (1300 * NS, 4, 100 * NS)


def test_dither_adds_its_mean_to_the_period():
    # Uniform from 0 to 2**5 - 1 ticks: 15.5 on average.
    found = strike(dither_bits=5)
    assert (found.period_s, found.dither_s) == ((1000 + Fraction(31, 2)) * NS, 32 * NS)


def test_an_endless_burst_is_a_period_below_a_clock():
    found = strike(burst_count=0, spacing_ticks=3, interval_ticks=16)
    assert (found.period_s, found.burst, found.spacing_s) == (3 * NS, 1, None)


@pytest.mark.parametrize(
    ("registers", "known"),
    [
        ({"strike_count": 3, "burst_count": 3}, False),
        ({"strike_count": 4, "burst_count": 3}, True),
        ({"strike_count": 0, "burst_count": 3}, True),
        ({"poisson_threshold": 1 << 30}, False),
    ],
)
def test_no_period_is_told_of_one_burst_nor_of_poisson_intervals(registers, known):
    assert (strike(**registers).period_s is not None) == known


def test_the_latency_that_starts_an_output_is_the_limit():
    limit = ("control", 0, "trigger_latency_ticks", 500)
    image = recorded(("stimulus", 0, "trigger", Trigger.LATENCY), limit)
    (found,) = settings_in(image, GEOMETRY).strikes
    assert found.trigger_over_s == 500 * NS
    image.forget([("control", 0, "trigger_latency_ticks")])
    (found,) = settings_in(image, GEOMETRY).strikes
    assert (found.trigger, found.trigger_over_s) == (Trigger.LATENCY, None)
    (found,) = settings_in(
        recorded(("stimulus", 0, "trigger", Trigger.MISSED), limit), GEOMETRY
    ).strikes
    assert (found.trigger, found.trigger_over_s) == (Trigger.MISSED, None)


def test_an_unknown_trigger_is_taken_for_the_runs_start():
    assert strike(trigger=3).trigger == Trigger.CODE
    assert strike(trigger=2).trigger == Trigger.GATE


@pytest.mark.parametrize("minor", [5, 6])
def test_a_recording_of_an_older_protocol_has_one_direction(minor):
    image = recorded(
        ("channel", 0, "either", 1), ("identity", 0, "protocol_version", 2 << 16 | minor)
    )
    if minor < 6:
        image.forget([("channel", 0, "either")])
    (found,) = settings_in(image, GEOMETRY).channels
    assert found.either == (minor == 6)


def test_a_channels_settings_are_its_registers():
    (found,) = settings_in(
        recorded(
            ("channel", 0, "deadline_ticks", -5),
            ("channel", 0, "reference_source", 1),
            ("channel", 0, "reference_polarity", 0),
            ("channel", 0, "filter_ticks", 3),
        ),
        GEOMETRY,
    ).channels
    assert found == Channel(0, filter_s=3 * NS, reference="ch1.fall", deadline_s=-5 * NS)


def test_a_long_filter_is_read_from_its_own_register():
    image = recorded(("channel", 0, "filter_ticks", 0), ("long_filter", 0, "ticks", 900))
    assert settings_in(image, GEOMETRY).channels[0].filter_s == 900 * NS
    writes = registers_in(image, GEOMETRY)
    assert RegisterWrite("long_filter", 0, "ticks", 900) in writes
    image = recorded(("channel", 0, "filter_ticks", 7), ("long_filter", 0, "ticks", 0))
    assert settings_in(image, GEOMETRY).channels[0].filter_s == 7 * NS


def test_the_greatest_deadline_is_none():
    assert settings_in(recorded(), GEOMETRY).channels[0].deadline_s is None
    image = recorded(("channel", 0, "deadline_ticks", (1 << 31) - 2))
    assert settings_in(image, GEOMETRY).channels[0].deadline_s == ((1 << 31) - 2) * NS


def test_times_that_end_a_run_are_told_only_where_they_end_it():
    times = [("control", 0, "run_time_ticks", 9000), ("control", 0, "trigger_latency_ticks", 70)]

    def ends(stop_on):
        found = settings_in(recorded(*times, ("control", 0, "stop_on", stop_on)), GEOMETRY)
        return found.time_s, found.latency_over_s, found.stop_on_missed

    assert ends(StopOn.STRIKES) == (None, None, False)
    assert ends(StopOn.TIME) == (9000 * NS, None, False)
    assert ends(StopOn.LATENCY | StopOn.MISSED) == (None, 70 * NS, True)


def test_the_runs_own_settings_are_its_registers():
    found = settings_in(
        recorded(
            ("control", 0, "load", 1),
            ("control", 0, "input_select", InputSelect.LOOPBACK),
            ("control", 0, "loopback_output", 1),
            ("control", 0, "stream", 3),
            ("matcher", 0, "policy", Policy.WINDOW),
            ("matcher", 0, "window_min_ticks", 20),
            ("matcher", 0, "early_ticks", 9),
        ),
        GEOMETRY,
    )
    assert (found.timeout_s, found.settle_s) == (800 * NS, 1600 * NS)
    assert (found.window_min_s, found.early_s, found.policy) == (20 * NS, 9 * NS, Policy.WINDOW)
    assert (found.load, found.input_select, found.loopback_output) == (True, 2, 1)
    # The contract has 3 act as LIVE.
    assert found.stream == Stream.LIVE


def test_steps_have_a_period_of_their_own_interval_and_output_0s_dither():
    found = settings_in(recorded(("stimulus", 0, "dither_bits", 1), steps=2), GEOMETRY)
    half = Fraction(1, 2)
    assert found.table == (
        TableStep((100 + half) * NS, 7, width_s=5 * NS, guard_s=Fraction(0)),
        TableStep((200 + half) * NS, 7, width_s=5 * NS, guard_s=Fraction(0)),
    )


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ([("stimulus", 0, "interval_ticks", 0)], "strike0 was asked to strike every 0 ticks"),
        ([("matcher", 0, "policy", 3)], "matcher.policy was 3, which is not a policy"),
        ([("stimulus", 0, "trigger", 7)], "stimulus[0].trigger was 7, which is not a trigger"),
        ([("step", 1, "interval_ticks", 0)], "a step of the table was asked to strike every 0"),
    ],
)
def test_what_no_host_asks_is_told_and_left_out(changes, says):
    image = recorded(*changes, steps=2)
    (found,) = wrong_in(image, GEOMETRY)
    assert found.startswith(says)
    settings = settings_in(image, GEOMETRY)
    assert (len(settings.strikes), len(settings.table)) == {
        "stimulus": (0, 0),
        "matcher": (1, 2),
        "step": (1, 0),
    }[changes[0][0]]
    assert settings.policy == Policy.OLDEST
    written = {(write.block, write.copy, write.name) for write in registers_in(image, GEOMETRY)}
    kinds = {("matcher", 0, "policy"), ("stimulus", 0, "trigger")}
    assert kinds - written == kinds & {changes[0][:3]}


def test_nothing_is_wrong_with_what_a_host_asks():
    assert wrong_in(recorded(steps=2), GEOMETRY) == []


@pytest.mark.parametrize(
    ("lost", "outputs", "channels", "common"),
    [
        (("stimulus", 0, "seed"), [1], [0, 1], True),
        (("channel", 1, "invert"), [0, 1], [0], True),
        (("matcher", 0, "timeout_ticks"), [0, 1], [0, 1], False),
    ],
)
def test_what_is_not_wholly_known_is_left_out_and_no_more(lost, outputs, channels, common):
    image = recorded(("control", 0, "load", 1), outputs=(0, 1), channels=(0, 1))
    image.forget([lost])
    found = settings_in(image, GEOMETRY)
    assert [entry.output for entry in found.strikes] == outputs
    assert [entry.number for entry in found.channels] == channels
    assert (found.timeout_s is not None, found.load) == (common, common)
    assert lost not in {write[:3] for write in registers_in(image, GEOMETRY)}


def test_what_the_planner_made_of_settings_comes_back():
    asked = Settings(
        strikes=(
            Stimulus(0, 1000 * NS, 40 * NS, phase_s=30 * NS, invert=True, seed=9),
            Stimulus(1, 5000 * NS, 20 * NS, burst=3, spacing_s=100 * NS, count=30, dither_s=8 * NS),
        ),
        channels=(Channel(0, deadline_s=90 * NS), Channel(1, invert=True, reference="strike1")),
        policy=Policy.LATEST,
        timeout_s=800 * NS,
        time_s=Fraction(1),
        stream=Stream.OFF,
        settle_s=1700 * NS,
    )
    writes = plan_of(asked, Identity(GEOMETRY, 1)).registers
    image = image_of(*(tuple(write) for write in writes))
    assert settings_in(image, GEOMETRY) == asked
    assert set(registers_in(image, GEOMETRY)) <= set(writes)


def test_a_register_of_48_bits_comes_back_whole():
    image = recorded()
    set_register(image, "stimulus", "phase_ticks", (1 << 48) - 1)
    assert register("stimulus", "phase_ticks").bits == 48
    assert settings_in(image, GEOMETRY).strikes[0].phase_s == ((1 << 48) - 1) * NS


def test_a_stall_and_a_code_that_end_a_run_come_back_as_far_as_they_are_known():
    stop = ("control", 0, "stop_on", StopOn.STALL | StopOn.CODE)
    known = [("code", 0, "stall_source", 18), ("code", 0, "stall_ticks", 2000)]
    found = settings_in(recorded(stop, *known, ("code", 0, "stop_code", 67)), GEOMETRY)
    assert found.stall == Stall(18, 2000 * NS)
    assert found.stop_code == 67
    unknown = settings_in(recorded(stop, known[0]), GEOMETRY)
    assert (unknown.stall, unknown.stop_code) == (None, None)
    none = settings_in(recorded(stop, ("code", 0, "stall_source", 31), known[1]), GEOMETRY)
    assert none.stall is None
