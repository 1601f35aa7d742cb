# SPDX-License-Identifier: Apache-2.0
"""What a sweep is asked, as what it is to find out: exact, or refused by the caller's names."""

import re
from fractions import Fraction

import pytest

from plexor.base.errors import UsageError
from plexor.experiments.criterion import DEFAULT, parse_criterion
from plexor.library.scans.sweep_spec import MOST_POINTS, SweepSpec, check, wanted_of
from plexor.library.specs.options import Target

US = Fraction(1, 10**6)


def asked(link="sim:", dut=None, **options):
    """Return the options of a sweep from 1 to 100 kHz, read as they are given."""
    given = {"low": "1k", "high": 1e5, **options}
    return SweepSpec.of(given), Target(link=link, dut=dut)


def test_what_is_wanted_is_exact_and_complete():
    found = wanted_of(
        *asked(
            criteria=["missed<1%", "late<2%"],
            resolution="5%",
            points=7,
            both_ways=True,
            dwell="2k",
            longest="10s",
            width="3us",
            dither=1e-6,
            seed=5,
            timeout="1ms",
            deadline="20us",
            channels=["ISR=ch2:deadline=5us", "TASK=ch1"],
        )
    )
    assert (found.low_hz, found.high_hz) == (1000, 100_000)
    assert found.criteria == (parse_criterion("missed<1%"), parse_criterion("late<2%"))
    assert (found.width, found.points, found.both_ways) == (Fraction(1, 20), 7, True)
    assert (found.least_strikes, found.most_s) == (2000, 10)
    strike = found.settings.strikes[0]
    assert (strike.width_s, strike.dither_s, strike.seed) == (3 * US, US, 5)
    assert found.settings.timeout_s == 1000 * US
    assert [channel.deadline_s for channel in found.settings.channels] == [5 * US, 20 * US]


def test_what_is_not_asked_for_has_its_default():
    found = wanted_of(*asked())
    assert found.criteria == (DEFAULT,)
    assert (found.width, found.points, found.both_ways) == (Fraction(1, 100), 9, False)
    assert (found.least_strikes, found.most_s) == (1, 60)
    assert [channel.label for channel in found.settings.channels] == ["ISR", "TASK"]
    assert {name: (load.dut, load.level) for name, load in found.loads.items()} == {
        "none": (None, False)
    }


@pytest.mark.parametrize(
    ("link", "dut", "loads", "found"),
    [
        ("sim:", "bare", "none,on", {"none": ("bare", False), "on": ("bare", True)}),
        (
            "sim:",
            None,
            ["none", "cpu"],
            {"none": (None, False), "cpu": ("freertos:load=cpu", True)},
        ),
        ("sim:", "bare:clock=50M", "cpu", {"cpu": ("bare:clock=50M,load=cpu", True)}),
        ("sim:ce30", None, "polygons", {"polygons": ("ce30:load=polygons", True)}),
        ("tcp://h:1", None, "none, stress", {"none": (None, False), "stress": (None, True)}),
    ],
)
def test_a_load_is_a_device_that_runs_it_and_a_level_of_the_load_output(link, dut, loads, found):
    channels = "ISR=ch0" if link.startswith("tcp") else None
    wanted = wanted_of(*asked(link, dut, loads=loads, channels=channels))
    assert {name: (load.dut, load.level) for name, load in wanted.loads.items()} == found


@pytest.mark.parametrize(
    ("link", "loads", "found", "devices"),
    [
        ("sim:ce30", "none,cpu", "sim:", {"ce30", "ce30:load=cpu"}),
        ("sim:ce30?board=hx8k-evn", "cpu", "sim:?board=hx8k-evn", {"ce30:load=cpu"}),
        ("sim:?board=hx8k-evn&dut=ce30", "cpu", "sim:?board=hx8k-evn", {"ce30:load=cpu"}),
        ("sim:ce30?board=hx8k-evn", "none,on", "sim:ce30?board=hx8k-evn", {None}),
    ],
)
def test_a_link_names_no_device_that_a_load_replaces(link, loads, found, devices):
    wanted = wanted_of(*asked(link, loads=loads, channels="ISR=ch2"))
    assert wanted.link == found
    assert {load.dut for load in wanted.loads.values()} == devices


