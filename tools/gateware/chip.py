# SPDX-License-Identifier: Apache-2.0
"""A board's device as Verilog for a cycle-based simulator, from a bitstream or a routed netlist."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

CHIP = "chip"
CLOCKS, LOCKED, SOURCE = "board.fast", "board.locked", "board.source"
"""Nets that the simulator drives through the top: the PLL's clocks and lock, and the calibration's
source of edges."""


@dataclass(frozen=True)
class Chip:
    """A device's Verilog (module `chip`), and its clocks.

    The PLL multiplies the reference by `ratio`. Its outputs, bits of CLOCKS, come `lates_ps` after
    the first one. `source_half_ps` is half a period of SOURCE.
    """

    verilog: str
    ratio: Fraction
    lates_ps: tuple[Fraction, ...]
    source_half_ps: Fraction


def pin_name(port: str) -> str:
    """Return a port's name in Verilog, such as `channels_0` for channels[0]."""
    return port.replace("[", "_").replace("]", "")
