"""The instrument on a board: a front-end, and a UART as its link."""

from types import ModuleType

from amaranth.hdl import Cat, ClockDomain, ClockSignal, Elaboratable, Module, Signal

from plexor.protocol.geometry import Geometry
from plexor_hdl.front.front_end import FrontEnd
from plexor_hdl.front.phases import LOOP_CLOCKS
from plexor_hdl.instrument import Instrument
from plexor_hdl.uart_instrument import UartInstrument


class Board(Elaboratable):
    """Puts an instrument between the pins of a board: a front-end, and a UART for its link.

    `ports` are the pins, by their names in constraints/. The output after the last strike's is the
    load: it goes the way of a strike, so that its time is known as well.

    Latency: LOOP_CLOCKS core clocks from a strike word to the samples of the same time.
    Throughput: one sample word of each channel and one strike word of each output each core clock.
    Reset: none; the core has no clock until the PLL has locked, and all keep their initial values.
    Wrap: as the instrument.
    Full: as the instrument.

    Ports:
        gate: The gate's pin. The instrument's first flip-flops are its synchroniser.
        uart_rx: The link from the host. Its rate is `uart_period`, LinkUart's `set_period`.
        uart_tx: The link to the host, at the same rate.
    """

    def __init__(
        self,
        family: ModuleType,
        pll: object,
        geometry: Geometry,
        gateware_hash: int,
        build_id: int,
        uart_period: int = 0,
    ) -> None:
        self._geometry, self._uart_period = geometry, uart_period
        self._hash, self._build_id = gateware_hash, build_id
        self.front = FrontEnd(family, pll, geometry.channels, geometry.strikes + 1)
        self.gate = Signal()
        self.uart_rx = Signal()
        self.uart_tx = Signal()
        front = self.front
        self.ports = [front.reference, front.channels, front.outputs]
        self.ports += [self.gate, self.uart_rx, self.uart_tx]

    def elaborate(self, platform):
        m = Module()
        m.submodules.front = front = self.front
        m.domains.sync = ClockDomain(reset_less=True)
        instrument = Instrument(
            self._geometry, self._hash, build_id=self._build_id, loop_clocks=LOOP_CLOCKS
        )
        m.submodules.instrument = wired = UartInstrument(instrument, self._uart_period)
        m.d.comb += [
            ClockSignal().eq(front.core),
            wired.samples.eq(front.samples),
            front.drives.eq(Cat(wired.strikes, wired.load.replicate(self._geometry.samples))),
            front.input_select.eq(wired.input_select),
            front.loopback_output.eq(wired.loopback_output),
            wired.gate.eq(self.gate),
            wired.clock_lost.eq(front.clock_lost),
            wired.uart_rx.eq(self.uart_rx),
            self.uart_tx.eq(wired.uart_tx),
        ]
        return m
