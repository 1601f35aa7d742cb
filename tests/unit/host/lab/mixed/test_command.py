# SPDX-License-Identifier: Apache-2.0
"""`plexor lab mixed`: what it refuses, prints, writes, and how it ends."""

import csv
import json
from dataclasses import replace

import pytest

from plexor import cli
from plexor.base.errors import StoreError
from plexor_lab.mixed.mixed import Mixed, measured
from plexor_lab.mixed.spec import MixedSpec

from .lists import result_of
from .test_mixed import FAILS, RESULT, SAFE


class Board:
    """In place of an instrument: it brings back a planted result, and keeps what it was asked."""

    result = RESULT
    unsaved = None
    asked: list

    def __init__(self, link, **named):
        Board.asked = [link, named]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def mixed(self, **options):
        asked = MixedSpec(**options)
        Board.asked += [asked, asked.command]
        asked.told.on_run(1, 2, "verify")
        return Mixed(Board.result, unsaved=Board.unsaved)


@pytest.fixture
def board(monkeypatch):
    monkeypatch.setattr("plexor_lab.mixed.body.Instrument", Board)
    monkeypatch.setattr("plexor_lab.mixed.body.measured", Board.mixed)
    monkeypatch.setattr(Board, "result", RESULT)
    monkeypatch.setattr(Board, "unsaved", None)
    return Board


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--mode most", "'most' is not one of"),
        ("--distance 1,x", "must be steps from 0 to 127"),
        ("--rate 0s", "must be a number of steps"),
        ("--timecode seed8751 --period 1ms", "--timecode seed8751 sets --period too"),
        ("--timeout 1us", "--timeout: must be --limit or more"),
        ("--device-serial serial:/dev/ttyUSB1", "--device-serial is for a board"),
        ("--link serial:/dev/ttyUSB0", "--device-serial: is missing; name the device's serial"),
        ("--link file:x", "file:"),
        ("--spikes=-1", "0 or more standard deviations"),
    ],
)
def test_wrong_use_ends_with_2_and_one_line(capsys, options, says):
    assert cli.main(["lab", "mixed", *options.split()]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert says in err


def test_the_figures_are_printed_and_progress_goes_to_standard_error(capsys, board):
    assert cli.main(["lab", "mixed", "--count", "2", "--label", "os=x"]) == 0
    out, err = capsys.readouterr()
    assert "least safe distance: 1 step" in out
    assert err.splitlines() == [
        "plexor: 5 runs, 2.49 s of the device's time",
        "plexor: run 1 of 2: verify",
    ]
    link, named, asked, _ = board.asked
    assert (link, named["dut"]) == ("sim:?pace=8791919ns", "freertos:program=executor")
    assert asked.count == 2
    assert (asked.device, asked.device_serial, asked.out) == ({"os": "x"}, None, None)


@pytest.mark.usefixtures("board")
def test_a_document_is_the_only_print_with_json(capsys):
    assert cli.main(["lab", "mixed", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["figures"]["runs"]["mixed-0"]["counts"]["missed"] == 1


@pytest.mark.usefixtures("board")
def test_the_lists_are_written_as_csv(capsys, tmp_path):
    path = tmp_path / "rows.csv"
    assert cli.main(["lab", "mixed", "--csv", str(path), "--rows"]) == 0
    with path.open(newline="") as file:
        rows = [*csv.DictReader(file)]
    assert len(rows) == sum(len(run.rows) for run in RESULT.runs)
    assert "due step" in capsys.readouterr().out


@pytest.mark.usefixtures("board")
def test_a_file_that_cannot_be_written_is_refused_before_the_run(capsys, tmp_path, board):
    board.asked = []
    assert cli.main(["lab", "mixed", "--csv", str(tmp_path)]) == 2
    assert "is a folder; name a file in it" in capsys.readouterr().err
    assert board.asked == []


@pytest.mark.parametrize(
    ("result", "code"),
    [
        (result_of(FAILS), 1),
        (result_of(replace(SAFE, invalid_reasons=("it broke",))), 4),
        (result_of(SAFE, interrupted=True), 130),
    ],
)
def test_the_exit_code_says_how_it_ended(capsys, board, monkeypatch, result, code):
    monkeypatch.setattr(board, "result", result)
    assert cli.main(["lab", "mixed", "--count", "9"]) == code
    assert "mixed-" in capsys.readouterr().out


def test_a_result_that_could_not_be_kept_is_printed_all_the_same(capsys, board, monkeypatch):
    monkeypatch.setattr(board, "unsaved", StoreError("x: no room"))
    assert cli.main(["lab", "mixed", "--count", "9"]) == 2
    out, err = capsys.readouterr()
    assert "least safe distance" in out
    assert "no room" in err


def test_every_option_is_explained(capsys):
    assert cli.main(["lab", "mixed", "--help"]) == 0
    assert "--device-serial" in capsys.readouterr().out
    assert measured.__doc__
