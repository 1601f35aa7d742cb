# SPDX-License-Identifier: Apache-2.0
"""The instrument with its link on two pins."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.instrument import Instrument
from plexor_hdl.uplink.link_uart import LinkUart


class UartInstrument(wiring.Component):
    """The instrument with its link on two pins.

    The Instrument's byte streams go through a LinkUart; the other pins are the Instrument's. The
    UART's rate is `set_period`, in 1/8 clock a bit; with 0 it is as the register `uart_divisor`
    says.

    Latency: nothing is added to the Instrument's and LinkUart's.
    Throughput: one sample word a channel and one strike word an output each clock; a byte in ten
        bit times each way.
    Reset: as the Instrument's; the UART's line is high.
    Wrap: nothing but what wraps in the Instrument.
    Full: received bytes that find LinkUart's FIFO full are dropped; the Instrument counts them.

    Ports:
        samples: One word of W samples a channel, oldest lowest.
        codes: Levels of the code pins, in a build that has them.
        strikes: One word of W samples a strike output, oldest lowest.
        load: The load output.
        timecode: The pins of the timecode, in a build that has them.
        timecode_on: They are to be driven.
        lamps: The lamps' pads, in a build that has them.
        lamps_back: Levels of these pads, of any clock.
        beat: For an LED, as the Instrument's.
        gate: The gate, of any clock.
        clock_lost: 1, of any clock, if the core's clock was not as it should be.
        input_select: What is sampled: an InputSelect.
        loopback_output: Output that is sampled with InputSelect.LOOPBACK.
        uart_rx: Pin that the link receives from.
        uart_tx: Pin that the link sends to.
        uart_hold: It is to send nothing, of any clock.
    """

    def __init__(self, instrument: Instrument, set_period: int = 0) -> None:
        self._instrument, self._set_period = instrument, set_period
        some = {"codes": In, "timecode": Out, "timecode_on": Out, "lamps": Out, "lamps_back": In}
        self._some = [name for name in some if hasattr(instrument, name)]
        super().__init__(
            {
                "samples": In(len(instrument.samples)),
                **{name: some[name](len(getattr(instrument, name))) for name in self._some},
                "strikes": Out(len(instrument.strikes)),
                "load": Out(1),
                "beat": Out(1),
                "gate": In(1),
                "clock_lost": In(1),
                "input_select": Out(len(instrument.input_select)),
                "loopback_output": Out(len(instrument.loopback_output)),
                "uart_rx": In(1, init=1),
                "uart_tx": Out(1, init=1),
                "uart_hold": In(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.instrument = instrument = self._instrument
        m.submodules.uart = uart = LinkUart(self._set_period)
        m.d.comb += [
            instrument.samples.eq(self.samples),
            self.strikes.eq(instrument.strikes),
            self.load.eq(instrument.load),
            self.beat.eq(instrument.beat),
            instrument.gate.eq(self.gate),
            instrument.clock_lost.eq(self.clock_lost),
            self.input_select.eq(instrument.input_select),
            self.loopback_output.eq(instrument.loopback_output),
            uart.rx.eq(self.uart_rx),
            self.uart_tx.eq(uart.tx),
            uart.hold.eq(self.uart_hold),
            uart.divisor.eq(instrument.uart_divisor),
            uart.clear.eq(instrument.link_clear),
            instrument.link_dropped.eq(uart.dropped),
        ]
        for name in self._some:
            inner, outer = getattr(instrument, name), getattr(self, name)
            is_input = self.signature.members[name].flow == In
            m.d.comb += inner.eq(outer) if is_input else outer.eq(inner)
        wiring.connect(m, instrument.tx, uart.i_bytes)
        wiring.connect(m, uart.o_bytes, instrument.rx)
        return m
