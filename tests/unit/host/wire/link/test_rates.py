# SPDX-License-Identifier: Apache-2.0
"""The rate of a serial link: by the USB product, or by trying what boards have."""

import time
import tomllib
from pathlib import Path

import pytest

from plexor.base.errors import LinkError
from plexor.wire.link import open_link, rates
from plexor.wire.link.boards import FT231X, FT2232H, FoundBoard, Plugged, boards_of
from plexor.wire.link.rates import RATES, rate_at

from ...fake_device import FakeDevice
from ...scenario import Scenario
from ...terminal import board_at

CONSTRAINTS = Path(__file__).parents[5] / "constraints"
OF_FILES = {tomllib.loads(p.read_text())["link"]["baud"] for p in CONSTRAINTS.glob("*.toml")}


@pytest.fixture
def fake():
    with FakeDevice(Scenario([50])) as device:
        yield device


def product(monkeypatch, usb_id, name):
    plugged = Plugged(usb_id, name, "", 1, "", "")
    found = FoundBoard(plugged, boards_of(plugged))
    monkeypatch.setattr(rates, "at_port", lambda port: found)


def test_every_rate_of_a_boards_file_is_tried():
    assert set(RATES) >= OF_FILES


@pytest.mark.parametrize("rate", sorted(OF_FILES))
def test_the_rate_of_a_board_with_a_set_one_is_found_in_a_second(fake, rate):
    with board_at(fake.uri, rate) as port:
        began = time.monotonic()
        link = open_link(f"serial:{port}")
        assert time.monotonic() - began < 5  # a second here, several on a busy machine
        assert link.name == f"serial:{port}?baud={rate}"
        assert link.note == f"serial:{port}?baud={rate}: the rate at which it answers"
        link.close()


@pytest.mark.parametrize(
    ("usb_id", "name", "rate"),
    [(FT231X, "ULX3S FPGA 25K", 3_000_000), (FT2232H, "iCEBreaker V1.1a", 8_000_000)],
)
def test_a_product_that_names_a_board_tells_the_rate_and_nothing_is_tried(
    fake, monkeypatch, usb_id, name, rate
):
    product(monkeypatch, usb_id, name)
    monkeypatch.setattr(rates, "answering", lambda *_: pytest.fail("a rate was tried"))
    with board_at(fake.uri) as port:
        link = open_link(f"serial:{port}")
        board = name.split()[0]
        assert link.note == f"serial:{port}?baud={rate}: the rate that of {board}"
        link.close()


def test_of_boards_with_one_bridge_the_one_that_answers_tells_the_rate(fake, monkeypatch):
    product(monkeypatch, FT2232H, "Dual RS232-HS")
    with board_at(fake.uri, 8_000_000) as port:
        assert rate_at(port) == (8_000_000, "at which it answers")


def test_where_nothing_answers_that_is_said_with_the_rates(monkeypatch):
    product(monkeypatch, FT2232H, "Dual RS232-HS")
    with board_at(None, down=lambda data: b"") as port:
        said = "because nothing answers at 12,000,000 or 8,000,000 baud"
        assert rate_at(port) == (12_000_000, said)


def test_a_rate_that_is_given_is_taken(fake, monkeypatch):
    monkeypatch.setattr("plexor.wire.link.open.rate_at", lambda port: pytest.fail("asked for"))
    with board_at(fake.uri) as port:
        link = open_link(f"serial:{port}?baud=115200")
        assert (link.baud, link.note) == (115_200, "")
        link.close()


def test_a_port_that_is_not_there_is_one_line():
    with pytest.raises(LinkError, match=r"^serial:/dev/none\?baud=12000000: cannot open: no such"):
        rate_at("/dev/none")


def test_a_bridge_that_cannot_do_a_rate_is_told(monkeypatch):
    # ftdi_sio sets 9,600 baud in place of what a bridge cannot do, without an error.
    monkeypatch.setattr("plexor.wire.link.serial_port._rate_taken", lambda port: 9600)
    with board_at(None, down=lambda data: b"") as port:
        with pytest.raises(LinkError, match="the port runs at 9,600 baud instead of 12,000,000"):
            open_link(f"serial:{port}?baud=12000000")
