# SPDX-License-Identifier: Apache-2.0
"""Boards of the LiteX systems: pins of constraints/ are free there, a tick is exact."""

from fractions import Fraction

import pytest
from litex.build.generic_platform import Pins, Subsignal
from litex.soc.cores.clock import ECP5PLL
from migen import ClockDomain, Signal
from tools.gateware import board as boards

from plexor_hdl.front.phases import RATIO
from plexor_soc.boards import BOARDS
from plexor_soc.target import FEEDBACK_DIVIDERS

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
def test_a_tick_is_exactly_a_phase_of_the_sampling_clock(name):
    board = BOARDS[name]
    assert board.geometry.tick_fs * board.geometry.phases * board.fast_hz == 10**15
    assert board.geometry.samples == RATIO * board.geometry.phases


@pytest.mark.parametrize("name", BOARDS)
def test_both_plls_make_their_clocks_exactly(name):
    board = BOARDS[name]
    reference, feedback, _ = board.pll.dividers()
    assert Fraction(board.clock_hz * feedback, reference) == board.fast_hz
    pll = ECP5PLL()
    pll.clko_div_range = FEEDBACK_DIVIDERS
    pll.register_clkin(Signal(), board.clock_hz)
    pll.create_clkout(ClockDomain("sys"), board.system_hz, margin=0)
    config = pll.compute_config()
    assert config["clko0_freq"] == board.system_hz
    assert config["vco"] / config[f"clko{config['clkfb']}_div"] <= ECP5PLL.clko_freq_range[1]


@pytest.mark.parametrize("name", BOARDS)
def test_clock_and_device_are_those_of_the_boards_file(name):
    board, file = BOARDS[name], boards.load(name)
    platform = board.platform()
    toolchain = platform.toolchain
    family, size, speed, package = toolchain.nextpnr_ecp5_parse_device(platform.device)
    kind = toolchain.nextpnr_ecp5_architectures[f"{family}-{size}"]
    assert file.device == (f"--{kind}", "--package", package, "--speed", speed)
    assert file.clock_mhz * 10**6 == board.clock_hz
    (clock,) = (pads for pads in platform.constraint_manager.available if pads[0] == board.clock)
    assert sites(clock) == {file.clock_site}
