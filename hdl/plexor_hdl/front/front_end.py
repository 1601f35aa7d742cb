# SPDX-License-Identifier: Apache-2.0
"""The clocks, pads, sampler and serialiser between a device family's pins and words."""

from __future__ import annotations

from types import ModuleType

from amaranth.hdl import Cat, ClockDomain, ClockSignal, Const, Elaboratable, IOPort, Module, Signal

from plexor.protocol.registers import InputSelect
from plexor_hdl.front.divider import Divider
from plexor_hdl.front.phases import RATIO, add_domains, repeated
from plexor_hdl.front.sampler import Sampler, Way
from plexor_hdl.front.serialiser import Serialiser
from plexor_hdl.lib.crossing import Crossing

START_BITS = 10
"""Periods of a family's start clock from the PLL's lock to the core clock's start, as log2."""


class FrontEnd(Elaboratable):
    """Connects the core's words with the pins of one device family, and makes the domain `sync`.

    A word has W = 2 x phases samples of one channel or output.

    Latency: `drives` of core clock n stand at the pins while the samples of clock n + LOOP_CLOCKS
        are taken.
    Throughput: one word of each channel and of each output each core clock.
    Reset: none; `sync` has no clock until 2**START_BITS periods of the family's start clock after
        the PLL's lock.
    Wrap: none; the count of these periods stops at its end.
    Full: never; each word goes in its core clock.

    Ports:
        reference: The clock from the board.
        channels: The pins that are sampled.
        outputs: The pins that are driven, and read back for a loopback.
        input_select: What is sampled; InputSelect in docs/PROTOCOL.md.
        loopback_output: The output that each channel sees with InputSelect.LOOPBACK.
        samples: Words of the channels as those of Sampler; to be taken by flip-flops of `sync`.
        drives: Words of the outputs as those of Serialiser; from flip-flops of `sync`.
        core: The clock of `sync`, behind its buffer.
        clock_lost: Of no clock. High while the PLL has no lock, and until the core clock has run
            for 2**(START_BITS - 1) periods of the start clock again: what it drives stood
            meanwhile.
    """

    def __init__(
        self,
        family: ModuleType,
        pll: object,
        channels: int,
        outputs: int,
        way: Way | None = None,
    ) -> None:
        self._family, self._pll, self._way = family, pll, way
        width = RATIO * family.PHASES
        self.reference = Signal()
        self.channels = Signal(channels)
        self.outputs = IOPort(outputs, name="outputs")
        self.input_select = Signal(InputSelect)
        self.loopback_output = Signal(range(max(outputs, 2)))
        self.samples = Signal(channels * width)
        self.drives = Signal(outputs * width)
        self.core = Signal()
        self.clock_lost = Signal()

    def elaborate(self, platform):
        m = Module()
        family, phases = self._family, self._family.PHASES
        clocks, locked = family.add_pll(m, self.reference, self._pll)
        add_domains(m, clocks)
        m.domains.reference = ClockDomain(reset_less=True)
        m.d.comb += ClockSignal("reference").eq(family.add_start_clock(m, self.reference))
        m.submodules.lock_to_reference = stable = Crossing("reference")
        m.d.comb += stable.bit.eq(locked)
        wait = Signal(START_BITS + 1)
        with m.If(~stable.crossed):
            m.d.reference += wait.eq(0)
        with m.Elif(~wait[-2:].all()):
            m.d.reference += wait.eq(wait + 1)
        # The raw lock is included, because without the reference nothing else here changes.
        m.d.comb += self.clock_lost.eq(~(locked & wait[-2:].all()))
        m.submodules.divider = divider = Divider(phases)
        m.d.comb += [
            divider.start.eq(wait[-1]),
            self.core.eq(family.add_buffer(m, divider.core_clk)),
        ]
        channels, outputs = len(self.channels), len(self.outputs)
        # A single flip-flop for all would have wires too long for one period.
        loads, running = [divider.load], [divider.running]
        for number in range(1, channels + outputs):
            loads.append(repeated(m, loads[-1], f"load_{number}"))
        for number in range(outputs):
            # It may be late: outputs are far apart, and it changes once.
            further = repeated(m, running[-1], f"going_{number}")
            running.append(repeated(m, further, f"running_{number}"))
        m.submodules.sampler = sampler = Sampler(channels, phases, self._way)
        m.submodules.serialiser = serialiser = Serialiser(outputs, phases, family.xor)
        backs = [
            family.add_pad(m, serialiser.pins[number], self.outputs[number], f"output_{number}")
            for number in range(outputs)
        ]
        source, other = family.add_source(m), Signal()
        with m.Switch(self.input_select):
            with m.Case(InputSelect.ASYNCHRONOUS):
                m.d.comb += other.eq(source)
            with m.Case(InputSelect.LOOPBACK):
                m.d.comb += other.eq(Cat(*backs, Const(0, 1)).bit_select(self.loopback_output, 1))
        m.d.comb += [
            sampler.pins.eq(self.channels),
            sampler.select.eq(self.input_select != InputSelect.PINS),
            sampler.other.eq(other.replicate(channels)),
            sampler.load.eq(Cat(loads[:channels])),
            self.samples.eq(sampler.words),
            serialiser.words.eq(self.drives),
            serialiser.load.eq(Cat(loads[channels:])),
            serialiser.running.eq(Cat(running[1:])),
        ]
        return m
