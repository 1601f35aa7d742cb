# SPDX-License-Identifier: Apache-2.0
"""Causes of silence, planted in a simulated board at a serial port: named, with the next step."""

import json

import pytest
from bench import ICE40, simulator

from plexor import cli
from plexor.base.errors import LinkError
from plexor.wire.device.device import Device
from plexor.wire.link.serial_port import SerialLink

from ..unit.host.terminal import board_at

RATE = 12_000_000
"""Of the link of an iCE40-HX8K-B-EVN, which is set."""


@pytest.fixture
def uri():
    with simulator("synthetic", ICE40, once=False) as server:
        yield f"tcp://127.0.0.1:{server.port}"


def silence(port, rate=RATE):
    """Return why an instrument at a port does not answer."""
    with pytest.raises(LinkError) as caught:
        Device(SerialLink(port, rate, ahead=False), timeouts_s=(0.5, 1.0))
    return str(caught.value).partition("(2 tries): ")[2]


def test_without_a_rate_the_boards_own_is_found_and_told(uri, capsys):
    with board_at(uri, RATE) as port:
        assert cli.main(["board", "identify", "--link", f"serial:{port}", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["board"], found["link"]) == ("hx8kevn", f"serial:{port}?baud={RATE}")


def test_at_a_wrong_rate_the_right_one_is_named(uri):
    with board_at(uri, RATE) as port:
        assert silence(port, 2_000_000) == (
            f"it answers at another rate: --link 'serial:{port}?baud={RATE}'"
        )


def test_a_lock_that_a_run_lost_is_named_by_the_walk(capsys):
    # Without a lock the core has no clock and nothing comes (tests/unit/host/device): this one
    # came back.
    with simulator("synthetic", ICE40, ("--clock-lost", "1300000,1300020"), once=False) as server:
        with board_at(f"tcp://127.0.0.1:{server.port}", RATE) as port:
            link = f"serial:{port}?baud={RATE}"
            run = ("--rate", "20k", "--count", "300", "--channel", "x=ch0", "--calibration", "none")
            assert cli.main(["measure", "--link", link, *run]) == 4
            assert cli.main(["board", "doctor", "--link", link]) == 1
    out = capsys.readouterr().out
    assert "missing  the PLL lost its lock in the last run: look at the board's supply" in out


def test_every_step_of_a_sound_board_is_walked(uri, capsys):
    with board_at(uri, RATE) as port:
        assert cli.main(["board", "doctor", "--link", f"serial:{port}"]) == 0
    out = capsys.readouterr().out
    assert "hx8kevn answers, build " in out
    assert "the link carries every value of a byte both ways" in out
    assert "missing" not in out
