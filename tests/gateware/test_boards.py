# SPDX-License-Identifier: Apache-2.0
"""A board's bitstream is built, and keeps its clocks, hops and bins: by nextpnr's figures."""

import hashlib

import pytest
from tools.gateware import board as boards
from tools.gateware import report
from tools.gateware.build import alone, board_hash, build_id, netlist, place

SEED = 1
QUICKEST = "hx8k-evn"
"""Built in a fifth of an ECP5's time."""


def said_of(board, seed=SEED):
    """Return what docs/gateware.md says of a board's build by column: nothing if not of today's."""
    named = f"{build_id(board, seed, board_hash(board)):016x}"
    for line in report.PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if named in cells:
            return dict(zip(report.COLUMNS, cells, strict=True))
    return {}


def assert_said_to_be_kept(said):
    for column in ("core MHz", "sampling MHz"):
        reached, needed = map(float, said[column].split(" of "))
        assert reached >= needed
    failing = report.PAGE.read_text().partition("## What fails")[2]
    assert f"{said['board']}, seed {said['seed']}:" not in failing


def assert_kept(board):
    """Build a board, and return the bitstream."""
    with alone(board):
        placed = place(board, netlist(board, SEED), SEED)
        made = placed.bitstream.read_bytes()
    assert placed.failures == []
    assert len(made) > 50_000
    # What is between pads and look-up tables is free: no two channels are alike by chance.
    assert len(placed.pad_ps) == board.geometry.channels
    assert 0 < max(placed.pad_ps) < 10_000
    return made


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", boards.names())
def test_a_board_keeps_its_clocks_hops_and_bins_in_the_build_that_the_docs_tell_of(name):
    board = boards.load(name)
    made = hashlib.sha256(assert_kept(board)).hexdigest()
    assert made.startswith(said_of(board)["SHA-256"].removesuffix("…"))


@pytest.mark.full
@pytest.mark.parametrize("seed", report.SEEDS)
@pytest.mark.parametrize("name", boards.names())
def test_the_docs_tell_of_todays_gateware_on_each_board(name, seed):
    said = said_of(boards.load(name), seed)
    assert said, "docs/gateware.md tells of other gateware; `make gateware-report` renews it"
    assert_said_to_be_kept(said)


@pytest.mark.timeout(1800)
def test_gateware_that_the_docs_do_not_tell_of_is_built():
    """A build is the same each time, so what the docs tell of it need not be computed again."""
    board = boards.load(QUICKEST)
    if said := said_of(board):
        assert_said_to_be_kept(said)
    else:
        assert_kept(board)
