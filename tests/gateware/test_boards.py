"""A board's bitstream is built, and keeps its clocks, hops and bins: by nextpnr's figures."""

import pytest
from tools.gateware import board as boards
from tools.gateware.build import alone, netlist, place

ALWAYS = "hx8k-evn"
"""Built by `make test`, in a fifth of an ECP5's time; `make test-full` builds all."""


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name == ALWAYS else pytest.mark.full)
        for name in boards.names()
    ],
)
def test_a_board_keeps_its_clocks_hops_and_bins(name):
    board = boards.load(name)
    with alone(board):
        placed = place(board, netlist(board, 1), seed=1)
    assert placed.failures == []
    assert placed.bitstream.stat().st_size > 50_000
    # What is between pads and look-up tables is free: no two channels are alike by chance.
    assert len(placed.pad_ps) == board.geometry.channels
    assert 0 < max(placed.pad_ps) < 10_000
