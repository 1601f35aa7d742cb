# SPDX-License-Identifier: Apache-2.0
"""The pins of an ECP5 board, through the front-end of plexor_hdl.front, and the core's clock."""

from __future__ import annotations

from types import SimpleNamespace

from amaranth.lib.wiring import Component, In, Out
from migen import Cat, Replicate, Signal

from plexor.protocol.registers import InputSelect
from plexor_hdl.front import ecp5
from plexor_hdl.front.front_end import FrontEnd
from plexor_hdl.front.phases import RATIO
from plexor_soc.core import AmaranthModule, PlexorCore

NAME = "plexor_front"
INSTANCE = "front"
"""Name of the front-end, as in tools/gateware: locks refer to it."""


class Front(Component, FrontEnd):
    """The FrontEnd of an ECP5 as a component; beside its ports it has the pads `outputs`.

    It makes the core's clock; `samples` and `drives` are words in that clock's domain.

    Latency: LOOP_CLOCKS core clocks from `drives` to the samples taken while that stands at the
        pins.
    Throughput: W samples of each channel and output each core clock.
    Reset: none; there is no core clock until the PLL has locked.
    Wrap: none; it holds no time.
    Full: never; a word replaces the one before.

    Ports:
        reference: The board's oscillator.
        channels: Pins of the channels.
        input_select: What is sampled.
        loopback_output: Output that is sampled with InputSelect.LOOPBACK.
        drives: One word of W samples an output, oldest lowest.
        samples: One word of W samples a channel, oldest lowest.
        core: The core's clock.
        clock_lost: 1, of no clock, while the PLL has no lock, and until the core's clock runs
            steadily again.
    """

    def __init__(self, pll: ecp5.Pll, channels: int, outputs: int) -> None:
        width = RATIO * ecp5.PHASES
        Component.__init__(
            self,
            {
                "reference": In(1),
                "channels": In(channels),
                "input_select": In(InputSelect),
                "loopback_output": In(range(max(outputs, 2))),
                "drives": In(outputs * width),
                "samples": Out(channels * width),
                "core": Out(1),
                "clock_lost": Out(1),
            },
        )
        # FrontEnd's signals replace the component's.
        FrontEnd.__init__(self, ecp5, pll, channels, outputs)


class Pins(AmaranthModule):
    """The pins of a core, sampled and driven by Front; `core_clock` is the clock of its domain.

    `pads` has the signals channels, outputs (strikes, then the load) and gate; `reference` is the
    board's oscillator. The clock begins when all of the front-end is ready for it. The core's
    geometry must have W, phases and tick of the PLL, and its `loop_clocks` be LOOP_CLOCKS.

    Latency: that of Front; the gate goes to the core as it is, whose first flip-flops are its
        synchroniser.
    Throughput: W samples of each pin each core clock.
    Reset: none; there is no core clock until the PLL has locked.
    Wrap: none; it holds no time.
    Full: never; a word replaces the one before.

    Ports:
        core_clock: The core's clock.
    """

    def __init__(
        self, core: PlexorCore, pll: ecp5.Pll, pads: SimpleNamespace, reference: Signal
    ) -> None:
        geometry = core.geometry
        front = Front(pll, geometry.channels, geometry.strikes + 1)
        AmaranthModule.__init__(self, front, NAME, "", INSTANCE, io_outputs=pads.outputs)
        ports = self.ports
        self.core_clock = ports["core"]
        self.comb += [
            ports["reference"].eq(reference),
            ports["channels"].eq(pads.channels),
            ports["input_select"].eq(core.input_select),
            ports["loopback_output"].eq(core.loopback_output),
            ports["drives"].eq(Cat(core.strikes, Replicate(core.load, geometry.samples))),
            core.samples.eq(ports["samples"]),
            # The core's first flip-flops are the gate's synchroniser.
            core.gate.eq(pads.gate),
            core.clock_lost.eq(ports["clock_lost"]),
        ]
