# SPDX-License-Identifier: Apache-2.0
"""A board's LiteX system: clocks, pins and link around the instrument."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from litedram.phy import GENSDRPHY
from liteeth.phy.ecp5rgmii import LiteEthPHYRGMII
from litex.build.generic_platform import GenericPlatform
from litex.build.io import DDROutput
from litex.gen import LiteXModule
from litex.soc.cores.clock import ECP5PLL
from litex.soc.integration.soc_core import SoCMini
from migen import ClockDomain, ClockSignal, Signal
from migen.genlib.resetsync import AsyncResetSynchronizer

from plexor_hdl.front.phases import LOOP_CLOCKS
from plexor_soc.boards import PADS, Board
from plexor_soc.core import PlexorCore
from plexor_soc.front_end import Pins
from plexor_soc.memory import DeepMemory
from plexor_soc.system import add_ethernet, add_instrument
from plexor_soc.uart import SharedUart

IP_ADDRESS = "192.168.1.50"
MAC_ADDRESS = 0x10E2D5000000
TOP = "top"
FEEDBACK_DIVIDERS = (2, 129)
"""Range of a PLL's dividers. With 1 the VCO itself would be its feedback, too fast for an output.
"""
CORE_CLOCK = "core_clk"
"""Net of the domain `core` in LiteX' Verilog."""


class Clocks(LiteXModule):
    """`sys` for the system, from its own PLL, and `core` for the instrument, from the front-end's.

    With deep memory there is also the SDRAM's clock pin, at the system's frequency. The instrument
    has no reset. `core`'s reset is for the logic between instrument and system. It ends two periods
    after the core's clock has begun and the system's PLL has locked.
    """

    def __init__(self, board: Board, platform: GenericPlatform, reference: Signal) -> None:
        self.cd_sys = ClockDomain()
        self.cd_core = ClockDomain()
        self.pll = pll = ECP5PLL()
        pll.clko_div_range = FEEDBACK_DIVIDERS
        pll.register_clkin(reference, board.clock_hz)
        pll.create_clkout(self.cd_sys, board.system_hz, margin=0)
        self.specials += AsyncResetSynchronizer(self.cd_core, ~pll.locked)
        if board.deep:
            self.cd_sdram = ClockDomain(reset_less=True)
            phase = board.sdram.phase_degrees
            pll.create_clkout(self.cd_sdram, board.system_hz, phase, margin=0, with_reset=False)
            pin = platform.request("sdram_clock")
            self.specials += DDROutput(1, 0, pin, ClockSignal("sdram"))


class Target(SoCMini):
    """A board's system. `identity` is its gateware hash and its build id."""

    def __init__(self, board: Board, folder: Path, identity: tuple[int, int]) -> None:
        platform = board.platform()
        platform.add_extension(board.extension())
        clock_hz = board.system_hz
        SoCMini.__init__(self, platform, clock_hz, ident=f"Plexor, {board.name}", with_ctrl=False)
        reference = platform.request(board.clock)
        self.crg = Clocks(board, platform, reference)
        core = PlexorCore(
            board.geometry,
            datagrams=not board.switch,
            bus=board.bus,
            clock_domain="core",
            loop_clocks=LOOP_CLOCKS,
            identity=identity,
        )
        add_instrument(self, core)
        if board.deep:
            sdram = board.sdram.module(clock_hz, "1:1")
            self.sdram_pins = GENSDRPHY(platform.request("sdram"), clock_hz)
            self.deep = DeepMemory(core, self.sdram_pins, sdram, clock_hz)
        pads = SimpleNamespace(**{name: platform.request(name) for name in PADS})
        self.pins = pins = Pins(core, board.pll, pads, reference)
        self.comb += ClockSignal("core").eq(pins.core_clock)
        pins.add_source(platform, folder)
        if board.switch:
            self.uart = uart = SharedUart(
                core, platform.request("plexor_uart"), platform.request("plexor_uartbone"), clock_hz
            )
            uart.link.add_source(platform, folder)
            self.bus.add_master("uartbone", uart.bone.wishbone)
        else:
            transmit_s, receive_s = board.ethernet_delays_s
            phy = LiteEthPHYRGMII(
                platform.request("eth_clocks", board.ethernet),
                platform.request("eth", board.ethernet),
                tx_delay=transmit_s,
                rx_delay=receive_s,
            )
            self.add_module("ethphy", phy)
            for hz, domain in (
                (phy.rx_clk_freq, phy.crg.cd_eth_rx),
                (phy.tx_clk_freq, phy.crg.cd_eth_tx),
            ):
                platform.add_period_constraint(domain.clk, 1e9 / hz)
            add_ethernet(self, core, phy, IP_ADDRESS, MAC_ADDRESS)
