# SPDX-License-Identifier: Apache-2.0
"""A serial port, at a pseudo-terminal: exclusive, woken by a break and a preamble."""

import os
import pty
import termios
from types import SimpleNamespace

import pytest
import serial

from plexor.base.errors import LinkError, UsageError
from plexor.wire.link import open_link, serial_port
from plexor.wire.link.boards import FT2232H, Plugged, found_boards
from plexor.wire.link.serial_port import SerialLink

from .served import read_some


@pytest.mark.parametrize("baud", [9_600, 115_200, 12_000_000])
def test_a_byte_takes_ten_bits_of_the_rate(baud):
    other, own = pty.openpty()
    link = SerialLink(os.ttyname(own), baud)
    assert link.bytes_s == baud // 10
    assert link.name == f"serial:{os.ttyname(own)}?baud={baud}"
    # No USB device is behind a terminal: it is known by its port.
    assert link.serial == f"serial:{os.ttyname(own)}"
    link.close()
    os.close(own)
    os.close(other)


@pytest.mark.parametrize("baud", [9_599, 12_000_001])
def test_a_rate_beyond_its_bounds_is_refused_before_the_port_is_opened(baud):
    with pytest.raises(UsageError) as caught:
        SerialLink("/dev/none", baud)
    assert str(caught.value) == f"serial:/dev/none: baud {baud}; must be 9600 to 12000000"


@pytest.mark.parametrize(("baud", "least_s"), [(9_600, 20 / 9_600), (12_000_000, 0.001)])
def test_a_break_is_longer_than_two_bytes_and_than_a_millisecond(monkeypatch, baud, least_s):
    slept_s = []
    monkeypatch.setattr(serial_port, "time", SimpleNamespace(sleep=slept_s.append))
    other, own = pty.openpty()
    SerialLink(os.ttyname(own), baud).close()
    assert slept_s == [pytest.approx(least_s)]
    os.close(own)
    os.close(other)


def test_a_serial_link_carries_bytes_both_ways():
    other, own = pty.openpty()
    link = open_link(f"serial:{os.ttyname(own)}?baud=3000000")
    link.write(b"\x01\x02")
    assert b"".join(os.read(other, 1) for _ in range(4)) == b"\x55\x00\x01\x02"
    os.write(other, b"\x00\xff\x11\x13")
    assert read_some(link, 4) == b"\x00\xff\x11\x13"
    assert link.read(10, 0.01) == b""
    link.close()
    os.close(own)
    os.close(other)


def test_a_port_that_is_not_there_is_told_once():
    with pytest.raises(LinkError, match=r"serial:/dev/none\?baud=\d+: cannot open: no such file"):
        open_link("serial:/dev/none")


def test_a_serial_port_is_held_alone():
    other, own = pty.openpty()
    link = open_link(f"serial:{os.ttyname(own)}")
    with pytest.raises(LinkError, match=r"cannot open: another program has it open$"):
        open_link(f"serial:{os.ttyname(own)}")
    link.close()
    os.close(own)
    os.close(other)


def test_no_more_is_read_than_was_asked_for():
    other, own = pty.openpty()
    link = SerialLink(os.ttyname(own))
    os.write(other, b"12345")
    assert link.read(3, 5.0) == b"123"
    assert read_some(link, 2) == b"45"
    link.close()
    os.close(own)
    os.close(other)


def test_a_port_whose_device_is_gone_is_broken_and_still_closes():
    other, own = pty.openpty()
    link = SerialLink(os.ttyname(own))
    os.close(own)
    os.close(other)
    with pytest.raises(LinkError, match="port broken: "):
        read_some(link)
    link.close()
    link.close()
    with pytest.raises(LinkError, match="port broken: "):
        link.write(b"x")


@pytest.mark.parametrize(
    ("product", "low", "holds"),
    [("Lattice FTUSB", 1, 1), ("Lattice FTUSB", 0, 0), ("iCEBreaker", 1, 0)],
)
def test_a_bridge_holds_only_gateware_that_drives_cts_on_a_board_that_wires_it(
    monkeypatch, product, low, holds
):
    other, own = pty.openpty()
    plugged = Plugged(FT2232H, product, "", 1, os.ttyname(own), "")
    monkeypatch.setattr(serial_port, "at_port", lambda port: found_boards([plugged])[0])
    monkeypatch.setattr(serial.Serial, "cts", property(lambda port: low))
    link = SerialLink(os.ttyname(own), 12_000_000, ahead=False)
    assert bool(termios.tcgetattr(own)[2] & termios.CRTSCTS) == holds
    link.close()
    os.close(own)
    os.close(other)
