# SPDX-License-Identifier: Apache-2.0
"""Links that lose bytes of any two values, either way or both: the host finds a row for them."""

import itertools
import random

import pytest

from plexor.wire.device import device as device_module
from plexor.wire.device.device import Device
from plexor.wire.device.speech import ROWS, rows_without
from plexor.wire.link.tcp import TcpLink

from ...fake_device import FakeDevice
from ...rows_link import KnowsRows, Losing
from ...scenario import Scenario

TIMEOUTS_S = (0.05,)
HASH = int.from_bytes(b"\x10\x12\x40\x5f\x11\x13\x55\x0a", "little")
"""Values that the identity has, besides its addresses."""
SOME = [(0x10, 0x12), (0x00, 0x40), (0x00, 0x10), (0x4F, 0x2F), (0x5F, 0x3F), (0x11, 0x13)]


@pytest.fixture
def fake(monkeypatch):
    # What loses bytes is a serial port.
    monkeypatch.setattr(device_module, "SerialLink", Losing)
    with FakeDevice(Scenario([50]), identity={"gateware_hash": HASH}) as device:
        yield device


def connected(fake):
    host, _, port = fake.uri.removeprefix("tcp://").partition(":")
    return KnowsRows(TcpLink(host, int(port)))


def speaks(fake, up, down):
    """Return the row in which the host has read the identity and a register, all correct."""
    board = connected(fake)
    link = Losing(board, up, down)
    with Device(link, timeouts_s=TIMEOUTS_S) as device:
        assert device.identity.gateware_hash == HASH
        for value in (0x1012_0040, 0x5F4F_1113, 0x7FFE_0000):
            device.write("channel", "deadline_ticks", value)
            assert device.read("channel", "deadline_ticks") == value
        row, link.carried = device.row, set()
        device.read("identity", "magic")
        assert not row or link.carried <= {*range(16 * row, 16 * row + 16), 16 * (row ^ 1) + 15}
    assert board.row is None or 0 in up
    assert bool(row) == bool(board.rows)
    return row


@pytest.mark.parametrize("lost", SOME)
def test_a_link_that_loses_two_values_is_spoken_to_in_a_row(fake, lost):
    assert speaks(fake, lost, lost)


@pytest.mark.parametrize(("up", "down"), [((0x10, 0x12), ()), ((), (0x10, 0x12)), ((0,), (0x12,))])
def test_either_way_may_lose_them(fake, up, down):
    assert speaks(fake, up, down) == 4


def test_a_link_that_carries_all_values_is_left_as_it_is(fake):
    assert speaks(fake, (), ()) == 0


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_any_two_values_may_be_lost(fake):
    rng = random.Random(46)
    for _ in range(150):
        lost = rng.sample(range(256), 2)
        assert speaks(fake, lost, lost)


def test_for_any_two_values_there_is_a_row():
    values = {row: {*range(16 * row, 16 * row + 16), 16 * (row ^ 1) + 15} for row in ROWS}
    for lost in itertools.combinations(range(0, 256, 5), 2):
        assert values[rows_without(lost)[0]].isdisjoint(lost)
    blocked = [{row for row in ROWS if value in values[row]} for value in range(256)]
    assert all(len(first | second) < len(ROWS) for first in blocked for second in blocked)


def test_a_row_that_a_damaged_byte_ended_is_asked_for_again(fake):
    board = connected(fake)
    with Device(Losing(board, (0x10,), (0x10,)), timeouts_s=(0.05, 0.2)) as device:
        assert device.row == 4
        board.row = None
        assert device.read("identity", "gateware_hash") == HASH
        assert (device.retries, board.row) == (1, 4)
