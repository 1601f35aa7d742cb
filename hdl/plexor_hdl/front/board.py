"""The instrument on a board: clocks, sampler, serialiser and UART around it."""

from amaranth.hdl import Cat, ClockDomain, ClockSignal, Elaboratable, Module, Signal

from plexor_hdl.front import ecp5
from plexor_hdl.front.divider import Divider
from plexor_hdl.front.phases import LOOP_CLOCKS, add_domains
from plexor_hdl.front.sampler import Sampler
from plexor_hdl.front.serialiser import Serialiser
from plexor_hdl.instrument import Instrument
from plexor_hdl.uart_instrument import UartInstrument

START_BITS = 10
"""The core's clock starts 2**START_BITS periods of the reference after the PLL's lock."""


class Board(Elaboratable):
    """An instrument between pins: `reference` clock in, `channels` in, `strikes` and `load` out.

    The load goes through the serialiser as a strike does, so that its time is known as well.
    """

    def __init__(self, pll: ecp5.Pll, geometry, gateware_hash: int) -> None:
        self._pll, self._geometry, self._hash = pll, geometry, gateware_hash
        self.reference, self.uart_rx, self.uart_tx = Signal(), Signal(), Signal()
        self.channels = Signal(geometry.channels)
        self.strikes = Signal(geometry.strikes)
        self.load, self.gate = Signal(), Signal()
        self.ports = [self.reference, self.channels, self.strikes, self.load, self.gate]
        self.ports += [self.uart_rx, self.uart_tx]

    def elaborate(self, platform):
        m = Module()
        geometry = self._geometry
        phases = geometry.samples // 2
        clocks, locked = ecp5.add_pll(m, self.reference, self._pll)
        add_domains(m, clocks)
        m.submodules.divider = divider = Divider(phases)
        m.domains.sync = ClockDomain(reset_less=True)
        m.d.comb += ClockSignal().eq(ecp5.add_buffer(m, divider.core_clk))
        m.domains.reference = ClockDomain(reset_less=True)
        m.d.comb += ClockSignal("reference").eq(self.reference)
        stable, wait = Signal(), Signal(START_BITS + 1)
        m.d.reference += stable.eq(locked)
        with m.If(~stable):
            m.d.reference += wait.eq(0)
        with m.Elif(~wait[-1]):
            m.d.reference += wait.eq(wait + 1)
        m.d.comb += divider.start.eq(wait[-1])

        instrument = Instrument(geometry, self._hash, loop_clocks=LOOP_CLOCKS)
        m.submodules.instrument = wired = UartInstrument(instrument)
        m.submodules.sampler = sampler = Sampler(geometry.channels, phases)
        m.submodules.serialiser = serialiser = Serialiser(
            geometry.strikes + 1, phases, ecp5.xor
        )
        gate = Signal(2)
        m.d.sync += gate.eq(Cat(self.gate, gate))
        m.d.comb += [
            sampler.pins.eq(self.channels),
            sampler.load.eq(divider.load),
            wired.samples.eq(sampler.words),
            serialiser.words.eq(Cat(wired.strikes, wired.load.replicate(geometry.samples))),
            serialiser.load.eq(divider.load),
            serialiser.running.eq(divider.running),
            Cat(self.strikes, self.load).eq(serialiser.pins),
            wired.gate.eq(gate[-1]),
            wired.uart_rx.eq(self.uart_rx),
            self.uart_tx.eq(wired.uart_tx),
        ]
        return m
