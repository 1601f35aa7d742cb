# SPDX-License-Identifier: Apache-2.0
"""The instrument on a board: a front-end, and a UART as its link."""

from types import ModuleType

from amaranth.hdl import Cat, ClockDomain, ClockSignal, Elaboratable, IOPort, Module, Signal

from plexor.protocol.geometry import Geometry
from plexor_hdl.front.front_end import FrontEnd
from plexor_hdl.front.phases import LOOP_CLOCKS
from plexor_hdl.instrument import Instrument
from plexor_hdl.lib.blocks import plain_blocks
from plexor_hdl.lib.crossing import CROSSING_CLOCKS, Crossing
from plexor_hdl.uart_instrument import UartInstrument

CODE_CLOCKS = CROSSING_CLOCKS + 1
"""Core clocks from a code pin to the instrument: as the sampler's for a word's first sample."""

TIMECODE_CLOCKS = 3
"""Core clocks by which the timecode is late: a strike's word stands at its pin 2.5 clocks later."""


class Board(Elaboratable):
    """Puts an instrument between the pins of a board: a front-end, and a UART for its link.

    `ports` are the pins, by their names in constraints/. The output after the last strike's is the
    load: it goes the way of a strike, so that its time is known as well.

    Code pins are sampled CODE_CLOCKS before the samples of channels are taken, about when the first
    of these is sampled: a code has the time of the first clock that begins after it, or, where
    ways from pads and the core clock's lag differ, of the one behind.

    Latency: LOOP_CLOCKS core clocks from a strike word to the samples of the same time, CODE_CLOCKS
        from a code pin to the instrument.
    Throughput: one sample word of each channel and one strike word of each output each core clock.
    Reset: none; the core has no clock until the PLL has locked, and all keep their initial values.
    Wrap: as the instrument.
    Full: as the instrument.

    Ports:
        codes: The code pins, with Feature.CODES; each bit has a synchroniser of its own, so pins
            that change at once may be seen a clock apart.
        timecode: The timecode's pads, each from a flip-flop. They change 1.5 to 2.5 clocks after
            the strike that they count, the ways to the pads left out. Driven only while the
            register `timecode_on` is set.
        lamps: The pads of the lamps, which are read back.
        low: A pin that must be low for the instrument's sake, on a board that has one.
        led: The LED's pin, lit by a low level with `led_is_low`. It blinks by the core clock,
            faster while a run goes, and is dark while the PLL has no lock.
        gate: The gate's pin. The instrument's first flip-flops are its synchroniser.
        uart_rx: The link from the host. Its rate is `uart_period`, LinkUart's `set_period`.
        uart_tx: The link to the host, at the same rate.
        uart_hold: RTS# of the link's bridge, on a board that wires it: nothing is sent while it is
            high.
    """

    def __init__(
        self,
        family: ModuleType,
        pll: object,
        geometry: Geometry,
        gateware_hash: int,
        build_id: int,
        uart_period: int = 0,
        *,
        has_low: bool = False,
        has_hold: bool = False,
        led_is_low: bool = False,
    ) -> None:
        self._family, self._geometry, self._uart_period = family, geometry, uart_period
        self._led_is_low = led_is_low
        self._hash, self._build_id = gateware_hash, build_id
        self.front = FrontEnd(family, pll, geometry.channels, geometry.strikes + 1)
        self.codes = Signal(geometry.code_bits)
        self.timecode = IOPort(geometry.timecode_bits, name="timecode")
        self.lamps = IOPort(geometry.lamps, name="lamps")
        self.low = Signal()
        self.led = Signal()
        self.gate = Signal()
        self.uart_rx = Signal()
        self.uart_tx = Signal()
        self.uart_hold = Signal()
        front = self.front
        self.ports = [front.reference, front.channels, front.outputs]
        self.ports += [self.led, self.gate, self.uart_rx, self.uart_tx]
        if has_low:
            self.ports.append(self.low)
        if has_hold:
            self.ports.append(self.uart_hold)
        if geometry.code_bits:
            self.ports.append(self.codes)
        if geometry.timecode_bits:
            self.ports.append(self.timecode)
        if geometry.lamps:
            self.ports.append(self.lamps)

    def elaborate(self, platform):
        m = Module()
        m.submodules.front = front = self.front
        m.domains.sync = ClockDomain(reset_less=True)
        instrument = Instrument(
            self._geometry,
            self._hash,
            build_id=self._build_id,
            loop_clocks=LOOP_CLOCKS,
            blocks=getattr(self._family, "add_blocks", plain_blocks),
        )
        m.submodules.instrument = wired = UartInstrument(instrument, self._uart_period)
        m.d.comb += [
            ClockSignal().eq(front.core),
            wired.samples.eq(front.samples),
            front.drives.eq(Cat(wired.strikes, wired.load.replicate(self._geometry.samples))),
            front.input_select.eq(wired.input_select),
            front.loopback_output.eq(wired.loopback_output),
            wired.gate.eq(self.gate),
            self.low.eq(0),
            # The count may stand while the PLL has no lock: then the LED is dark.
            self.led.eq((wired.beat & ~front.clock_lost) ^ self._led_is_low),
            wired.clock_lost.eq(front.clock_lost),
            wired.uart_rx.eq(self.uart_rx),
            self.uart_tx.eq(wired.uart_tx),
            wired.uart_hold.eq(self.uart_hold),
        ]
        if self._geometry.timecode_bits:
            code = wired.timecode
            for number in range(TIMECODE_CLOCKS):
                later = Signal.like(code, name=f"timecode_{number}")
                m.d.sync += later.eq(code)
                code = later
            off = Signal(init=1)
            m.d.sync += off.eq(~wired.timecode_on)
            for number, bit in enumerate(code):
                self._family.add_pad(m, bit, self.timecode[number], f"timecode_{number}", off)
        for number in range(self._geometry.lamps):
            drive, back = wired.lamps[number], wired.lamps_back[number]
            pad = self._family.add_pad(m, drive, self.lamps[number], f"lamp_{number}")
            m.d.comb += back.eq(pad)
        for number in range(self._geometry.code_bits):
            m.submodules[f"code{number}_to_core"] = crossing = Crossing()
            m.d.comb += crossing.bit.eq(self.codes[number])
            m.d.sync += wired.codes[number].eq(crossing.crossed)
        return m
