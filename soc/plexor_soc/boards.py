# SPDX-License-Identifier: Apache-2.0
"""Boards with a LiteX system: platform, clocks and link. Their pins are in constraints/."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from litedram.modules import M12L64322A, MT48LC16M16
from litex.build.generic_platform import IOStandard, Misc, Pins, Subsignal
from litex_boards.platforms import (
    colorlight_i5,
    gsd_orangecrab,
    lambdaconcept_ecpix5,
    radiona_ulx3s,
)

from plexor.protocol.geometry import Geometry
from plexor_hdl.build.boards import CONSTRAINTS
from plexor_hdl.build.profiles import PROFILES
from plexor_hdl.front.ecp5 import PHASES, Pll

PADS = ("channels", "outputs", "gate")
"""Pads of the instrument, by their names in a board's file."""


@dataclass(frozen=True)
class Sdram:
    """An SDR SDRAM on the system's clock: LiteDRAM's module, its data width, its clock's phase.

    The phase, by which its clock lags behind the system's, is that of LiteX' targets.
    """

    module: type[Any]
    bits: int
    phase_degrees: int

    @property
    def words(self) -> int:
        """Capacity in words of 32 bits."""
        return self.module.nbanks * self.module.nrows * self.module.ncols * self.bits // 32


@dataclass(frozen=True)
class Board:
    """A board. `fast_hz` is the clock at whose PHASES phases pins are sampled.

    It is wired as its file in constraints/ says, with the first `channels` channels. A board with a
    `switch` has its frames on a UART, and that pin gives the UART to UARTBone. A board without one
    has Ethernet.
    """

    name: str
    """Name of its file."""
    platform: Callable[[], Any]
    clock: str
    clock_hz: int
    fast_hz: int
    system_hz: int
    """The system's clock. With Ethernet it just carries a gigabit in words, and meets timing."""
    channels: int = 8
    switch: str = ""
    """The pin, as LiteX' `Pins` takes it, connectors included."""
    bus: bool = True
    """Whether a link reaches the registers and memories on LiteX' bus."""
    ethernet: int = 0
    """Number of the platform's `eth` pads."""
    ethernet_delays_s: tuple[float, float] = (0.0, 0.0)
    """Delays that the FPGA adds to RGMII's clock: transmit, receive."""

    sdram: Sdram | None = None
    deep: bool = False
    """Whether it has a deep memory in its SDRAM."""

    def __post_init__(self) -> None:
        if self.deep and self.sdram is None:
            raise ValueError(f"{self.name}: no SDRAM that starts without a CPU; build it not deep")

    @cached_property
    def file(self) -> dict[str, Any]:
        """Contents of its file in constraints/."""
        return tomllib.loads((CONSTRAINTS / f"{self.name}.toml").read_text())

    @property
    def pll(self) -> Pll:
        """The front-end's PLL."""
        return Pll(Fraction(self.clock_hz, 10**6), Fraction(self.fast_hz, 10**6))

    @property
    def geometry(self) -> Geometry:
        """Parameters of the build: those of plexor_hdl.build.profiles, except pins and tick."""
        return replace(
            PROFILES["ecp5"].geometry,
            channels=self.channels,
            tick_fs=10**15 // (PHASES * self.fast_hz),
            deep_depth=self.sdram.words if self.sdram and self.deep else 0,
            board=self.file["identity"],
        )

    def extension(self) -> list[tuple[Any, ...]]:
        """Return the pads that the platform lacks."""
        standard = IOStandard("LVCMOS33")
        down = Misc("PULLMODE=DOWN")
        pins = self.file["pins"]

        def sites(*wanted: dict[str, str]) -> Pins:
            return Pins(" ".join(pin["site"] for pin in wanted))

        fast = Misc("SLEWRATE=FAST")
        found: list[tuple[Any, ...]] = [
            ("channels", 0, sites(*pins["channels"][: self.channels]), down, standard),
            ("outputs", 0, sites(*pins["outputs"]), fast, standard),
            ("gate", 0, sites(pins["gate"]), down, standard),
        ]
        if self.switch:
            found += [
                (
                    "plexor_uart",
                    0,
                    Subsignal("tx", sites(pins["uart_tx"])),
                    Subsignal("rx", sites(pins["uart_rx"]), Misc("PULLMODE=UP")),
                    standard,
                ),
                ("plexor_uartbone", 0, Pins(self.switch), down, standard),
            ]
        return found


_ULX3S = Board(
    name="ulx3s-85f",
    platform=lambda: radiona_ulx3s.Platform(device="LFE5U-85F"),
    clock="clk25",
    clock_hz=25_000_000,
    fast_hz=200_000_000,
    system_hz=50_000_000,
    # DIP switch 1.
    switch="E8",
    sdram=Sdram(MT48LC16M16, 16, 90),
)

BOARDS = {
    board.name: board
    for board in (
        _ULX3S,
        replace(
            _ULX3S,
            name="ulx3s-25f",
            platform=lambda: radiona_ulx3s.Platform(device="LFE5U-25F"),
        ),
        Board(
            name="orangecrab",
            platform=lambda: gsd_orangecrab.Platform(revision="0.2", device="25F"),
            clock="clk48",
            clock_hz=48_000_000,
            # 125 MHz cannot be made from 48 MHz. This frequency's tick is a whole number of fs.
            fast_hz=160_000_000,
            system_hz=60_000_000,
            # The pin is connected to 3.3 V for UARTBone.
            switch="GPIO:3",
        ),
        Board(
            name="colorlight-i5",
            platform=lambda: colorlight_i5.Platform(board="i5", revision="7.0"),
            clock="clk25",
            clock_hz=25_000_000,
            fast_hz=125_000_000,
            system_hz=31_250_000,
            # More channels leave no room for a deep memory.
            channels=4,
            # With Etherbone not all cells find a place.
            bus=False,
            # These are the delays in LiteX' target for this board.
            ethernet_delays_s=(0.0, 2e-9),
            sdram=Sdram(M12L64322A, 32, 180),
        ),
        Board(
            name="ecpix-5",
            platform=lambda: lambdaconcept_ecpix5.Platform(device="85F"),
            clock="clk100",
            clock_hz=100_000_000,
            fast_hz=200_000_000,
            system_hz=31_250_000,
            ethernet_delays_s=(2e-9, 0.0),
        ),
    )
}
