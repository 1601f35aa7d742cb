# SPDX-License-Identifier: Apache-2.0
"""Boards by what is plugged in: which they are, and which port is the instrument's."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from plexor.wire.link.boards import (
    DAPLINK,
    DFU,
    FT231X,
    FT232H,
    FT2232H,
    ICELINK,
    Plugged,
    found_boards,
    serial_ports,
    usb_devices,
)

from ..desk.tree import ICEBREAKER, Tree

NAMELESS = "iCEBreaker or iCE40-HX8K-B-EVN or ECPIX-5 or Alchitry Cu"
"""Boards with an FT2232H."""


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_a_device_is_found_with_each_of_its_ports(tree):
    tree.plug(**ICEBREAKER)
    *ports, hub = usb_devices(tree.root)
    assert hub.usb_id == (0x1D6B, 2)
    assert ports == [
        Plugged(FT2232H, "iCEBreaker V1.1a", "ib57aa", 0, "/dev/ttyUSB0", "/dev/bus/usb/001/004"),
        Plugged(FT2232H, "iCEBreaker V1.1a", "ib57aa", 1, "/dev/ttyUSB1", "/dev/bus/usb/001/004"),
    ]
    assert [(entry.name, entry.link) for entry in found_boards(ports)] == [
        ("iCEBreaker", False),
        ("iCEBreaker", True),
    ]


@pytest.mark.parametrize(
    ("usb_id", "product", "name"),
    [
        (FT231X, "ULX3S FPGA 85K v3.0.8", "ULX3S"),
        (FT2232H, "Lattice FTUSB Interface Cable", "iCE40-HX8K-B-EVN"),
        (FT2232H, "ECPIX-5 Debug", "ECPIX-5"),
        (FT2232H, "Dual RS232-HS", NAMELESS),
        (DFU, "OrangeCrab r0.2 DFU Bootloader v3.1", "OrangeCrab"),
        (DAPLINK, "DAPLink CMSIS-DAP", "Colorlight i5 or Colorlight i9"),
        (ICELINK, "DAPLink CMSIS-DAP", "iCESugar-pro or iCESugar v1.5"),
        (FT232H, "UPduino v3.1c", "UPduino"),
        (FT232H, "Single RS232-HS", "UPduino"),
        (FT2232H, "Alchitry Cu", "Alchitry Cu"),
        ((0x1D50, 0x6146), "iCEBreaker bitsy v1.1c (DFU)", "iCEBreaker Bitsy"),
        ((0x1D50, 0x614B), "ULX4M-LS (DFU)", "ULX4M-LS"),
        ((0x1209, 0xB1C0), "pico-ice", "pico-ice"),
    ],
)
def test_a_board_is_known_by_its_id_and_where_it_helps_its_name(usb_id, product, name):
    (entry,) = found_boards([Plugged(usb_id, product, "", 1, "/dev/ttyX", "")])
    assert entry.name == name


@pytest.mark.parametrize("interface", [0, 1, 2, None])
def test_the_only_port_of_a_board_is_the_instruments(interface):
    for usb_id in (FT231X, FT232H, DAPLINK, ICELINK):
        (entry,) = found_boards([Plugged(usb_id, "", "", interface, "/dev/ttyX", "")])
        assert entry.link


@pytest.mark.parametrize("interface", [0, 2, 4, None])
def test_a_port_that_does_not_go_to_the_instrument_is_no_link(interface):
    (entry,) = found_boards([Plugged((0x1209, 0xB1C0), "", "", interface, "/dev/ttyACM1", "")])
    assert (entry.link, entry.rates) == (False, ())


def test_where_interfaces_are_not_known_either_port_may_be_the_instruments():
    assert all(entry.link for entry in found_boards([Plugged(FT2232H, "", "", None, "COM3", "")]))


def test_what_is_no_board_is_not_found():
    assert found_boards([Plugged((0x1D6B, 2), "hub", "", None, "", "")]) == ()


def port(**changes):
    """Return a port as pyserial tells of it."""
    known = {
        "vid": 0x0403,
        "pid": 0x6010,
        "product": "iCEBreaker V1.1a",
        "description": "USB Serial Port (COM3)",
        "serial_number": "ib57aa",
        "location": "1-2:x.1",
        "device": "COM3",
    }
    return SimpleNamespace(**(known | changes))


@pytest.mark.parametrize(
    ("changes", "product", "names"),
    [
        ({}, "iCEBreaker V1.1a", ["iCEBreaker"]),
        # Windows tells no product: its description is all there is.
        (
            {"product": None},
            "USB Serial Port (COM3)",
            [NAMELESS],
        ),
        ({"product": None, "description": "ECPIX-5 (COM3)"}, "ECPIX-5 (COM3)", ["ECPIX-5"]),
        (
            {"product": None, "description": None, "serial_number": None},
            "",
            [NAMELESS],
        ),
        ({"vid": None, "pid": None}, None, []),
        ({"pid": None}, None, []),
    ],
)
def test_a_port_has_its_products_name_or_else_what_the_system_calls_it(
    monkeypatch, changes, product, names
):
    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: [port(**changes)])
    ports = serial_ports()
    assert [entry.product for entry in ports] == ([] if product is None else [product])
    assert [entry.name for entry in found_boards(ports)] == names
    for entry in ports:
        assert entry.usb_id == FT2232H
        assert (entry.interface, entry.port) == (1, "COM3")
