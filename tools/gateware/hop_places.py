# SPDX-License-Identifier: Apache-2.0
"""Places the flip-flops that carry samples and outputs from phase to phase, beside their macro.

nextpnr treats the phases' clocks as unrelated and checks no times between them. Left alone, it puts
some of these flip-flops so far away that a hop misses its time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Set
from itertools import product

from plexor_hdl.front.phases import RATIO, hops
from plexor_hdl.front.sampler import HOP_PERIODS
from tools.gateware import macro
from tools.gateware.families import Family
from tools.gateware.skew import SAMPLER, SERIALISER


def places(family: Family, kind: str, taken: macro.Macro) -> dict[str, tuple[int, int, str]]:
    """Return a place for each flip-flop of the hops: the free tiles nearest to the macro's."""
    groups: dict[object, list[str]] = defaultdict(list)
    for group, name in _flip_flops(family, kind):
        groups[group].append(name)
    return nearest(family, groups.values(), {cell[:2] for cell in taken.cells.values()})


def nearest(
    family: Family,
    groups: Iterable[list[str]],
    used: Set[tuple[int, int]],
    centre: tuple[int, int] = (0, 0),
) -> dict[str, tuple[int, int, str]]:
    """Return places for groups of flip-flops in the tiles nearest to `centre` that are not used.

    Tiles are relative to the origin. The flip-flops in a tile share clock, edge and enable, so each
    group has tiles of its own. Raises ValueError if tiles are too few.
    """
    around = range(-family.reach, family.reach + 1)
    free = [tile for tile in product(around, around) if tile not in used]
    x, y = centre
    tiles = iter(sorted(free, key=lambda tile: (abs(tile[0] - x) + abs(tile[1] - y), tile)))
    found: dict[str, tuple[int, int, str]] = {}
    most = len(family.hop_bels)
    for names in groups:
        for start in range(0, len(names), most):
            if (tile := next(tiles, None)) is None:
                raise ValueError(f"{names[start]}: no tile is free of {len(free)}; needs more")
            for name, bel in zip(names[start : start + most], family.hop_bels, strict=False):
                found[name] = (*tile, bel)
    return found


def _flip_flops(family: Family, kind: str) -> Iterator[tuple[object, str]]:
    """Yield what flip-flops of a tile must share, and the flip-flop's name with macro.NUMBER."""
    phases = family.phases
    for phase in range(phases):
        if kind == "sampler":
            net = f"{SAMPLER}.first_{macro.NUMBER}_{phase}"
            ends = hops(phase, HOP_PERIODS * phases, phases)
        else:
            net = f"{SERIALISER}.toggle_{macro.NUMBER}_{phase}"
            # The last flip-flop is part of the macro.
            ends = hops(0, RATIO * phases + phase, phases)[:-1]
        for number, end in enumerate(ends):
            net = f"{net}_{number}"
            yield end, family.flip_flop(net, end)
    if kind == "sampler":
        for word, bits in (("before", phases), ("word", RATIO * phases)):
            net = family.flip_flop(f"{SAMPLER}.{word}_{macro.NUMBER}", 0)
            for bit in range(bits):
                yield word, f"{net}_{bit}" if bit else net
