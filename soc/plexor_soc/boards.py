"""Boards that the LiteX system is built for: platform, clocks, pins and link of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
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
from plexor_hdl.builds import BUILDS
from plexor_soc.front_end import SAMPLES


@dataclass(frozen=True)
class Sdram:
    """An SDR SDRAM on the system's clock: LiteDRAM's module, its pins' width, its clock's phase.

    The phase, by which its clock lags the system's, is that of LiteX' targets.
    """

    module: type[Any]
    bits: int
    phase_degrees: int

    @property
    def words(self) -> int:
        """How many words of 32 bits it holds."""
        return self.module.nbanks * self.module.nrows * self.module.ncols * self.bits // 32


@dataclass(frozen=True)
class Board:
    """A board; `fast_hz` is the clock that pins are sampled with: its period is a tick.

    Pins are as `Pins` of LiteX takes them, connectors included. A board with a `uart` has its
    frames there, one without has Ethernet.
    """

    name: str
    """In the identity: up to eight characters."""
    platform: Callable[[], Any]
    clock: str
    clock_hz: int
    fast_hz: int
    channels: str
    strikes: str
    load: str
    gate: str
    uart: str = ""
    """Pins tx and rx, and of the switch to UARTBone."""
    ethernet: int = 0
    """Which of the platform's `eth` pads."""
    ethernet_delays_s: tuple[float, float] = (0.0, 0.0)
    """What the FPGA adds to RGMII's clock: transmit, receive."""

    sdram: Sdram | None = None
    deep: bool = False
    """With a deep memory in its SDRAM."""

    def __post_init__(self) -> None:
        if self.deep and self.sdram is None:
            raise ValueError(f"{self.name}: no SDRAM that starts without a CPU; build it not deep")

    @property
    def system_hz(self) -> int:
        """The system's clock: with Ethernet just what a gigabit takes of words, and what closes."""
        return self.fast_hz // (SAMPLES if self.uart else 2 * SAMPLES)

    @property
    def geometry(self) -> Geometry:
        """The build's parameters: but for pins and tick those of plexor_hdl.builds."""
        return replace(
            BUILDS["ecp5-25f"].geometry,
            channels=len(self.channels.split()),
            strikes=len(self.strikes.split()),
            samples=SAMPLES,
            phases=1,
            tick_fs=round(10**15 / self.fast_hz),
            deep_depth=self.sdram.words if self.sdram and self.deep else 0,
            board=self.name,
        )

    def extension(self) -> list[tuple]:
        """Return the pads that the platform does not have."""
        standard = IOStandard("LVCMOS33")
        down = Misc("PULLMODE=DOWN")
        found: list[tuple] = [
            (
                "plexor",
                0,
                Subsignal("channels", Pins(self.channels), down),
                Subsignal("strikes", Pins(self.strikes), Misc("DRIVE=8")),
                Subsignal("load", Pins(self.load), Misc("DRIVE=8")),
                Subsignal("gate", Pins(self.gate), down),
                standard,
            )
        ]
        if self.uart:
            transmit, receive, select = self.uart.split()
            found += [
                (
                    "plexor_uart",
                    0,
                    Subsignal("tx", Pins(transmit)),
                    Subsignal("rx", Pins(receive), Misc("PULLMODE=UP")),
                    standard,
                ),
                ("plexor_uartbone", 0, Pins(select), down, standard),
            ]
        return found


_ULX3S = Board(
    name="ulx3s",
    platform=lambda: radiona_ulx3s.Platform(device="LFE5U-85F"),
    clock="clk25",
    clock_hz=25_000_000,
    # At 250 MHz its pins miss their clock.
    fast_hz=200_000_000,
    # Header J1: gp0 to gp3, gn0 and gn1, gn2, gn3.
    channels="B11 A10 A9 B9",
    strikes="C11 A11",
    load="B10",
    gate="C10",
    # The FT231X, and DIP switch 1.
    uart="L4 M1 E8",
    sdram=Sdram(MT48LC16M16, 16, 90),
)

BOARDS = {
    "ulx3s-85f": _ULX3S,
    "ulx3s-25f": replace(_ULX3S, platform=lambda: radiona_ulx3s.Platform(device="LFE5U-25F")),
    "orangecrab": Board(
        name="orangecr",
        platform=lambda: gsd_orangecrab.Platform(revision="0.2", device="25F"),
        clock="clk48",
        clock_hz=48_000_000,
        fast_hz=240_000_000,
        # 5, 6, 9 and 10 of the Feather header; 11 and 12; 13; A0's neighbour 2.
        channels="GPIO:5 GPIO:6 GPIO:9 GPIO:10",
        strikes="GPIO:11 GPIO:12",
        load="GPIO:13",
        gate="GPIO:2",
        # TX, RX, and 3: to 3.3 V for UARTBone.
        uart="GPIO:1 GPIO:0 GPIO:3",
    ),
    "i5": Board(
        name="i5",
        platform=lambda: colorlight_i5.Platform(board="i5", revision="7.0"),
        clock="clk25",
        clock_hz=25_000_000,
        fast_hz=250_000_000,
        channels="pmode:0 pmode:1 pmode:2 pmode:3",
        strikes="pmode:4 pmode:5",
        load="pmode:6",
        gate="pmode:7",
        # As LiteX' target has them for this board.
        ethernet_delays_s=(0.0, 2e-9),
        sdram=Sdram(M12L64322A, 32, 180),
    ),
    "ecpix5": Board(
        name="ecpix5",
        platform=lambda: lambdaconcept_ecpix5.Platform(device="85F"),
        clock="clk100",
        clock_hz=100_000_000,
        fast_hz=250_000_000,
        channels="pmod0:0 pmod0:1 pmod0:2 pmod0:3",
        strikes="pmod0:4 pmod0:5",
        load="pmod0:6",
        gate="pmod0:7",
        ethernet_delays_s=(2e-9, 0.0),
    ),
}
