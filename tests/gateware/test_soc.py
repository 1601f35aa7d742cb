# SPDX-License-Identifier: Apache-2.0
"""A board's LiteX system is built, and keeps its clocks, hops and bins: by nextpnr's figures."""

from dataclasses import replace

import pytest
from tools.gateware import soc, systems
from tools.gateware.flow import BUILD

from plexor_soc.boards import BOARDS

BUILT = replace(BOARDS["colorlight-i5"], deep=True)
"""The fullest: with Ethernet and a deep memory on a 25F."""


def named(system):
    return soc.board_of(system).name


def said_of(system):
    """Return what docs/systems.md says of a system by column: nothing if not of today's."""
    board = soc.board_of(system)
    today = {f"{soc.id_of(board, seed):016x}" for seed in soc.SEEDS}
    for line in systems.PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if today & set(cells):
            return dict(zip(systems.COLUMNS, cells, strict=True))
    return {}


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_the_fullest_system_keeps_its_bounds_and_is_what_the_docs_tell():
    built = soc.build(BUILT, BUILD / "soc" / named(BUILT))
    assert built.failures == []
    assert len(built.placed.channels) == BUILT.channels
    cells = systems.figures(built, used_s=0)["cells"]
    said = said_of(BUILT)
    for column in systems.COLUMNS:
        assert column == "build, CPU s" or said[column] == str(cells[column])


@pytest.mark.full
@pytest.mark.parametrize("system", soc.SYSTEMS, ids=named)
def test_the_docs_tell_of_todays_systems_and_each_keeps_its_bounds(system):
    said = said_of(system)
    assert said, "docs/systems.md tells of other gateware; `make soc-report` renews it"
    clocks = (said["core MHz"], said["sampling MHz"], *said["other clocks MHz"].split(", "))
    for clock in clocks:
        reached, needed = map(float, clock.rpartition("` ")[2].split(" of "))
        assert reached >= needed
    failing = systems.PAGE.read_text().partition("## What fails")[2]
    assert f"{said['system']}, seed {said['seed']}:" not in failing
