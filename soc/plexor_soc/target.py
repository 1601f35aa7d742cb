"""The LiteX system of a board: clocks, pins and link around the instrument."""

from __future__ import annotations

from pathlib import Path

from litedram.phy import GENSDRPHY
from liteeth.phy.ecp5rgmii import LiteEthPHYRGMII
from litex.build.io import DDROutput
from litex.gen import LiteXModule
from litex.soc.cores.clock import ECP5PLL
from litex.soc.integration.soc_core import SoCMini
from migen import ClockDomain, ClockSignal, Signal

from plexor_soc.boards import Board
from plexor_soc.core import PlexorCore
from plexor_soc.front_end import LOOP_CLOCKS, SAMPLES, front_end
from plexor_soc.memory import DeepMemory
from plexor_soc.system import add_ethernet, add_instrument
from plexor_soc.uart import SharedUart

IP_ADDRESS = "192.168.1.50"
MAC_ADDRESS = 0x10E2D5000000


class Clocks(LiteXModule):
    """One PLL: `sys` for the system, `core` for the instrument, `fast` for its pins.

    With deep memory also the SDRAM's clock pin, at the system's frequency.

    Their frequencies are exact: a tick would not be what the identity says of it otherwise.
    """

    def __init__(self, board: Board, platform) -> None:
        self.rst = Signal()
        self.cd_sys = ClockDomain()
        self.cd_core = ClockDomain()
        # A reset's way across the device is longer than its clock's period.
        self.cd_fast = ClockDomain(reset_less=True)
        self.pll = pll = ECP5PLL()
        self.comb += pll.reset.eq(self.rst)
        pll.register_clkin(platform.request(board.clock), board.clock_hz)
        pll.create_clkout(self.cd_fast, board.fast_hz, margin=0, with_reset=False)
        pll.create_clkout(self.cd_core, board.fast_hz // SAMPLES, margin=0)
        pll.create_clkout(self.cd_sys, board.system_hz, margin=0)
        if board.deep:
            self.cd_sdram = ClockDomain(reset_less=True)
            phase = board.sdram.phase_degrees
            pll.create_clkout(self.cd_sdram, board.system_hz, phase, margin=0, with_reset=False)
            pin = platform.request("sdram_clock")
            self.specials += DDROutput(1, 0, pin, ClockSignal("sdram"))


class Target(SoCMini):
    """A board's system."""

    def __init__(self, board: Board, folder: Path) -> None:
        platform = board.platform()
        platform.add_extension(board.extension())
        clock_hz = board.system_hz
        SoCMini.__init__(self, platform, clock_hz, ident=f"Plexor, {board.name}")
        self.crg = Clocks(board, platform)
        core = PlexorCore(
            board.geometry,
            datagrams=not board.switch,
            clock_domain="core",
            loop_clocks=LOOP_CLOCKS,
        )
        add_instrument(self, core)
        if board.deep:
            sdram = board.sdram.module(clock_hz, "1:1")
            self.sdram_pins = GENSDRPHY(platform.request("sdram"), clock_hz)
            self.deep = DeepMemory(core, self.sdram_pins, sdram, clock_hz)
        self.front_end = front_end(core, platform.request("plexor"))
        core.add_source(platform, folder)
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
            add_ethernet(self, core, phy, IP_ADDRESS, MAC_ADDRESS)
