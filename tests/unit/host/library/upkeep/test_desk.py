# SPDX-License-Identifier: Apache-2.0
"""What is on this machine, told to Python."""

import json

import pytest

from plexor.base.errors import ExitCode, LinkError, UsageError
from plexor.library.pins import SIMULATED
from plexor.library.upkeep import desk
from plexor.library.upkeep.desk import (
    Examined,
    available,
    examined,
    identified,
    need_simulator,
    options_of,
    udev_rules,
)
from plexor.wire.desk import doctor as desk_doctor
from plexor.wire.desk.doctor import Diagnosis, Level
from plexor.wire.link import boards

from ...fake_device import FakeDevice
from ...plain_text import columns_and_colour
from ...scenario import Scenario


def test_every_simulated_device_can_be_measured():
    rows = dict(available())
    assert {f"sim:{name}" for name in SIMULATED} <= set(rows)
    assert all(rows[f"sim:{name}"].startswith("simulated: ") for name in SIMULATED)


def test_without_the_simulator_one_line_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(desk, "find_spec", {}.get)
    rows = dict(available())
    assert "pip install '.[sim]'" in rows["sim:"]
    assert not any(place.startswith("sim:f") for place in rows)
    for call in (need_simulator, lambda: options_of("bare")):
        with pytest.raises(LinkError, match=r"pip install '.\[sim\]'"):
            call()


def test_without_a_board_it_is_said_that_there_is_no_port(monkeypatch):
    monkeypatch.setattr(boards, "serial_ports", lambda: [])
    monkeypatch.setattr(boards, "usb_devices", lambda: [])
    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: [])
    assert list(available())[len(SIMULATED) :] == [("serial:", "no port found")]


def test_the_options_of_a_device_have_meaning_range_and_default():
    found = options_of("synthetic")
    assert found["device"] == "synthetic"
    for entry in found["options"]:
        assert set(entry) >= {"name", "value", "meaning", "range", "default", "of_channel"}
    with pytest.raises(UsageError, match="device 'nosuch': must be"):
        options_of("nosuch")


@pytest.mark.parametrize(
    ("level", "code"),
    [(Level.OK, ExitCode.PASS), (Level.NOTE, ExitCode.PASS), (Level.MISSING, ExitCode.BUDGET)],
)
def test_only_what_is_missing_is_no_pass(monkeypatch, level, code):
    monkeypatch.setattr(desk_doctor, "examine", lambda: [Diagnosis(level, "cargo", "apt x")])
    found = examined()
    assert found.exit_code() == code
    assert found.text().splitlines() == [f"{level:<8} cargo", "         apt x"]
    assert found.document() == [{"level": level, "what": "cargo", "command": "apt x"}]
    assert "\x1b[" in found.text(colour=True)


def test_the_rules_are_those_of_the_doctor():
    assert udev_rules() == desk_doctor.udev_rules()
    assert 'TAG+="uaccess"' in udev_rules()


def test_an_instrument_is_identified_without_a_run():
    with FakeDevice(Scenario([100])) as device:
        facts = identified(device.uri)
    assert (facts["link"], facts["channels"], device.starts) == (device.uri, 2, 0)
    assert json.loads(json.dumps(facts)) == facts


def test_its_text_is_plain_and_of_100_columns_unless_it_is_asked_for_otherwise():
    assert columns_and_colour(Examined.text) == (100, False)
