# SPDX-License-Identifier: Apache-2.0
"""A LiteX system around the instrument: no CPU, the access window on its bus, links beside it."""

from __future__ import annotations

from liteeth.core import LiteEthUDPIPCore
from liteeth.frontend.etherbone import LiteEthEtherbone
from litex.gen import LiteXModule
from litex.soc.integration.soc import SoCCSRRegion, SoCRegion
from litex.soc.integration.soc_core import SoCMini
from litex.soc.interconnect.csr import CSRStatus, CSRStorage

from plexor.protocol.registers import Access
from plexor.protocol.window import memories, window_bits, window_registers
from plexor_soc.core import PlexorCore
from plexor_soc.datagrams import FRAMES_PORT, Datagrams

WINDOW_BASE = 0x2000_0000
"""Byte address of the access window on the bus."""
WORD_BYTES = 4
ETHERBONE_PORT = 1234
RECORD_WORDS = 16
"""Words of an Etherbone record."""
CROSSING_WORDS = 16
"""Words between the clocks of network and system."""


def add_instrument(soc: SoCMini, core: PlexorCore) -> None:
    """Put the instrument into a LiteX system, its window on the bus and its registers in the map.

    An instrument without a bus has neither. With a bus comes LiteX' controller, without its reset
    of the system: the instrument has no reset, and counts the words that it has in a deep memory.

    Every register of the contract that the build has is a CSR in LiteX' exported map. Its region is
    `plexor_<block>`, followed by the copy's number if there are several. Result memories are memory
    regions `plexor_<space><bank>`. They are on the bus, not behind LiteX' CSR bridge, because the
    register bank answers after some clocks, and a CSR bus cannot wait.
    """
    soc.add_module("plexor", core)
    if core.bus is None:
        return
    geometry = core.geometry
    soc.add_controller(with_reset=False)
    size = WORD_BYTES << window_bits(geometry)
    soc.bus.add_slave("plexor", core.bus, SoCRegion(WINDOW_BASE, size, cached=False))
    regions: dict[str, SoCCSRRegion] = {}
    for block, copy, register, address in window_registers(geometry):
        name = f"plexor_{block.name}{copy if block.count > 1 else ''}"
        kind = CSRStatus if register.access is Access.READ else CSRStorage
        if name not in regions:
            regions[name] = SoCCSRRegion(WINDOW_BASE + WORD_BYTES * address, 32, [])
        regions[name].obj.append(
            kind(register.bits, name=register.name, description=register.meaning)
        )
    for name, region in regions.items():
        soc.csr.add_region(name, region)
    for memory in memories(geometry):
        soc.bus.add_region(
            f"plexor_{memory.space.name.lower()}{memory.bank}",
            SoCRegion(
                WINDOW_BASE + WORD_BYTES * memory.address,
                WORD_BYTES * memory.words,
                mode="r",
                cached=False,
                linker=True,
            ),
        )


def add_ethernet(
    soc: SoCMini, core: PlexorCore, phy: LiteXModule, ip_address: str, mac_address: int
) -> None:
    """Give a system UDP for the instrument's frames through a PHY.

    With a bus it gets Etherbone too.
    """
    # They work on words in the system's clock domain. On an ECP5, logic that works on bytes in the
    # network's domain reaches only half of the 125 MHz. LiteX' own add_etherbone also answers
    # pings and has twice the words in its crossings: a 25F has no room for them.
    ethernet = LiteEthUDPIPCore(
        phy,
        mac_address,
        ip_address,
        soc.clk_freq,
        dw=32,
        with_sys_datapath=True,
        with_icmp=False,
        tx_cdc_depth=CROSSING_WORDS,
        rx_cdc_depth=CROSSING_WORDS,
    )
    soc.add_module("ethernet", ethernet)
    if core.bus is not None:
        bone = LiteEthEtherbone(ethernet.udp, ETHERBONE_PORT, buffer_depth=RECORD_WORDS)
        soc.add_module("etherbone", bone)
        soc.bus.add_master("etherbone", bone.wishbone.bus)
    port = ethernet.udp.crossbar.get_port(FRAMES_PORT, dw=32)
    soc.add_module("frames", Datagrams(core, port))
