# SPDX-License-Identifier: Apache-2.0
"""Flashing a board, with stand-ins for the programs that write, and an instrument that answers."""

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from plexor.base.errors import IdentityError, LinkError, UsageError
from plexor.library.upkeep import flash
from plexor.library.upkeep.flash import Flashed, flashed
from plexor.protocol.geometry import PLACED
from plexor.wire.desk import bitstreams, programmers
from plexor.wire.desk.programmers import ways
from plexor.wire.link import boards
from plexor.wire.link.boards import DFU, FT2232H, ICELINK, Family, Plugged, usb_devices

from ...fake_device import FakeDevice
from ...plain_text import columns_and_colour
from ...scenario import GEOMETRY, Scenario
from ...wire.desk.test_bitstreams import ECP5, ICE40
from ...wire.desk.tree import ICEBREAKER, Tree

OPEN = "openFPGALoader"
GENERIC = ["--board", "ice40_generic"]
CALLS: dict[str, tuple[str, list[str] | None, list[str]]] = {
    "alchitry-cu": (OPEN, None, [*GENERIC, "--write-flash"]),
    "colorlight-i5": (
        OPEN,
        ["--board", "colorlight-i5", "--write-sram"],
        ["--board", "colorlight-i5", "--unprotect-flash", "--write-flash"],
    ),
    "hx8k-evn": (OPEN, [*GENERIC, "--write-sram"], [*GENERIC, "--write-flash"]),
    "icebreaker": (OPEN, [*GENERIC, "--write-sram"], [*GENERIC, "--write-flash"]),
    "icesugar": ("icesprog", None, ["--write"]),
    "orangecrab": ("dfu-util", None, ["--device", "1209:5af0", "--alt", "0", "--download"]),
    "pico-ice": (
        "dfu-util",
        ["--device", "1209:b1c0", "--alt", "1", "--download"],
        ["--device", "1209:b1c0", "--alt", "0", "--download"],
    ),
    "tinyfpga-bx": ("tinyprog", None, ["--program"]),
    "ulx3s-25f": (
        OPEN,
        ["--board", "ulx3s", "--write-sram"],
        ["--board", "ulx3s", "--write-flash"],
    ),
}
"""What a board's program is called with, until power-off and to keep, before the file's path."""
OLD, NEW = PLACED | 0xA0, PLACED | 0xB1


