"""Boards of the LiteX systems: pins of constraints/ are free there, a tick is a clock's period."""

import pytest
from litex.build.generic_platform import Pins, Subsignal

from plexor_soc.boards import BOARDS

TAKEN = ("eth", "eth_clocks", "sdram", "sdram_clock", "clk25", "clk48", "clk100", "ddram")
"""Pads that a system asks its platform for, beside ours; or that are wired on the board."""


def sites(pads) -> set[str]:
    """Return the sites of LiteX' pads, subsignals and all; connectors' pins are left out."""
    found = set()
    for part in pads[2:]:
        for pins in part.constraints if isinstance(part, Subsignal) else [part]:
            if isinstance(pins, Pins):
                found.update(pin for pin in pins.identifiers if ":" not in pin)
    return found


@pytest.mark.parametrize("name", BOARDS)
def test_pins_are_no_pads_of_clock_network_or_memory(name):
    board = BOARDS[name]
    available = board.platform().constraint_manager.available
    wired = set().union(*(sites(pads) for pads in available if pads[0] in TAKEN))
    assert board.clock in {pads[0] for pads in available}
    assert len(wired) > 10
    ours = [sites(pads) for pads in board.extension()]
    assert not set().union(*ours) & wired
    assert sum(map(len, ours)) == len(set().union(*ours)) >= 8


@pytest.mark.parametrize("name", BOARDS)
def test_a_tick_is_exactly_a_period_of_the_sampling_clock(name):
    geometry = BOARDS[name].geometry
    assert geometry.tick_fs * BOARDS[name].fast_hz == pytest.approx(10**15, rel=1e-6)
