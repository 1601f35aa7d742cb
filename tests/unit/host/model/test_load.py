# SPDX-License-Identifier: Apache-2.0
"""Loads: what is asked for, what a device has, and what is said of a run."""

import pytest

from plexor.base.errors import UsageError
from plexor.model.load import (
    DeviceLoad,
    check_load,
    is_own,
    is_raised,
    load_name,
    load_texts,
    named_load,
    parse_device_load,
    parse_load,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("none", DeviceLoad("none")),
        ("cpu+queue", DeviceLoad("cpu+queue")),
        ("critical always", DeviceLoad("critical", always=True)),
        ("", DeviceLoad("")),
        (None, None),
    ],
)
def test_what_a_simulator_says_of_its_load_is_read(text, found):
    assert parse_device_load(text) == found


@pytest.mark.parametrize("value", [True, 1, "", "a,b", "a b", None])
def test_a_load_has_one_name(value):
    with pytest.raises(ValueError, match="must be the name of one load, such as cpu"):
        parse_load(value)
    assert parse_load("cpu") == "cpu"


def test_none_raises_nothing_and_on_is_no_load_of_a_devices_own():
    assert [is_raised(name) for name in (None, "", "none", "on", "cpu")] == [0, 0, 0, 1, 1]
    assert [is_own(name) for name in (None, "", "none", "on", "cpu")] == [0, 0, 0, 0, 1]


@pytest.mark.parametrize(
    ("found", "raised", "ran"),
    [
        (DeviceLoad("cpu"), False, "none"),
        (DeviceLoad("cpu"), True, "cpu"),
        (DeviceLoad("cpu", always=True), False, "cpu"),
        (DeviceLoad("none"), True, "none"),
        (DeviceLoad(""), False, None),
    ],
)
def test_a_load_runs_while_it_is_put_on_or_always(found, raised, ran):
    assert found.during(raised) == ran


@pytest.mark.parametrize(
    ("ran", "raised", "name", "text"),
    [
        ("none", False, "", "idle"),
        ("none", True, "", "idle"),
        ("cpu", False, "", "under load cpu"),
        ("on", True, "on", "under load"),
        (None, False, "", None),
        (None, True, "on", "load output on"),
        (None, True, "stress", "load output on (stress)"),
        (None, False, "none", None),
    ],
)
def test_what_is_said_is_what_the_device_did_and_nothing_where_nothing_is_known(
    ran, raised, name, text
):
    assert load_texts(ran, raised, name) == ([] if text is None else [text])


def test_the_name_of_a_load_is_what_ran_or_what_was_asked_for():
    assert load_name("critical", False) == "critical"
    assert load_name(None, True, "stress") == "stress"
    assert load_name(None, True) == "on"
    assert load_name(None, False, "none") == "none"


@pytest.mark.parametrize(
    ("found", "name", "error"),
    [
        (DeviceLoad("none"), "on", "load on: this device has no load"),
        (DeviceLoad("none"), "cpu", "load cpu: this device has no load"),
        (DeviceLoad("cpu"), "critcal", "load critcal: this device runs cpu; must be cpu or none"),
        (DeviceLoad("cpu", always=True), "none", "load none: this device runs cpu whatever"),
        (DeviceLoad("cpu", always=True), "", None),
        (DeviceLoad("cpu", always=True), "cpu", None),
        (DeviceLoad("cpu"), "cpu", None),
        (DeviceLoad("cpu"), "on", None),
        (DeviceLoad("cpu"), "none", None),
        (DeviceLoad("none"), "none", None),
        (DeviceLoad(""), "on", "load on: this device has no load"),
        (DeviceLoad(""), "none", None),
        (None, "stress", None),
    ],
)
def test_a_load_that_a_simulated_device_does_not_run_is_refused(found, name, error):
    if error is None:
        check_load(found, name, is_raised(name))
        return
    with pytest.raises(UsageError, match=f"^{error}"):
        check_load(found, name, is_raised(name))


def test_a_raised_output_needs_a_load_without_a_name_too():
    with pytest.raises(UsageError, match="no load that could be put on"):
        check_load(DeviceLoad(""), "", True)


@pytest.mark.parametrize(
    ("dut", "name"),
    [
        (None, ""),
        ("ce30", ""),
        ("ce30:seed=3", ""),
        ("ce30:load=polygons", "polygons"),
        ("freertos:cpu=50M,load=cpu,seed=3", "cpu"),
        ("freertos:load=cpu,load=all", "all"),
        ("freertos:xload=cpu", ""),
    ],
)
def test_the_load_that_a_devices_options_name_is_the_last_one(dut, name):
    assert named_load({} if dut is None else {"dut": dut}) == name
