# SPDX-License-Identifier: Apache-2.0
"""Finds the bins of values: log-linear ones, and those of a window of ticks."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.memory import VALUE_BITS, bin_bits, over_bin, under_bin
from plexor_hdl.lib.history import Line


class LogBins(wiring.Component):
    """Finds the log-linear bins of a value, for each of some numbers of mantissa bits.

    A bin is that of plexor.protocol.memory.bin_of. The greatest value, 2**31 - 1, stands for all
    above it and goes to the over bin; negative values go to the under bin.

    Latency: LATENCY (6) clocks.
    Throughput: a value each clock.
    Reset: none is needed; values under way become any bin.
    Wrap: none; it counts nothing.
    Full: never; a value moves on in each clock.

    Ports:
        value_ticks: The value, in ticks.
        bin0: Its bin for the first number of mantissa bits.
        bin1: Its bin for the second, where there is one.
    """

    STEPS = (16, 8, 4, 2, 1)
    LATENCY = len(STEPS) + 1

    def __init__(self, *mantissas: int) -> None:
        self._mantissas = mantissas
        super().__init__(
            {
                "value_ticks": In(signed(VALUE_BITS)),
                **{f"bin{n}": Out(bin_bits(bits)) for n, bits in enumerate(mantissas)},
            }
        )

    def elaborate(self, platform) -> Module:
        m = Module()
        least, most = min(self._mantissas), max(self._mantissas)
        magnitude = self.value_ticks[:-1]
        # Each step shifts left until the highest bit is 1, and drops bits that no bin depends on. A
        # value below the lowest octave is `small`: it is shifted as far as that octave's minimum.
        length = Const(0, 0)
        value = magnitude
        room = len(magnitude) - 1 - least
        small = Const(1, 1)
        for step in self.STEPS:
            leads = Signal(name=f"leads_{step}")
            m.d.comb += leads.eq(value[-step:].any() | (small if step > room else 0))
            shifted = Mux(leads, value, (value << step)[: len(value)])
            kept = Signal(min(len(value), step + most), name=f"kept_{step}")
            lengths = Signal(len(length) + 1, name=f"length_{step}")
            still_small = Signal(name=f"small_{step}")
            m.d.sync += [kept.eq(shifted[-len(kept) :]), lengths.eq(Cat(leads, length))]
            if step <= room:
                room -= step
                m.d.sync += still_small.eq(small & ~leads)
            else:
                m.d.sync += still_small.eq(small)
            value, length, small = kept, lengths, still_small
        half = len(magnitude) // 2
        ones = Signal(2)
        m.d.sync += ones.eq(Cat(magnitude[:half].all(), magnitude[half:].all()))
        stage = self.LATENCY - 1
        over = Line(m, ones.all(), "over")[stage - 2]
        negative = Line(m, self.value_ticks[-1], "negative")[stage - 1]
        outside, under = Signal(), Signal()
        m.d.sync += [outside.eq(over | negative), under.eq(negative)]
        low = Line(m, magnitude[:most], "low")
        for number, bits in enumerate(self._mantissas):
            octave = (length - (bits + 1) + value[-1])[:5]
            inside = Cat(value[most - bits : most], octave)
            if bits > least:
                # More mantissa bits make the lowest octave begin higher, above this value.
                inside = Mux(length <= bits, low[stage][:bits], inside)
            m.d.sync += getattr(self, f"bin{number}").eq(
                Mux(outside, Mux(under, under_bin(bits), over_bin(bits)), inside)
            )
        return m


class ZoomBin(wiring.Component):
    """Finds the bin of a value in the window that begins at `first_ticks`.

    Bin 0 holds values below the first, the last bin those from first + 2**zoom_bits - 2 on.

    Latency: LATENCY (4) clocks.
    Throughput: a value each clock.
    Reset: none is needed; values under way become any bin.
    Wrap: none; it counts nothing.
    Full: never; a value moves on in each clock.

    Ports:
        value_ticks: The value, in ticks.
        first_ticks: First tick of the window; it comes with the value.
        bin: The value's bin.
    """

    LATENCY = 4

    def __init__(self, zoom_bits: int) -> None:
        self._zoom_bits = zoom_bits
        super().__init__(
            {
                "value_ticks": In(signed(VALUE_BITS)),
                "first_ticks": In(signed(VALUE_BITS)),
                "bin": Out(zoom_bits),
            }
        )

    def elaborate(self, platform) -> Module:
        m = Module()
        bits, half = self._zoom_bits, VALUE_BITS // 2
        value = Line(m, self.value_ticks, "value")
        first = Line(m, self.first_ticks, "first")
        low = Signal(half + 1)
        m.d.sync += low.eq(value[0][:half] - first[0][:half])
        high = Signal(signed(half + 1))
        low_r = Signal(half)
        m.d.sync += [
            high.eq(value[1][half:].as_signed() - first[1][half:].as_signed() - low[-1]),
            low_r.eq(low),
        ]
        offset = Cat(low_r, high)
        below, beyond, inside = Signal(), Signal(), Signal(bits)
        m.d.sync += [
            below.eq(high < 0),
            beyond.eq(offset[bits:].any() | offset[1:bits].all()),
            inside.eq(offset[:bits] + 1),
        ]
        m.d.sync += self.bin.eq(Mux(below, 0, Mux(beyond, (1 << bits) - 1, inside)))
        return m
