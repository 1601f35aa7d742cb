# SPDX-License-Identifier: Apache-2.0
"""Oscillators of boards: each has a tolerance, and says where that is from."""

import pytest

from plexor.model.oscillators import oscillator_of


@pytest.mark.parametrize("board", ["ulx3s25f", "orngcrab", "hx8kevn", "", "of tomorrow"])
def test_each_board_has_a_tolerance_that_is_said_to_be_assumed(board):
    found = oscillator_of(board)
    assert found.ppm == 50
    assert found.source.startswith("assumed")


def test_a_part_that_a_boards_schematics_name_is_named():
    assert "FNETHE025" in oscillator_of("ulx3s85f").source
    assert "KC2520B48" in oscillator_of("orngcrab").source
