# SPDX-License-Identifier: Apache-2.0
"""Boards and what keeps them from working, in trees of files like those of Linux."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from plexor.wire.desk.doctor import Level, examine, udev_rules
from plexor.wire.link.boards import (
    BOARDS,
    DAPLINK,
    DFU,
    FT231X,
    FT232H,
    FT2232H,
    ICELINK,
    Plugged,
    found_boards,
)

from .tree import ICEBREAKER, Tree

ROOT = Path(__file__).parents[5]
CONSTRAINTS = ROOT / "constraints"
EXTRA = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
PACKAGES = [re.match(r"[\w-]+", line)[0] for line in EXTRA["sim"]]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


RULES = "etc/udev/rules.d/60-plexor.rules"


def test_without_usb_that_is_said(tmp_path):
    seen = examine(tmp_path, lambda *_: True, lambda program: program)
    assert seen[0].level == Level.NOTE
    assert "/sys/bus/usb" in seen[0].what


def test_of_a_board_that_is_set_up_nothing_is_missing(tree):
    tree.plug(**ICEBREAKER)
    tree.write(RULES, udev_rules())
    assert tree.wrong() == []
    texts = [entry.what for entry in tree.examine()]
    assert "iCEBreaker ib57aa: --link 'serial:/dev/ttyUSB1?baud=8000000'" in texts
    assert "udev has a rule for each board" in texts


def test_a_missing_rule_comes_with_the_command_that_installs_it(tree):
    tree.plug(**ICEBREAKER)
    tree.write(RULES, "# " + udev_rules().replace("\n", "\n# "))
    (entry,) = tree.wrong()
    assert entry.what == "udev has no rule for 0403:6010"
    assert entry.command.startswith("plexor board doctor --udev | sudo tee /etc/udev/rules.d/")


@pytest.mark.parametrize("node", ["/dev/ttyUSB1", "/dev/bus/usb/001/004"])
def test_a_node_that_may_not_be_opened_is_named(tree, node):
    tree.plug(**ICEBREAKER)
    tree.write(RULES, udev_rules())
    tree.forbidden = {node}
    wrong = tree.wrong()
    assert wrong
    assert all(node in entry.what and "udevadm" in entry.command for entry in wrong)


def test_a_port_that_is_not_the_instruments_may_be_closed(tree):
    tree.plug(**ICEBREAKER)
    tree.write(RULES, udev_rules())
    tree.forbidden = {"/dev/ttyUSB0"}
    assert tree.wrong() == []


def test_a_slow_latency_timer_is_not_missing_because_a_link_sets_it(tree):
    tree.plug(**ICEBREAKER, latency="16")
    tree.write(RULES, udev_rules())
    assert tree.wrong() == []
    texts = [entry.what for entry in tree.examine()]
    assert (
        "iCEBreaker ib57aa: latency timer 16 ms; a link sets 1 ms when it opens the port" in texts
    )


@pytest.mark.parametrize(
    ("usb_id", "driver"),
    [(FT231X, "ftdi_sio"), (FT232H, "ftdi_sio"), (DAPLINK, "cdc_acm"), (ICELINK, "cdc_acm")],
)
def test_a_board_without_its_driver_is_told_which(tree, usb_id, driver):
    tree.programs |= {"icesprog"}
    tree.plug(usb_id)
    tree.write(RULES, udev_rules())
    (entry,) = tree.wrong()
    assert entry.command == f"sudo modprobe {driver}"


def test_a_board_that_has_no_port_of_its_own_is_said_to_need_one(tree):
    tree.plug(DFU, "OrangeCrab r0.2 DFU Bootloader")
    tree.write(RULES, udev_rules())
    assert tree.wrong() == []
    assert any("connect a USB serial adapter" in entry.what for entry in tree.examine())


def test_a_board_comes_with_its_link_at_its_rate(tree):
    tree.plug(DAPLINK, "DAPLink CMSIS-DAP", ttys=((1, "ttyACM0"),), cdc=True)
    tree.write(RULES, udev_rules())
    assert tree.wrong() == []
    texts = [entry.what for entry in tree.examine()]
    assert any(text.endswith(": --link 'serial:/dev/ttyACM0?baud=115200'") for text in texts)


def test_of_boards_with_one_bridge_each_has_its_whole_address():
    (port,) = found_boards([Plugged(FT2232H, "", "", 1, "COM3", "")])
    assert port.uris == (
        ("serial:COM3?baud=12000000", "iCE40-HX8K-B-EVN or ECPIX-5 or Alchitry Cu"),
        ("serial:COM3?baud=8000000", "iCEBreaker"),
    )


@pytest.mark.parametrize("path", sorted(CONSTRAINTS.glob("*.toml")), ids=lambda path: path.stem)
def test_the_rate_of_a_boards_link_is_that_of_its_file(path):
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    named = [entry for entry in BOARDS if entry.name in table["title"]]
    # The Bitsy is an iCEBreaker by its name, too.
    own = max(named, key=lambda entry: len(entry.name))
    # Some boards have no port of their own.
    assert own.baud == (table["link"]["baud"] if own.interface is not None else 0)
    assert table["identity"] in own.identities
    assert list(own.loses) == table["link"].get("loses", [])


def test_rules_of_a_port_are_for_boards_that_have_one():
    lines = udev_rules().splitlines()
    ports = {line.split('"')[3] + line.split('"')[5] for line in lines if '"tty"' in line}
    assert ports == {
        *("04036010", "04036014", "04036015", "0d280204", "1d50602b"),
    }


def test_the_program_that_flashes_a_board_is_missed_for_that_board_only(tree):
    tree.write(RULES, udev_rules())
    tree.programs = {"g++", "cargo", "openFPGALoader"}
    tree.plug(**ICEBREAKER)
    assert tree.wrong() == []
    tree.plug(DFU, "OrangeCrab")
    (entry,) = tree.wrong()
    assert entry.command == "sudo apt install dfu-util"
    tree.programs |= {"dfu-util"}
    tree.plug(ICELINK, "DAPLink CMSIS-DAP")
    assert "icesprog is not installed" in " ".join(entry.what for entry in tree.wrong())


def lacking(monkeypatch, *names):
    """Make packages look as if they were not installed."""
    known = metadata.version

    def version(name):
        if name in names:
            raise metadata.PackageNotFoundError(name)
        return known(name)

    monkeypatch.setattr("plexor.wire.desk.doctor.metadata.version", version)


def of_simulation(tree):
    return [entry for entry in tree.examine() if "simulated instrument" in entry.what]


@pytest.mark.parametrize("package", PACKAGES)
def test_where_a_package_of_the_simulation_is_missing_it_cannot_be_built(
    tree, monkeypatch, package
):
    lacking(monkeypatch, package)
    tree.programs = {"g++", "cargo"}
    (entry,) = tree.wrong()
    assert entry.what == f"the simulated instrument cannot be built: {package} missing"
    assert entry.command.startswith("pip install '.[sim]'")


@pytest.mark.parametrize(
    ("programs", "compiler"),
    [({"g++", "clang++"}, "g++"), ({"clang++"}, "clang++"), (set(), "ziglang's C++ compiler")],
)
def test_no_program_of_the_system_is_needed_for_the_simulation(tree, programs, compiler):
    tree.programs = programs
    assert tree.wrong() == []
    (entry,) = of_simulation(tree)
    assert entry.what == f"the simulated instrument can be built, with {compiler}"


def test_what_only_one_device_needs_is_a_note(tree):
    tree.programs = {"g++"}
    (entry,) = (entry for entry in tree.examine() if "cargo" in entry.what)
    assert entry.level == Level.NOTE


def test_the_rules_name_every_board():
    for board in BOARDS:
        vendor, product = board.usb_id
        assert f'"{vendor:04x}", ATTRS{{idProduct}}=="{product:04x}"' in udev_rules()
    ftdi = [line for line in udev_rules().splitlines() if "latency_timer" in line]
    assert len(ftdi) == 3
    assert all("0403" in line for line in ftdi)
