# SPDX-License-Identifier: Apache-2.0
"""The link over a UART, which a switch gives to LiteX' UARTBone instead."""

from __future__ import annotations

from litex.gen import LiteXModule
from litex.soc.cores.uart import UARTPHY, UARTBone
from migen import If, Record, Signal
from migen.genlib.cdc import MultiReg

from plexor_hdl.uplink.link_uart import LinkUart
from plexor_soc.core import AmaranthModule, PlexorCore

BONE_BAUD = 1_000_000
"""Rate of UARTBone. The host sets the instrument's own rate, or the line tells it."""


class SharedUart(LiteXModule):
    """One pair of pins for two: frames of the instrument, or while `select` is high UARTBone.

    Neither knows of the other, whose bytes have no place in its protocol, so they take turns by a
    switch. Whoever has not the line sees it idle, and what it sends goes nowhere.

    Latency: 2 clocks of `sys` from `select`, and from a pin to UARTBone.
    Throughput: the instrument's rate is as the host sets it or the line has it; UARTBone's is
        BONE_BAUD.
    Reset: the instrument has the line, which is high.
    Wrap: none; it counts nothing.
    Full: see LinkUart; bytes that come while UARTBone executes a command are lost.

    Ports:
        link: The instrument's LinkUart.
        bone: UARTBone, whose `wishbone` is a master of the bus.
    """

    def __init__(self, core: PlexorCore, pads: Record, select: Signal, clock_hz: float) -> None:
        self.link = link = AmaranthModule(LinkUart(), "plexor_uart", core.clock_domain)
        bone_pads = Record([("tx", 1), ("rx", 1)])
        self.bone_phy = UARTPHY(bone_pads, clock_hz, BONE_BAUD)
        self.bone = UARTBone(self.bone_phy, clock_hz)
        to_bone, bone_rx = Signal(), Signal(reset=1)
        self.specials += [MultiReg(select, to_bone), MultiReg(pads.rx, bone_rx, reset=1)]
        ports = link.ports
        self.comb += [
            ports["rx"].eq(pads.rx | to_bone),
            bone_pads.rx.eq(bone_rx | ~to_bone),
            If(to_bone, pads.tx.eq(bone_pads.tx)).Else(pads.tx.eq(ports["tx"])),
            ports["divisor"].eq(core.uart_divisor),
            ports["clear"].eq(core.ports["link_clear"]),
            core.ports["link_dropped"].eq(ports["dropped"]),
            ports["i_bytes__payload"].eq(core.source.data),
            ports["i_bytes__valid"].eq(core.source.valid),
            core.source.ready.eq(ports["i_bytes__ready"]),
            core.sink.data.eq(ports["o_bytes__payload"]),
            core.sink.valid.eq(ports["o_bytes__valid"]),
            ports["o_bytes__ready"].eq(core.sink.ready),
        ]
