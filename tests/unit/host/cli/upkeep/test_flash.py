# SPDX-License-Identifier: Apache-2.0
"""`plexor board flash`: its options reach what writes, and it ends as its result says."""

import json
from pathlib import Path

import pytest

from plexor import cli
from plexor.base.errors import IdentityError, LinkError
from plexor.cli.upkeep import flash as body
from plexor.library.upkeep.flash import Flashed
from plexor.wire.desk.bitstreams import Bitstream

IDENTITY = {"board": "icebrkr", "build_id": "b1", "link": "serial:/dev/ttyUSB1"}


@pytest.fixture
def asked(monkeypatch):
    """What the library was asked; it answers with a board that was written."""
    seen = {}

    def flashed(board, **given):
        seen.update(given, board=board)
        given["on_line"]("writing top.bit with openFPGALoader")
        return Flashed("icebreaker-counts", True, Bitstream(Path("top.bit"), "b1"), IDENTITY)

    monkeypatch.setattr(body, "flashed", flashed)
    return seen


def test_its_words_are_what_is_asked(asked, capsys):
    words = ["--build", "counts", "--keep", "--link", "COM3", "--serial", "A1", "--force"]
    assert cli.main(["board", "flash", "icebreaker", *words, "--bitstream", "my.bit"]) == 0
    out, err = capsys.readouterr()
    assert asked.pop("on_line") is not None
    assert asked == {
        "board": "icebreaker",
        "build": "counts",
        "keep": True,
        "link": "serial:COM3",
        "serial": "A1",
        "force": True,
        "bitstream": Path("my.bit"),
        "naming": asked["naming"],
    }
    assert out.startswith("icebreaker-counts: top.bit is in the board, kept in its flash\nicebrkr ")
    assert err == "plexor: writing top.bit with openFPGALoader\n"


def test_the_document_alone_goes_to_standard_output(asked, capsys):
    assert cli.main(["board", "flash", "icebreaker", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "board": "icebreaker-counts",
        "kept": True,
        "bitstream": "top.bit",
        "build_id": "b1",
        "figures": None,
        "failures": [],
        "identity": IDENTITY,
    }


@pytest.mark.parametrize("error", [LinkError("no device"), IdentityError("another answers")])
def test_a_board_that_was_not_written_ends_with_3(monkeypatch, capsys, error):
    def flashed(*_, **__):
        raise error

    monkeypatch.setattr(body, "flashed", flashed)
    assert cli.main(["board", "flash", "icebreaker"]) == 3
    assert capsys.readouterr() == ("", f"plexor: {error}\n")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ([], "BOARD: is missing; must be one of alchitry-cu, "),
        (["icebraker"], "BOARD: 'icebraker'; must be one of alchitry-cu, "),
        (["icebreaker", "--build", "full"], "--build: 'full'; icebreaker has events and counts"),
        (["icebreaker", "--bitstream", "none.bit"], "none.bit: No such file or directory"),
        (["icebreaker", "--link", "sim:"], "--link: 'sim:' is no board; must be serial:PORT"),
    ],
)
def test_wrong_words_end_with_2_and_one_line(capsys, monkeypatch, tmp_path, words, line):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["board", "flash", *words]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"plexor: {line}")
