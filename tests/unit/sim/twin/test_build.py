# SPDX-License-Identifier: Apache-2.0
"""A twin is built once, for all boards, and says that it is one."""

from plexor.protocol.geometry import PLACED
from plexor_hdl.build import boards
from plexor_sim.devices import synthetic_device
from plexor_sim.packages import default_cache
from plexor_sim.twin.build import TWIN, arguments, build_twin


def build_id(board):
    _, text = arguments(boards.simulated(board))
    return int(dict(item.split("=") for item in text.split(","))["build_id"])


def test_a_build_id_says_twin_and_no_bitstream():
    for board in ("ulx3s-25f", "icebreaker"):
        assert build_id(board) & TWIN
        assert not build_id(board) & PLACED


def test_boards_have_build_ids_of_their_own():
    assert build_id("ulx3s-25f") != build_id("icebreaker")


def test_a_second_build_compiles_nothing():
    said = []
    build_twin(synthetic_device(), default_cache(), said.append)
    said.clear()
    assert build_twin(synthetic_device(), default_cache(), said.append).is_file()
    assert said == []
