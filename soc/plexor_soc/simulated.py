# SPDX-License-Identifier: Apache-2.0
"""A LiteX system for simulation, with the pins that the simulated instrument's main uses.

`python -m plexor_soc.simulated FOLDER GEOMETRY [uart] [map]` writes it, or only its register map,
to a folder. The geometry is JSON: the parameters of plexor.protocol.geometry.Geometry.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from pathlib import Path
from typing import Any, cast

from litedram.modules import M12L64322A
from litedram.phy.model import SDRAMPHYModel
from liteeth.common import eth_phy_description
from litex.build.generic_platform import GenericPlatform, Pins, Subsignal
from litex.gen import LiteXModule
from litex.soc.integration.export import get_csr_csv, get_csr_json
from litex.soc.integration.soc_core import SoCMini
from litex.soc.interconnect import stream
from migen import ClockDomain, ClockSignal, Record, ResetSignal, Signal

from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import register
from plexor_soc.core import AmaranthModule, PlexorCore
from plexor_soc.memory import DeepMemory
from plexor_soc.system import add_ethernet, add_instrument
from plexor_soc.uart import SharedUart

TOP = "plexor"
SELECTIONS = ("input_select", "loopback_output")
"""Registers that tell the simulated pins what to sample."""
IP_ADDRESS = "192.168.1.50"
MAC_ADDRESS = 0x10E2D5000000


class SimulatedClocks(LiteXModule):
    """The clock `clk` for the instrument and the network, and half of it for the system.

    Everything starts from initial values, so the instrument's time is that of the simulated pins.
    """

    def __init__(self, clk: Signal, rst: Signal) -> None:
        self.cd_por = ClockDomain(reset_less=True)
        self.cd_core = ClockDomain()
        self.cd_sys = ClockDomain()
        half = Signal()
        self.sync.por += half.eq(~half)
        self.comb += [
            self.cd_por.clk.eq(clk),
            self.cd_core.clk.eq(clk),
            self.cd_sys.clk.eq(half),
            self.cd_core.rst.eq(rst),
            self.cd_sys.rst.eq(rst),
        ]


class BytePhy(LiteXModule):
    """A PHY that gives and takes a byte each clock of `core`, with preamble and checks.

    Simulated time is that of gigabit Ethernet where that clock is 125 MHz.

    Latency: 1 clock from the pads to `source`; none from `sink` to the pads.
    Throughput: a byte each clock each way.
    Reset: nothing comes.
    Wrap: none; it counts nothing.
    Full: never; what the network does not take of `source` is lost, as on a wire.

    Ports:
        sink: Stream of bytes to the pads; always taken.
        source: Stream of bytes from the pads; the last one of a frame says so.
    """

    dw = 8

    def __init__(self, pads: Record) -> None:
        self.cd_eth_rx = ClockDomain()
        self.cd_eth_tx = ClockDomain()
        self.sink = stream.Endpoint(eth_phy_description(8))
        self.source = stream.Endpoint(eth_phy_description(8))
        for domain in (self.cd_eth_rx, self.cd_eth_tx):
            self.comb += [domain.clk.eq(ClockSignal("core")), domain.rst.eq(ResetSignal("core"))]
        self.comb += [
            pads.source_valid.eq(self.sink.valid),
            pads.source_data.eq(self.sink.data),
            self.sink.ready.eq(1),
            self.source.last.eq(~pads.sink_valid & self.source.valid),
        ]
        self.sync.core += [
            self.source.valid.eq(pads.sink_valid),
            self.source.data.eq(pads.sink_data),
        ]


class SimulatedSystem(SoCMini):
    """The instrument with Etherbone and UDP behind a byte PHY: gigabit Ethernet at 125 MHz.

    With `uart` its link is a UART, which the gate's pin gives to UARTBone while it is high. A deep
    memory is a model of an 8 MB SDRAM at the system's clock. Its timing is not checked. With it and
    Ethernet there is no Etherbone, as on a colorlight-i5.
    """

    def __init__(self, geometry: Geometry, *, uart: bool = False) -> None:
        words = {"samples": geometry.channels, "strikes": geometry.strikes}
        pins = {name: number * geometry.samples for name, number in words.items()}
        pins |= {"clk": 1, "rst": 1, "load": 1, "gate": 1, "clock_lost": 1}
        pins |= {name: register("control", name).bits for name in SELECTIONS}
        ethernet = {"source_valid": 1, "source_data": 8, "sink_valid": 1, "sink_data": 8}
        name, link = ("uart", {"rx": 1, "tx": 1}) if uart else ("eth", ethernet)
        io = [(pin, 0, Pins(bits)) for pin, bits in pins.items()]
        io += [(name, 0, *(Subsignal(pin, Pins(bits)) for pin, bits in link.items()))]
        # A request by name returns a signal or a record.
        platform = cast("Any", GenericPlatform("", io, name=TOP))
        clock_hz = 10**15 // (2 * geometry.samples * geometry.tick_fs)
        SoCMini.__init__(self, platform, clock_hz, with_ctrl=False)
        self.crg = SimulatedClocks(platform.request("clk"), platform.request("rst"))
        bus = uart or not geometry.deep_depth
        core = PlexorCore(geometry, datagrams=not uart, bus=bus, clock_domain="core")
        add_instrument(self, core)
        if geometry.deep_depth:
            sdram = M12L64322A(clock_hz, "1:1")
            self.sdram = SDRAMPHYModel(sdram, data_width=32, clk_freq=clock_hz, we_granularity=0)
            self.deep = DeepMemory(core, self.sdram, sdram, clock_hz)
        gate = platform.request("gate")
        self.comb += core.samples.eq(platform.request("samples"))
        self.comb += core.clock_lost.eq(platform.request("clock_lost"))
        for name in ("strikes", "load", *SELECTIONS):
            self.comb += platform.request(name).eq(getattr(core, name))
        self.parts: list[AmaranthModule] = [core]
        if uart:
            shared = SharedUart(core, platform.request("uart"), gate, clock_hz)
            self.parts.append(shared.link)
            self.add_module("uart", shared)
            self.bus.add_master("uartbone", shared.bone.wishbone)
        else:
            phy = BytePhy(platform.request("eth"))
            self.comb += core.gate.eq(gate)
            self.add_module("ethphy", phy)
            add_ethernet(self, core, phy, IP_ADDRESS, MAC_ADDRESS)

    def write_map(self, folder: Path) -> None:
        """Write csr.json and csr.csv to a folder."""
        self.finalize()
        maps = (self.csr.regions, self.constants, self.bus.regions)
        (folder / "csr.json").write_text(get_csr_json(*maps))
        (folder / "csr.csv").write_text(get_csr_csv(*maps))

    def write(self, folder: Path) -> None:
        """Write Verilog (top `plexor`) and the map to a folder."""
        self.write_map(folder)
        for part in self.parts:
            part.add_source(self.platform, folder)
        output = self.platform.get_verilog(self, name=TOP)
        output.write(str(folder / f"{TOP}.v"))
        # The simulator's bench expects everything on its clock to use that name.
        clocks = r"(posedge |\.clk +\()(?:core|por|eth_rx|eth_tx)_clk\b"
        text = re.sub(clocks, r"\1clk", (folder / f"{TOP}.v").read_text())
        # Without the time of day, the same system gives the same text.
        text = re.sub(r"(?m)^// (?:Date|LiteX sha1) .*\n", "", text)
        text += "".join((folder / f"{part.name}.v").read_text() for part in self.parts)
        (folder / f"{TOP}.v").write_text(text)


if __name__ == "__main__":
    logging.getLogger().setLevel(logging.WARNING)
    parameters = json.loads(sys.argv[2])
    parameters["features"] = Feature(parameters["features"])
    system = SimulatedSystem(Geometry(**parameters), uart="uart" in sys.argv[3:])
    (system.write_map if "map" in sys.argv[3:] else system.write)(Path(sys.argv[1]))
