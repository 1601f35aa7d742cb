# SPDX-License-Identifier: Apache-2.0
"""The designs that boards may have, elaborated once for all rules about them."""

from dataclasses import replace
from functools import cache

import pytest
from amaranth.hdl import Elaboratable, Fragment, IOPort, Signal
from amaranth.lib import wiring
from tools.gateware import board as boards
from tools.gateware.families import FAMILIES

from plexor.protocol.geometry import Feature
from plexor_hdl.front.board import Board
from plexor_hdl.instrument import Instrument
from plexor_soc.boards import BOARDS as SYSTEMS


def designs() -> list[Elaboratable]:
    """Return each design that a board may have: one of each build, and of each kind of system."""
    found, seen = [], set()
    for name in boards.names():
        board = boards.load(name)
        family, codes = board.profile.family, board.geometry.code_bits > 0
        matches = Feature.MATCH in board.geometry.features
        kind = family, bool(board.uart_period), codes, matches
        if kind not in seen:
            seen.add(kind)
            pll = FAMILIES[family].pll(board.clock_mhz, board.fast_mhz)
            front = FAMILIES[family].module
            found.append(Board(front, pll, board.geometry, 1, 1, board.uart_period))
    for system in SYSTEMS.values():
        kinds = [system, replace(system, deep=True)] if system.sdram else [system]
        for one in kinds:
            kind = one.deep, not one.switch, False, False
            if kind not in seen:
                seen.add(kind)
                found.append(Instrument(one.geometry, 1, access=True, datagrams=not one.switch))
    return found


def ports_of(one: Elaboratable) -> set[str]:
    """Return the members of a component's signature, or the signals that another one offers."""
    if isinstance(one, wiring.Component):
        return set(one.signature.members)
    return {
        name
        for name, value in vars(one).items()
        if isinstance(value, Signal | IOPort) and not name.startswith("_")
    }


def recorded(designs) -> dict[type, set[str]]:
    """Return the ports of each class of hdl/ that the designs are made of, in any instance."""
    found, get = {}, Fragment.get

    def watched(one, platform):
        if type(one).__module__.startswith("plexor_hdl"):
            found.setdefault(type(one), set()).update(ports_of(one))
        return get(one, platform)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Fragment, "get", staticmethod(watched))
        for design in designs:
            Fragment.get(design, None)
    return found


@cache
def on_boards() -> dict[type, set[str]]:
    """Return the ports of each class of hdl/ that boards are made of."""
    return recorded(designs())