class Desk:
    """A computer with a clone, whose path has only what a test puts there."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.tree = Tree(root / "root")
        (root / "bin").mkdir()
        (root / "clone" / "constraints").mkdir(parents=True)

    @property
    def calls(self) -> list[str]:
        """The words of the last program; none if none was called."""
        path = self.root / "calls"
        return path.read_text().splitlines() if path.exists() else []

    def program(self, name: str, code: int = 0, says: str = "done") -> None:
        """Put a stand-in on the path: it writes its words down."""
        path = self.root / "bin" / name
        calls = f"""printf '%s\\n' "$@" > {self.root}/calls"""
        path.write_text(f"#!/bin/sh\n{calls}\necho '{says}'\nexit {code}\n")
        path.chmod(0o755)

    def build(self, name: str, build_id: int = NEW) -> Path:
        """Put a bitstream where `make gateware` leaves it, with its name beside it."""
        folder = self.root / "clone" / "build" / name / "seed1"
        folder.mkdir(parents=True)
        way = ways()[name.removesuffix("-counts")]
        data = ECP5 if way.kind.family is Family.ECP5 else ICE40
        for file in (f"{build_id:016x}.bit", "top.bit"):
            (folder / file).write_bytes(data)
        return folder / "top.bit"

    def instrument(
        self, name: str, before: int | None = OLD, after: int = NEW, becomes: str = ""
    ) -> FakeDevice:
        """Return an instrument of a board that starts anew when a program was called."""

        def clock() -> int:
            identity = ways()[becomes or name].identity if self.calls else ways()[name].identity
            device.set("identity", "build_id", after if self.calls else before or OLD)
            device.set("identity", "board", int.from_bytes(identity.encode(), "little"))
            return 0

        scenario = Scenario([50], replace(GEOMETRY, board=ways()[name].identity))
        device = FakeDevice(scenario, clock=clock)
        return device


@pytest.fixture
def desk(monkeypatch, tmp_path):
    desk = Desk(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setattr(programmers, "find_spec", lambda name: None)
    monkeypatch.setattr(bitstreams, "find_spec", lambda name: None)
    monkeypatch.setattr(bitstreams, "CLONE", tmp_path / "clone")
    monkeypatch.setattr(boards, "usb_devices", lambda: usb_devices(desk.tree.root))
    monkeypatch.setattr(boards, "serial_ports", lambda: ())
    monkeypatch.setattr(flash, "PORT_S", 0.0)
    monkeypatch.setattr(flash, "START_S", 0.0)
    return desk


def refused(call: Callable[[], object], kind: type[Exception]) -> str:
    """Return what a call is refused with."""
    with pytest.raises(kind) as caught:
        call()
    assert caught.type is kind
    return str(caught.value)


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("name", [name for name in CALLS if name in ways()])
def test_the_right_file_is_written_to_the_right_board_and_the_board_says_so(desk, name, keep):
    tool, *calls = CALLS[name]
    words = calls[keep]
    desk.program(tool)
    path = desk.build(name)
    with desk.instrument(name) as fake:
        if words is None:
            error = refused(lambda: flashed(name, link=fake.uri), UsageError)
            assert error == (
                f"{name}: {tool} can only write the flash, where it stays: plexor board flash "
                f"{name} --keep"
            )
            assert desk.calls == []
            return
        found = flashed(name, keep=keep, link=fake.uri)
    assert desk.calls == [*words, str(path)]
    assert (found.board, found.kept, found.bitstream.path) == (name, keep, path)
    assert found.identity["board"] == ways()[name].identity
    assert found.identity["build_id"] == found.bitstream.build_id == f"{NEW:016x}"


def test_every_program_has_a_stand_in():
    assert {way.tool for way in ways().values()} <= {tool for tool, *_ in CALLS.values()}


def test_a_build_by_its_name_is_another_file(desk):
    desk.program(OPEN)
    desk.build("icebreaker")
    path = desk.build("icebreaker-counts")
    with desk.instrument("icebreaker") as fake:
        assert flashed("icebreaker", build="counts", link=fake.uri).board == "icebreaker-counts"
    assert desk.calls[-1] == str(path)


def test_a_users_own_file_is_written_whose_build_is_not_known(desk):
    desk.program(OPEN)
    path = desk.root / "my.bit"
    path.write_bytes(ICE40)
    with desk.instrument("icebreaker") as fake:
        found = flashed("icebreaker", bitstream=path, link=fake.uri)
    assert desk.calls[-1] == str(path)
    assert "; which build the file is is not known" in found.text()


@pytest.mark.parametrize("other", ["hx8k-evn", "ulx3s-85f"])
def test_where_another_board_answers_nothing_is_written_but_with_force(desk, other):
    desk.program(OPEN)
    desk.build("ulx3s-25f")
    with desk.instrument(other, becomes="ulx3s-25f") as fake:
        error = refused(lambda: flashed("ulx3s-25f", link=fake.uri), IdentityError)
        assert error == (
            f"{fake.uri}: {ways()[other].identity} answers, build 80000000000000a0; ulx3s-25f is "
            "ulx3s25f; nothing was written; --force writes it"
        )
        assert desk.calls == []
        flashed("ulx3s-25f", link=fake.uri, force=True)
    assert desk.calls


def test_a_board_that_answers_as_another_afterwards_is_no_success(desk):
    desk.program(OPEN)
    desk.build("hx8k-evn")
    with desk.instrument("hx8k-evn", becomes="icebreaker") as fake:
        error = refused(lambda: flashed("hx8k-evn", link=fake.uri), IdentityError)
    assert error == f"{fake.uri}: icebrkr answers, build 80000000000000b1; hx8kevn was written"


def test_a_board_that_still_has_what_it_had_is_no_success(desk):
    desk.program(OPEN)
    desk.build("hx8k-evn")
    with desk.instrument("hx8k-evn", after=OLD) as fake:
        error = refused(lambda: flashed("hx8k-evn", link=fake.uri), IdentityError)
    assert error == (
        f"{fake.uri}: hx8kevn answers, build 80000000000000a0; 80000000000000b1 was written, and "
        "the board did not start from it"
    )


def test_silence_is_no_success_and_says_what_came(desk):
    desk.program(OPEN)
    desk.build("hx8k-evn")
    error = refused(lambda: flashed("hx8k-evn", link="tcp://127.0.0.1:1"), LinkError)
    assert error.startswith("written, but not identified: tcp://127.0.0.1:1: ")
    assert desk.calls


def test_a_failing_program_is_no_success(desk):
    desk.program(OPEN, code=1, says="unable to open ftdi device")
    desk.build("hx8k-evn")
    with desk.instrument("hx8k-evn") as fake:
        error = refused(lambda: flashed("hx8k-evn", link=fake.uri), LinkError)
    assert error.startswith("openFPGALoader ended with exit code 1; is the board plugged in, as 04")


def test_without_its_program_nothing_is_tried(desk):
    desk.build("orangecrab")
    error = refused(lambda: flashed("orangecrab", keep=True), LinkError)
    assert error == "dfu-util is not installed: sudo apt install dfu-util"


@pytest.mark.parametrize("link", ["sim:?board=hx8k-evn", "file:run.plexor"])
def test_what_is_simulated_or_recorded_is_no_board(desk, link):
    desk.program(OPEN)
    desk.build("hx8k-evn")
    error = refused(lambda: flashed("hx8k-evn", link=link), UsageError)
    assert error == f"--link: {link!r} is no board; must be serial:PORT"
    assert desk.calls == []


def test_without_a_port_it_is_said_how_to_ask_the_board(desk):
    desk.program("dfu-util")
    desk.build("orangecrab")
    error = refused(lambda: flashed("orangecrab", keep=True), LinkError)
    assert error == (
        "written, but not identified, because no port has this board's USB id: plexor board "
        "identify --link serial:PORT asks it"
    )


@pytest.mark.parametrize(
    ("name", "plugged", "links"),
    [
        (
            "hx8k-evn",
            [
                Plugged(FT2232H, "Lattice FTUSB Interface Cable", "", 0, "/dev/ttyUSB0", ""),
                Plugged(FT2232H, "Lattice FTUSB Interface Cable", "", 1, "/dev/ttyUSB1", ""),
                Plugged(FT2232H, "iCEBreaker V1.1a", "", 1, "/dev/ttyUSB3", ""),
            ],
            ["serial:/dev/ttyUSB1?baud=12000000"],
        ),
        (
            "icebreaker",
            [Plugged(FT2232H, "Dual RS232-HS", "", 1, "/dev/ttyUSB3", "")],
            ["serial:/dev/ttyUSB3?baud=8000000"],
        ),
        ("orangecrab", [Plugged(DFU, "OrangeCrab", "", None, "", "")], []),
        (
            "icesugar",
            [Plugged(ICELINK, "DAPLink CMSIS-DAP", "", 1, "/dev/ttyACM0", "")],
            ["serial:/dev/ttyACM0?baud=125000"],
        ),
        ("pico-ice", [Plugged((0x1209, 0xB1C0), "pico-ice", "", 2, "/dev/ttyACM1", "")], []),
    ],
)
def test_a_board_is_asked_at_the_port_of_its_usb_id(monkeypatch, name, plugged, links):
    monkeypatch.setattr(boards, "serial_ports", lambda: plugged)
    assert flash._links(ways()[name], None, None) == links
    assert flash._links(ways()[name], "serial:COM3", None) == ["serial:COM3"]


def test_of_two_boards_the_one_with_the_serial_number_is_asked(monkeypatch):
    plugged = [Plugged(FT2232H, "iCEBreaker", s, 1, f"/dev/tty{s}", "") for s in "AB"]
    monkeypatch.setattr(boards, "serial_ports", lambda: plugged)
    assert flash._links(ways()["icebreaker"], None, plugged[1]) == ["serial:/dev/ttyB?baud=8000000"]


def of_two(desk):
    desk.program(OPEN)
    desk.build("icebreaker")
    desk.tree.plug(**ICEBREAKER)
    desk.tree.plug(FT2232H, "iCEBreaker V1.1a", "ib99zz", ttys=((1, "ttyUSB3"),))


def test_of_two_boards_of_one_kind_one_must_be_named(desk):
    of_two(desk)
    error = refused(lambda: flashed("icebreaker"), UsageError)
    assert error == (
        "2 devices may be the icebreaker: iCEBreaker V1.1a ib57aa, iCEBreaker V1.1a ib99zz; name "
        "one with --serial"
    )
    error = refused(lambda: flashed("icebreaker", serial="ib"), UsageError)
    assert error.startswith("--serial: 'ib'; plugged in: iCEBreaker V1.1a ib57aa, ")
    assert desk.calls == []
    with desk.instrument("icebreaker") as fake:
        flashed("icebreaker", serial="ib99zz", link=fake.uri)
    assert desk.calls[:2] == ["--ftdi-serial", "ib99zz"]


def test_two_of_which_a_program_cannot_choose_are_to_be_one(desk):
    desk.program("icesprog")
    desk.build("icesugar")
    for serial in ("1", "2"):
        desk.tree.plug(ICELINK, "DAPLink CMSIS-DAP", serial)
    error = refused(lambda: flashed("icesugar", keep=True), UsageError)
    assert error.startswith("2 devices may be the icesugar: ")
    assert error.endswith("; unplug all but one")
    error = refused(lambda: flashed("icesugar", keep=True, serial="2"), UsageError)
    assert error == "icesprog cannot choose one of several devices; unplug all but one"
    assert desk.calls == []


def test_a_board_beside_others_with_its_id_is_chosen_by_its_name(desk):
    desk.program(OPEN)
    desk.build("icebreaker")
    desk.tree.plug(FT2232H, "Lattice FTUSB Interface Cable", "FT1")
    desk.tree.plug(**ICEBREAKER)
    with desk.instrument("icebreaker") as fake:
        flashed("icebreaker", link=fake.uri)
    # The program alone would have taken the first.
    assert desk.calls[:2] == ["--ftdi-serial", "ib57aa"]


def test_a_board_of_another_kind_by_its_usb_name_is_not_written_but_with_force(desk):
    desk.program(OPEN)
    desk.build("hx8k-evn")
    desk.tree.plug(**ICEBREAKER)
    error = refused(lambda: flashed("hx8k-evn"), UsageError)
    assert error == (
        "iCEBreaker V1.1a ib57aa: no iCE40-HX8K-B-EVN by its USB name; nothing was written; "
        "--force writes it"
    )
    assert desk.calls == []
    with desk.instrument("hx8k-evn") as fake:
        flashed("hx8k-evn", link=fake.uri, force=True)
    assert desk.calls[-1].endswith("top.bit")


def test_without_permission_the_line_says_what_gives_it(desk, monkeypatch):
    desk.program(OPEN)
    desk.build("icebreaker")
    node = desk.tree.root / "node"
    node.touch()
    plugged = Plugged(FT2232H, "iCEBreaker V1.1a", "ib57aa", 1, "/dev/ttyUSB1", str(node))
    monkeypatch.setattr(boards, "usb_devices", lambda: (plugged,))
    monkeypatch.setattr(os, "access", lambda path, mode: path != node)
    error = refused(lambda: flashed("icebreaker"), LinkError)
    assert error.startswith(
        f"iCEBreaker V1.1a ib57aa: {node}: no permission to write it: plexor board doctor --udev | "
    )
    assert desk.calls == []


def test_its_text_names_file_build_link_and_what_it_misses():
    identity = {"board": "icebrkr", "build_id": "b1", "link": "serial:/dev/ttyUSB1"}
    figures = {"core MHz": "47.1 of 48", "cells": "97%", "bins, ps": "2400 to 2808"}
    file = bitstreams.Bitstream(Path("x/top.bit"), "b1", figures, ("core clock: 47.1 MHz",))
    found = Flashed("icebreaker", True, file, identity)
    assert found.text().splitlines() == [
        "icebreaker: x/top.bit is in the board, kept in its flash",
        "icebrkr answers, build b1: --link 'serial:/dev/ttyUSB1'",
        "computed by place and route: core MHz 47.1 of 48; cells 97%",
        "this build misses a bound: core clock: 47.1 MHz",
    ]
    assert found.document()["failures"] == ["core clock: 47.1 MHz"]
    assert "until power-off" in replace(found, kept=False).text()
    assert columns_and_colour(Flashed.text) == (100, False)


def test_what_is_done_is_told_before_the_programs_words(desk):
    desk.program(OPEN)
    path = desk.build("icebreaker")
    lines: list[str] = []
    with desk.instrument("icebreaker") as fake:
        flashed("icebreaker", link=fake.uri, on_line=lines.append)
    assert lines == [f"writing {path} with openFPGALoader"]
