# SPDX-License-Identifier: Apache-2.0
"""Boards behind links that drop bytes of any two values: a row is found, and measured in."""

import json

import pytest
from bench import ICE40, simulator

from plexor import cli
from plexor.wire.device.device import Device
from plexor.wire.link.serial_port import SerialLink

from ..unit.host.terminal import board_at, without

RATE = 12_000_000
# Those of a Colorlight i5's bridge as reported; delimiters of frames and of rows, whole or not;
# XON and XOFF; line ends; the byte by which a rate is measured.
REPORTED = (0x10, 0x12)
PAIRS = ((0x00, 0x40), (0x4F, 0x5F), (0x11, 0x13), (0x0A, 0x0D), (0x55, 0x00), (0x2F, 0x7F))
FULL = pytest.mark.full


def spoken(uri, lost):
    """Return the board's name and the row in which it is read over a link that drops bytes."""
    with board_at(uri, RATE, up=without(*lost), down=without(*lost)) as port:
        with Device(SerialLink(port, RATE, ahead=False), timeouts_s=(0.5,)) as device:
            # Values that are dropped, both ways.
            for value in (0x1210_4000, 0x1311_5F4F, 0x0D0A_7F2F):
                device.write("control", "settle_ticks", value)
                assert device.read("control", "settle_ticks") == value
            return device.identity.board, device.row


@pytest.mark.parametrize("core", ["gateware", "twin"])
def test_identity_and_registers_pass_in_a_row(core):
    with simulator("synthetic", ICE40, once=False, core=core) as server:
        uri = f"tcp://127.0.0.1:{server.port}"
        assert spoken(uri, ()) == ("hx8kevn", 0)
        assert spoken(uri, REPORTED) == ("hx8kevn", 4)
        # What the row before left is undone, with or without the byte that ends it.
        assert spoken(uri, (0x00, 0x40)) == ("hx8kevn", 2)
        assert spoken(uri, ()) == ("hx8kevn", 0)


@FULL
@pytest.mark.timeout(600)
@pytest.mark.parametrize("core", ["gateware", "twin"])
@pytest.mark.parametrize("lost", PAIRS)
def test_any_pair_may_be_dropped(core, lost):
    with simulator("synthetic", ICE40, once=False, core=core) as server:
        assert spoken(f"tcp://127.0.0.1:{server.port}", lost)[1] > 0


@pytest.mark.parametrize("core", ["gateware", pytest.param("twin", marks=FULL)])
def test_a_run_in_a_row_loses_nothing_and_says_so(core, capsys):
    run = ("--rate", "20k", "--count", "300", "--channel", "x=ch0", "--calibration", "none")
    with simulator("synthetic", ICE40, once=False, core=core) as server:
        ends = {"up": without(*REPORTED), "down": without(*REPORTED)}
        with board_at(f"tcp://127.0.0.1:{server.port}", RATE, **ends) as port:
            link = f"serial:{port}?baud={RATE}"
            assert cli.main(["measure", "--link", link, *run, "--json"]) == 0
            out, err = capsys.readouterr()
            assert cli.main(["board", "doctor", "--link", link]) == 0
            walked = capsys.readouterr().out
    figures = json.loads(out)
    assert figures["accounting"]["lost_on_link"] == 0, figures["accounting"]
    assert figures["channels"][0]["answered"] == 300
    says = "the link does not carry every value of a byte: it carries 0x40 to 0x4f and 0x5f alone, "
    assert says in err
    assert says in walked
