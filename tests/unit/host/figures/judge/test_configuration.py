# SPDX-License-Identifier: Apache-2.0
"""A configuration has every setting that a run can be told by, exactly, and no other."""

from dataclasses import fields, replace
from fractions import Fraction

import pytest

from plexor.figures.judge.configuration import (
    configuration,
    exact_rate,
    exact_time,
    of_channel,
)
from plexor.model.codes import Codes, Wires
from plexor.model.results import Imported
from plexor.model.settings import Channel, Settings, Stall, Stimulus, TableStep
from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import Space
from plexor.protocol.registers import InputSelect, Policy, Stream, Trigger

from ...files.archive.planted import planted

REPEATS = {"seed", "keep_events", "spaces", "report_s", "report_on_chip"}
"""What runs may differ in and still repeat each other."""
OTHER = {
    Fraction: Fraction(1, 3),
    int: 7,
    bool: True,
    str: "ch1.fall",
}
OF_NAME = {
    "keep_events": False,
    "report_on_chip": False,
    "enable": False,
    "strikes": (Stimulus(period_s=Fraction(1, 9)),),
    "channels": (Channel(3, "other"),),
    "policy": Policy.LATEST,
    "stream": Stream.AFTER,
    "input_select": InputSelect.LOW,
    "trigger": Trigger.GATE,
    "spaces": (Space.CLASSES,),
    "table": (TableStep(Fraction(1, 9), 5),),
    "trigger_channels": (1,),
    "timeout_s": Fraction(1, 3),
    "time_s": Fraction(1, 3),
    "latency_over_s": Fraction(1, 3),
    "trigger_over_s": Fraction(1, 3),
    "settle_s": Fraction(1, 3),
    "warm_up_s": Fraction(1, 3),
    "report_s": Fraction(1, 3),
    "width_s": Fraction(1, 3),
    "duty": Fraction(1, 3),
    "spacing_s": Fraction(1, 3),
    "deadline_s": Fraction(1, 3),
    "count": 7,
    "codes": Codes(wires=Wires(2, 3)),
    "stall": Stall(18, Fraction(1, 3)),
    "stop_code": 7,
}


def other(one, entry):
    """Return another value of a field."""
    if entry.name in OF_NAME:
        return OF_NAME[entry.name]
    return OTHER[type(getattr(one, entry.name))]


PLACES = [(kind, entry) for kind in (Settings, Stimulus, Channel) for entry in fields(kind)]


@pytest.mark.parametrize(
    ("kind", "entry"), PLACES, ids=[f"{k.__name__}-{e.name}" for k, e in PLACES]
)
def test_each_setting_but_those_of_repetitions_makes_another_configuration(kind, entry):
    run = planted(1000)
    # A load has a name while the load output is raised.
    settings = replace(run.settings, load=entry.name == "load_name")
    run = replace(run, settings=settings)
    one = {
        Settings: settings,
        Stimulus: settings.strikes[0],
        Channel: settings.channels[0],
    }[kind]
    changed = replace(one, **{entry.name: other(one, entry)})
    assert changed != one
    settings = {
        Settings: changed,
        Stimulus: replace(settings, strikes=(changed,)),
        Channel: replace(settings, channels=(changed,)),
    }[kind]
    same = configuration(replace(run, settings=settings)) == configuration(run)
    assert same == (entry.name in REPEATS)


@pytest.mark.parametrize(
    "change",
    [
        {"device": {"os": "Zephyr"}},
        {"identity": lambda one: replace(one, gateware_hash=1)},
        {"identity": lambda one: replace(one, geometry=Geometry(tick_fs=500_000))},
        {"identity": lambda one: replace(one, geometry=Geometry(board="ulx3s"))},
    ],
)
def test_another_device_or_instrument_is_another_configuration(change):
    run = planted(1000)
    entries = {k: v(getattr(run, k)) if callable(v) else v for k, v in change.items()}
    assert configuration(replace(run, **entries)) != configuration(run)


def test_what_a_run_was_taken_with_is_named_as_it_was_asked_for():
    run = planted(1000)
    settings = Settings(
        strikes=(
            Stimulus(0, Fraction(1, 20_000), count=2000, dither_s=Fraction(1024, 10**9), seed=3),
            Stimulus(1, trigger=Trigger.STRIKE, phase_s=Fraction(5, 10**6)),
        ),
        channels=(Channel(0, "ISR", deadline_s=Fraction(50, 10**6)), Channel(1)),
        policy=Policy.WINDOW,
        stream=Stream.OFF,
        load=True,
    )
    found = configuration(
        replace(run, settings=settings, device={"os": "FreeRTOS", "board": "VexRiscv"})
    )
    assert found == {
        "instrument": "sim",
        "gateware": "123456789abcdef0",
        "tick": "1 ns",
        "source": "simulated",
        "load": "on",
        "mode": "dump",
        "rate": "20 kHz",
        "count": "2000",
        "dither": "1.024 µs",
        "strike1 trigger": "strike",
        "strike1 phase": "5 µs",
        "policy": "window",
        "channel ISR": "ch0 after strike0, deadline 50 µs",
        "channel ch1": "ch1 after strike0",
        "os": "FreeRTOS",
        "board": "VexRiscv",
    }


def test_a_key_of_the_device_takes_the_place_of_a_setting_of_its_name():
    assert configuration(planted(1000, device={"load": "stress-ng"}))["load"] == "stress-ng"


def test_the_load_is_what_a_simulated_device_ran():
    run = planted(1000)
    assert configuration(replace(run, device_load="critical"))["load"] == "critical"
    named = replace(run.settings, load=True, load_name="stress")
    assert configuration(replace(run, settings=named))["load"] == "stress"
    assert configuration(replace(run, settings=named, device_load="none"))["load"] == "none"


def test_rates_that_are_nearly_the_same_are_not_the_same():
    assert exact_rate(Fraction(20_000)) == "20 kHz"
    assert exact_rate(Fraction(20_001)) == "20.001 kHz"
    assert exact_rate(Fraction(1, 3)) == "1/3 Hz"
    assert exact_rate(Fraction(2_500_000)) == "2.5 MHz"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (Fraction(0), "0 s"),
        (Fraction(2), "2 s"),
        (Fraction(1, 1000), "1 ms"),
        (Fraction(-15, 10_000_000), "-1.5 µs"),
        (Fraction(1, 10**12), "0.001 ns"),
        (Fraction(1, 960_000_000), "25/24 ns"),
    ],
)
def test_times_are_exact(seconds, text):
    assert exact_time(seconds) == text


def test_a_channel_s_configuration_has_nothing_of_other_channels():
    found = configuration(planted(1000, names=("ISR", "TASK")))
    own = of_channel(found, "TASK")
    assert set(found) - set(own) == {"channel ISR"}
    assert "channel TASK" in own


def test_what_was_imported_has_no_instrument_and_is_not_called_measured():
    run = replace(planted(1000), imported=Imported("a.vcd", "VCD", 1000, {}, {}))
    found = configuration(run)
    assert found["source"] == "imported, simulated"
    assert not {"instrument", "gateware", "load"} & found.keys()
