# SPDX-License-Identifier: Apache-2.0
"""Properties of device families: names that the tools use, and bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from types import ModuleType
from typing import Any

from plexor.experiments.calibration.sheet import ECP5, ICE40_HX, ICE40_UP, Sheet
from plexor_hdl.front import ecp5, ice40, up5k


@dataclass(frozen=True)
class Family:
    """Names of cells and ports, bounds of the bins in ps, and the settings of a search.

    The cell that drives a net has, in yosys' netlist, the net's name plus `table` (a look-up table)
    or `flip_flops` (of rising and falling edges). nextpnr appends `placed`. `ports` are the output
    ports of a look-up table and a flip-flop. `pad` is the suffix of a pad's cell, and its output.
    """

    name: str
    tool: str
    """Name of the family's nextpnr."""
    module: ModuleType
    pll: Callable[[Fraction, Fraction], Any]
    table: str
    flip_flops: tuple[str, str]
    placed: tuple[str, str]
    ports: tuple[str, str]
    pad: tuple[str, str]
    widest_ps: int
    rms_ps: int
    # The search: a device, its clocks, where copies stand, and where cells can be in a tile.
    device: tuple[str, ...]
    options: tuple[str, ...]
    clocks_mhz: tuple[int, int]
    origins: tuple[tuple[int, int], ...]
    table_bel: str
    flip_flop_bels: tuple[str, ...]
    reach: int
    hop_bels: tuple[str, ...] = ()
    """Places of flip-flops for hops in a tile (hop_places); empty: nextpnr places them."""
    sheet: Sheet = ECP5
    """What the vendor's sheet allows the PLL."""
    hop_sheet: Sheet | None = ECP5
    """As much of it as hops between phases have time for; None: nothing."""
    hop_clocks_own: bool = True
    """Whether hops have time for clocks that err each in its own way."""
    clock_site: str = ""
    """Pin that the PLL needs as reference; empty: any pin."""

    @property
    def phases(self) -> int:
        """Return the number of samples in each period of the fast clocks."""
        return self.module.PHASES

    def flip_flop(self, net: str, phase: int) -> str:
        """Return the netlist's name of the flip-flop of a phase that drives a net."""
        return net + self.flip_flops[phase >= self.phases // 2]

    def after(self, cell: str, *, table: bool = False) -> str:
        """Return nextpnr's name of a cell of the netlist."""
        return cell + self.placed[not table]


FAMILIES = {
    "ecp5": Family(
        name="ecp5",
        tool="ecp5",
        module=ecp5,
        pll=ecp5.Pll,
        table="_LUT4_Z",
        flip_flops=("_TRELLIS_FF_Q", "_TRELLIS_FF_Q"),
        placed=("", ""),
        ports=("F", "Q"),
        pad=("$tr_io", "O"),
        widest_ps=800,
        rms_ps=200,
        device=("--25k", "--package", "CABGA381", "--speed", "6"),
        options=("--lpf-allow-unconstrained",),
        clocks_mhz=(25, 250),
        # Rows 13, 25 and 37 hold DSPs and memories.
        origins=tuple((8 + 14 * column, row) for row in (7, 19, 31, 43) for column in range(4)),
        table_bel="SLICEA.K0",
        flip_flop_bels=tuple(f"SLICE{letter}.FF0" for letter in "ABCD"),
        reach=4,
        hop_bels=tuple(f"SLICE{letter}.FF{number}" for letter in "ABCD" for number in range(2)),
    ),
    "ice40": Family(
        name="ice40",
        tool="ice40",
        module=ice40,
        pll=ice40.Pll,
        table="_SB_LUT4_O",
        flip_flops=("_SB_DFF_Q", "_SB_DFFN_Q"),
        placed=("_LC", "_DFFLC"),
        ports=("O", "O"),
        pad=("$sb_io", "D_IN_0"),
        widest_ps=1500,
        rms_ps=450,
        sheet=ICE40_HX,
        # Steps of 195 ps would leave the hop from the core to phase 0 some 0.3 ns too little, and
        # duty cycles of 35 and 65 % side by side the one from phase 3 to phase 2 some 0.4 ns.
        hop_sheet=replace(ICE40_HX, step_ps=(150, 150)),
        hop_clocks_own=False,
        device=("--hx8k", "--package", "ct256"),
        options=("--pcf-allow-unconstrained", "--ignore-loops"),
        clocks_mhz=(12, 240),
        # Columns 8 and 25 hold memories.
        origins=tuple((column, row) for column in (4, 12, 20, 29) for row in (6, 12, 18, 24)),
        table_bel="lc0",
        flip_flop_bels=tuple(f"lc{number}" for number in range(1, 8)),
        reach=1,
    ),
    "up5k": Family(
        name="up5k",
        tool="ice40",
        module=up5k,
        pll=up5k.Pll,
        table="_SB_LUT4_O",
        flip_flops=("_SB_DFF_Q", "_SB_DFFN_Q"),
        placed=("_LC", "_DFFLC"),
        ports=("O", "O"),
        pad=("$sb_io", "D_IN_0"),
        # The bound is that of the HX, whose ticks are 2.5 times shorter.
        widest_ps=3900,
        rms_ps=1100,
        sheet=ICE40_UP,
        # A duty cycle of 40 % leaves the hop from phase 2 to phase 1 some 0.2 ns too little.
        hop_sheet=None,
        device=("--up5k", "--package", "sg48"),
        options=("--pcf", "trial.pcf", "--pcf-allow-unconstrained"),
        clock_site="35",
        clocks_mhz=(12, 96),
        # Columns 6 and 19 hold memories.
        origins=tuple((column, row) for column in (3, 9, 13, 16) for row in (6, 12, 18, 24)),
        table_bel="lc0",
        flip_flop_bels=tuple(f"lc{number}" for number in range(1, 8)),
        reach=1,
    ),
}
