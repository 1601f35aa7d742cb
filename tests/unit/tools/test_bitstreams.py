# SPDX-License-Identifier: Apache-2.0
"""The package of bitstreams: today's builds alone, the best seed of each, and what is missing."""

import json

import pytest
from tools import bitstreams
from tools.bitstreams import built, fill
from tools.gateware import board as boards

NAMED = {("hx8k-evn", 1): 0xA1, ("hx8k-evn", 2): 0xA2, ("hx8k-evn", 3): 0xA3, ("upduino", 1): 0xB1}
"""Build ids of today's gateware; others have 0."""


@pytest.fixture
def place(monkeypatch, tmp_path):
    """Return what puts a stand-in of a build where `make gateware-report` leaves one."""
    monkeypatch.setattr(bitstreams, "BUILD", tmp_path)
    monkeypatch.setattr(bitstreams, "board_hash", lambda board: 0)
    monkeypatch.setattr(
        bitstreams, "build_id", lambda board, seed, gateware: NAMED.get((board.name, seed), 0)
    )

    def put(name, seed, build_id, *failures, data=b"bits"):
        folder = tmp_path / name / f"seed{seed}"
        folder.mkdir(parents=True)
        (folder / f"{build_id:016x}.bit").write_bytes(data)
        cells = {
            "board": f"`{name}`",
            "seed": seed,
            "core MHz": "131.8 of 120",
            "cells": "93%",
            "build id": f"{build_id:016x}",
            "build, CPU s": "400",
        }
        row = {"hash": "", "failures": list(failures), "cells": cells}
        (folder / "figures.json").write_text(json.dumps(row))

    return put


def test_a_build_of_earlier_gateware_is_not_taken(place):
    place("hx8k-evn", 1, 0xDEAD)
    assert built(boards.load("hx8k-evn")) is None


def test_the_first_seed_that_keeps_its_bounds_is_taken_or_the_one_that_misses_fewest(place):
    board = boards.load("hx8k-evn")
    place("hx8k-evn", 1, 0xA1, "core clock", "channel 0")
    place("hx8k-evn", 3, 0xA3, "core clock")
    assert built(board).named == f"{0xA3:016x}"
    place("hx8k-evn", 2, 0xA2)
    assert built(board).named == f"{0xA2:016x}"


def test_the_package_has_each_bitstream_with_its_figures_and_says_what_is_missing(place, tmp_path):
    place("hx8k-evn", 2, 0xA2, data=b"of the HX8K")
    place("upduino", 1, 0xB1, "core clock: 47.1 MHz; must be 48 or more", data=b"of the UP5K")
    said: list[str] = []
    folder = tmp_path / "plexor_boards"
    names = ["hx8k-evn", "icebreaker", "icebreaker-counts", "upduino"]
    assert fill(folder, names, said.append) == ["hx8k-evn", "upduino"]
    index = json.loads((folder / "index.json").read_text())
    assert index["hx8k-evn"] == {
        "file": "hx8k-evn.bit",
        "build_id": f"{0xA2:016x}",
        "figures": {
            "seed": 2,
            "core MHz": "131.8 of 120",
            "cells": "93%",
            "build id": f"{0xA2:016x}",
        },
        "failures": [],
    }
    assert index["upduino"]["failures"] == ["core clock: 47.1 MHz; must be 48 or more"]
    assert (folder / "hx8k-evn.bit").read_bytes() == b"of the HX8K"
    assert (folder / "upduino.bit").read_bytes() == b"of the UP5K"
    assert said == [
        "bitstream of hx8k-evn: seed 2, 131.8 of 120 MHz, 93% of cells",
        "bitstream of upduino: seed 1, 131.8 of 120 MHz, 93% of cells",
        "bitstream of upduino misses a bound: core clock: 47.1 MHz; must be 48 or more",
        "no bitstream of today's gateware of icebreaker, icebreaker-counts: make gateware "
        "BOARD=NAME BUILD=NAME, or make gateware-report for all",
    ]


def test_after_make_gateware_the_figures_come_from_the_last_log(place, monkeypatch, tmp_path):
    place("hx8k-evn", 1, 0xA1)
    folder = tmp_path / "hx8k-evn" / "seed1"
    (folder / "figures.json").unlink()
    (folder / "nextpnr0.log").write_text("the only log")
    row = {"failures": ["computed"], "cells": {"seed": 1, "core MHz": "x", "cells": "y"}}
    seen = []
    monkeypatch.setattr(bitstreams, "judged", lambda *given: seen.append(given[2:]))
    monkeypatch.setattr(bitstreams.report, "figures", lambda *given: row)
    assert built(boards.load("hx8k-evn")).row == row
    assert seen == [(folder, 1, "the only log")]
