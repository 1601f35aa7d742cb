"""From pins to words and back: clocks, pads, sampler and serialiser of one device family."""

from __future__ import annotations

from types import ModuleType

from amaranth.hdl import Cat, ClockDomain, ClockSignal, Const, Elaboratable, IOPort, Module, Signal

from plexor.protocol.registers import InputSelect
from plexor_hdl.front.divider import Divider
from plexor_hdl.front.phases import RATIO, add_domains, repeated
from plexor_hdl.front.sampler import Sampler, Way
from plexor_hdl.front.serialiser import Serialiser

START_BITS = 10
"""The core's clock starts 2**START_BITS periods of a family's start clock after the PLL's lock."""


class FrontEnd(Elaboratable):
    """The domain `sync`, with W = 2 x phases samples of each channel and output a clock.

    Pins: `reference`, a clock, `channels` and `outputs`, all driven. `samples` and `drives` are
    words as those of Sampler and Serialiser, `input_select` (InputSelect) and `loopback_output` as
    in docs/PROTOCOL.md. The domain has no reset: it has no clock until the PLL has locked.
    `clock_lost`, of no clock, is high while the PLL has no lock, and until the domain's clock has
    run for 2**(START_BITS - 1) periods of the start clock again: what it drives stood meanwhile.
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
        stable, wait = Signal(2), Signal(START_BITS + 1)
        m.d.reference += stable.eq(Cat(locked, stable))
        with m.If(~stable[-1]):
            m.d.reference += wait.eq(0)
        with m.Elif(~wait[-2:].all()):
            m.d.reference += wait.eq(wait + 1)
        # The lock as it is too: without the reference nothing else here moves.
        m.d.comb += self.clock_lost.eq(~(locked & wait[-2:].all()))
        m.submodules.divider = divider = Divider(phases)
        m.d.comb += [
            divider.start.eq(wait[-1]),
            self.core.eq(family.add_buffer(m, divider.core_clk)),
        ]
        channels, outputs = len(self.channels), len(self.outputs)
        # One flip-flop for all would drive wires that are too long for a period.
        loads, running = [divider.load], [divider.running]
        for number in range(1, channels + outputs):
            loads.append(repeated(m, loads[-1], f"load_{number}"))
        for number in range(outputs):
            running.append(repeated(m, running[-1], f"running_{number}"))
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
