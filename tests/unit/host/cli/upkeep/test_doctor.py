# SPDX-License-Identifier: Apache-2.0
"""`plexor board doctor`: what it prints, and how it ends."""

import json

import pytest

from plexor import cli
from plexor.wire.desk import doctor as desk
from plexor.wire.desk.doctor import Diagnosis, Level, udev_rules

from ...fake_device import FakeDevice
from ...scenario import Scenario

OK = Diagnosis(Level.OK, "udev has a rule for each board")
NOTE = Diagnosis(Level.NOTE, "cargo is missing", "apt install cargo")
MISSING = Diagnosis(Level.MISSING, "no driver", "sudo modprobe ftdi_sio")


@pytest.fixture
def desk_of(monkeypatch):
    """Return a function that sets what is found here."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    return lambda *found: monkeypatch.setattr(desk, "examine", lambda: found)


@pytest.mark.parametrize("options", [[], ["--json"]])
@pytest.mark.parametrize(
    ("found", "code"), [((), 0), ((OK, NOTE), 0), ((OK, MISSING, NOTE), 1), ((MISSING,), 1)]
)
def test_it_ends_with_1_where_something_is_missing_and_a_note_is_not(
    desk_of, capsys, options, found, code
):
    desk_of(*found)
    assert cli.main(["board", "doctor", *options]) == code
    out, err = capsys.readouterr()
    assert (all(entry.what in out for entry in found), err) == (True, "")


def test_below_each_thing_stands_the_command_that_mends_it(desk_of, capsys):
    desk_of(OK, MISSING)
    cli.main(["board", "doctor"])
    assert capsys.readouterr().out.splitlines() == [
        "ok       udev has a rule for each board",
        "missing  no driver",
        "         sudo modprobe ftdi_sio",
    ]


def test_the_document_has_every_entry_whole(desk_of, capsys):
    desk_of(OK, MISSING)
    cli.main(["board", "doctor", "--json"])
    assert json.loads(capsys.readouterr().out) == [
        {"level": "ok", "what": "udev has a rule for each board", "command": ""},
        {"level": "missing", "what": "no driver", "command": "sudo modprobe ftdi_sio"},
    ]


def test_on_a_terminal_what_is_missing_is_red(desk_of, capsys, monkeypatch):
    desk_of(OK, MISSING)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    cli.main(["board", "doctor"])
    good, bad, _ = capsys.readouterr().out.splitlines()
    assert "\x1b[32m" in good
    assert "\x1b[31m" in bad


def test_the_rules_are_all_that_is_printed_with_udev(capsys, monkeypatch):
    def examined():
        raise AssertionError("the machine was looked at")

    monkeypatch.setattr(desk, "examine", examined)
    assert cli.main(["board", "doctor", "--udev"]) == 0
    assert capsys.readouterr() == (udev_rules(), "")


def test_a_link_is_walked_in_place_of_the_machine(desk_of, capsys):
    desk_of(MISSING)
    with FakeDevice(Scenario([50])) as fake:
        assert cli.main(["board", "doctor", "--link", fake.uri]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert MISSING.what not in out
    assert out.splitlines()[0].startswith(f"ok       {fake.uri}: ")
    assert out.splitlines()[-1].startswith("ok       next: plexor board selftest --link ")


def test_a_link_that_fails_ends_with_1_and_one_that_is_none_with_2(desk_of, capsys):
    assert cli.main(["board", "doctor", "--link", "serial:/dev/none"]) == 1
    assert "missing  serial:/dev/none?baud=" in capsys.readouterr().out
    assert cli.main(["board", "doctor", "--link", "nowhere"]) == 2
    assert cli.main(["board", "doctor", "--link", "sim:", "--udev"]) == 2


def test_rules_are_printed_without_a_link_and_refused_with_one(capsys):
    assert cli.main(["board", "doctor", "--udev"]) == 0
    assert "SUBSYSTEM" in capsys.readouterr().out
    assert cli.main(["board", "doctor", "--udev", "--link", "tcp://127.0.0.1:1"]) == 2
    out, err = capsys.readouterr()
    assert (out, "--udev prints rules only; leave out --link" in err) == ("", True)
