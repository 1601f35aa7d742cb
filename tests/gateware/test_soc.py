"""A board's LiteX system is built, and keeps its clocks, hops and bins: by nextpnr's figures."""

from dataclasses import replace

import pytest
from tools.gateware import soc
from tools.gateware.flow import BUILD

from plexor_soc.boards import BOARDS

SYSTEMS = [*BOARDS.values(), *(replace(one, deep=True) for one in BOARDS.values() if one.sdram)]


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("system", SYSTEMS, ids=lambda one: soc.board_of(one).name)
def test_a_system_keeps_its_clocks_hops_and_bins(system):
    built = soc.build(system, BUILD / "soc" / soc.board_of(system).name)
    assert built.failures == []
    assert len(built.placed.channels) == system.channels
    assert built.placed.bitstream.stat().st_size > 50_000
