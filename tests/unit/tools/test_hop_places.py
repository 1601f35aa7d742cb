# SPDX-License-Identifier: Apache-2.0
"""Locked places of the hops' flip-flops: a tile has one clock and edge, and nothing else's."""

from collections import Counter, defaultdict
from dataclasses import replace

import pytest
from tools.gateware import macro
from tools.gateware.board import CONSTRAINTS
from tools.gateware.families import FAMILIES
from tools.gateware.hop_places import places

ECP5 = FAMILIES["ecp5"]
KEPT = macro.read(CONSTRAINTS / "front" / "ecp5.json")
HOPS = {
    # Eight phases, three hops each to phase 0, then 8 samples side by side and a word of 16.
    "sampler": 8 * 3 + 8 + 16,
    # Two hops before the macro's flip-flop, but for phase 0, which has one.
    "serialiser": 7 * 2 + 1,
}


def bare(kind):
    """Return the macro without what was put beside it."""
    cells = {
        name: cell
        for name, cell in KEPT[kind].cells.items()
        if "seen" in name
        or "joined" in name
        or "driven" in name
        or "strike" in name
        # first_<channel>_<phase> and no further hop.
        or (name.removesuffix("_TRELLIS_FF_Q").count("_") == 2 and "first" in name)
    }
    return replace(KEPT[kind], cells=cells)


@pytest.mark.parametrize("kind", HOPS)
def test_every_hops_flip_flop_has_a_place_of_its_own(kind):
    own = bare(kind)
    found = places(ECP5, kind, own)
    assert len(found) == HOPS[kind] == len(set(found.values()))
    assert not {cell[:2] for cell in found.values()} & {cell[:2] for cell in own.cells.values()}
    assert KEPT[kind].cells == own.cells | found


def test_flip_flops_of_one_tile_are_of_one_phase():
    # By hand, of the sampler: from phase 3 at 3 + 21 eighths in three steps of 7.
    phases = {(3, 0): 2, (3, 1): 1, (3, 2): 0, (7, 0): 4, (7, 1): 2, (7, 2): 0}
    found = places(ECP5, "sampler", bare("sampler"))
    tiles = defaultdict(set)
    for (phase, hop), end in phases.items():
        net = f"front.sampler.first_#_{phase}" + "".join(f"_{n}" for n in range(hop + 1))
        tiles[found[f"{net}_TRELLIS_FF_Q"][:2]].add(end)
    assert all(len(ends) == 1 for ends in tiles.values())
    assert max(Counter(cell[:2] for cell in found.values()).values()) == 8
