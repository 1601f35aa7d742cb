# SPDX-License-Identifier: Apache-2.0
"""What a feature takes on a small board: which are asked, and what a row says."""

from tools.gateware import board as boards
from tools.worth import BOARDS, ORDER, Used, rows

from plexor.protocol.geometry import ALL_FEATURES, Feature


def test_every_feature_has_its_worth_once():
    assert sorted(ORDER) == sorted(ALL_FEATURES & ~Feature.SIMULATED)


def test_the_boards_are_those_whose_device_leaves_features_out():
    # The die of an ECP5 12F has room for all.
    without = {
        board.profile.family
        for board in map(boards.load, boards.names())
        if board.geometry.features & ~Feature.CODES != ALL_FEATURES & ~Feature.SIMULATED
        and board.profile.family != "ecp5"
    }
    assert {boards.load(name).profile.family for name in BOARDS} == without


def test_a_row_says_how_much_more_is_taken_and_whether_it_fits():
    base = Used(100, 200, 30, 32)
    found = [
        (Feature.DITHER, Used(150, 200, 30, 32, "no place")),
        (Feature.SWEEP, Used(90, 200, 33, 32)),
    ]
    own, dither, sweep = rows(base, found)
    assert own[2:] == (100, "", 30, "yes", "-")
    assert dither[1:] == ("+50", 150, "+0", 30, "yes", "no place")
    assert "SNAPSHOT" in sweep[0]
    assert sweep[1:] == ("-10", 90, "+3", 33, "no", "-")