@pytest.mark.parametrize("loads", ["none", "cpu"])
def test_a_device_that_is_named_twice_is_refused_at_once(loads):
    with pytest.raises(
        UsageError, match=r"^link: 'sim:ce30' and --dut 'bare'; name the device once$"
    ):
        check(*asked("sim:ce30", "bare", loads=loads))


def test_a_criterion_of_latency_is_the_deadline():
    found = wanted_of(*asked(criteria="latency<50us:1%", channels="ISR=ch0"))
    assert found.settings.channels[0].deadline_s == 50 * US


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"high": "1k"}, "<low> 1000 <high> 1000: <high> must be above <low>"),
        ({"resolution": "0.01%"}, "<resolution>: must be at least 0.1%"),
        (
            {"both_ways": True, "points": MOST_POINTS + 1},
            f"<points> {MOST_POINTS + 1}: must be at most {MOST_POINTS} with <both_ways>",
        ),
        (
            {"width": "1us", "duty": "1%"},
            "<width> and <duty> both set the width of a strike; give one of them",
        ),
        (
            {"criteria": ["latency<1us", "latency<2us"]},
            "<criteria> latency< sets a deadline; give only one of them, or <deadline>",
        ),
        (
            {"criteria": "latency<1us", "deadline": "2us"},
            "<criteria> latency< sets a deadline; give only one of them, or <deadline>",
        ),
        (
            {"criteria": "late<1%"},
            "<criteria> late< needs <deadline>, after which a response is late",
        ),
        ({"loads": "a,,b"}, "<loads> a,,b: must be different names, separated by commas"),
        ({"loads": "a,a"}, "<loads> a,a: must be different names, separated by commas"),
        (
            {"load_on": "true"},
            "<load_on> is for a real device; name loads of a simulated one with <loads>",
        ),
        (
            {"link": "tcp://h:1", "channels": "ch0", "load_on": "true", "loads": "a,b"},
            "<loads> a,b: must be one load with <load_on>, or none and one load",
        ),
        (
            {"link": "tcp://h:1", "channels": "ch0", "executor": "local:2"},
            "<executor> applies only to simulated instruments (sim:)",
        ),
        ({"link": "tcp://h:1"}, "channels: name the device's response pins, such as ISR=ch0"),
        (
            {"link": "tcp://h:1", "channels": "ch0", "dut": "bare"},
            "dut bare: is for sim: links; tcp://h:1 has a device of its own",
        ),
    ],
)
def test_options_that_do_not_go_together_are_refused_by_the_names_of_the_caller(options, message):
    with pytest.raises(UsageError) as refused:
        check(*asked(**options, naming=lambda name: f"<{name}>"))
    assert str(refused.value) == message
    with pytest.raises(UsageError) as refused:
        wanted_of(*asked(**options))
    assert str(refused.value) == re.sub(r"<(\w+)>", r"\1", message)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("points", 1, "points: 1; must be a whole number from 2 to 1000"),
        ("points", "1001", "points: '1001'; must be a whole number from 2 to 1000"),
        ("both_ways", 1, "both_ways: 1; must be True or False"),
        ("longest", "60", "longest: .*'60'; must be a number with a unit"),
        ("executor", "cloud", "executor: 'cloud'; must be local"),
        ("resolution", 2, "resolution: .*'2'; must lie between 0 and 1"),
        ("dwell", 0, "dwell: .*'0'"),
    ],
)
def test_a_value_that_cannot_be_read_is_refused_with_its_option(option, value, message):
    with pytest.raises(UsageError, match=f"^{message}"):
        asked(**{option: value})
