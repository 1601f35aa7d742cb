"""The histograms of an engine: log-linear bins and a window of one-tick bins for each key."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.memory import VALUE_BITS, bin_bits, over_bin, under_bin
from plexor_hdl.interfaces import Sample, SpaceRead
from plexor_hdl.limb import Line
from plexor_hdl.tally import Tally

BIN_COUNT_BITS = 32


class LogBin(wiring.Component):
    """The log-linear bin of a value, as plexor.protocol.memory.bin_of.

    The greatest value, 2**31 - 1, stands for all above it and goes to the over bin.
    Latency: LATENCY clocks. Throughput: one value a clock. Without state.
    """

    STEPS = (16, 8, 4, 2, 1)
    LATENCY = len(STEPS) + 1

    def __init__(self, mantissa_bits: int) -> None:
        self._mantissa_bits = mantissa_bits
        super().__init__(
            {"value_ticks": In(signed(VALUE_BITS)), "bin": Out(bin_bits(mantissa_bits))}
        )

    def elaborate(self, platform) -> Module:
        m = Module()
        mantissa_bits = self._mantissa_bits
        magnitude = self.value_ticks[:-1]
        # Each step shifts left until a one leads, and drops bits that no bin depends on. A value
        # that has no octave of its own is `small`: shifted as far as the least that has one.
        length = Const(0, 0)
        value = magnitude
        room = len(magnitude) - 1 - mantissa_bits
        small = Const(1, 1)
        for step in self.STEPS:
            leads = Signal(name=f"leads_{step}")
            m.d.comb += leads.eq(value[-step:].any() | (small if step > room else 0))
            shifted = Mux(leads, value, (value << step)[: len(value)])
            kept = Signal(min(len(value), step + mantissa_bits), name=f"kept_{step}")
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
        octave = (length - (mantissa_bits + 1) + value[-1])[:5]
        number = Cat(value[:mantissa_bits], octave)
        m.d.sync += self.bin.eq(
            Mux(outside, Mux(under, under_bin(mantissa_bits), over_bin(mantissa_bits)), number)
        )
        return m


class ZoomBin(wiring.Component):
    """The bin of a value in the window that begins at `first_ticks`.

    Bin 0 holds values below the first, the last bin those from first + 2**zoom_bits - 2 on.
    Latency: LATENCY clocks. Throughput: one value a clock. Without state.
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


class Histogram(wiring.Component):
    """Counts the samples of each key by value: in log-linear bins, and in a window of ticks.

    Entry (key, bin) of a space is at key * bins + bin; counters of 32 bits, that stay at their
    greatest value and set `saturated` until the next clear. `zoom_first` has the first bin of each
    key's window and is constant while samples come; without `zoom_bits` there is no window and
    `zoom` reads 0.

    Latency: a sample is in the words read for addresses `latency` clocks after it.
    Throughput: one sample a clock, of any keys and values; banks,
    reads, `clear_stb`, `clear_busy` and reset: as Tally.
    """

    def __init__(
        self,
        key_bits: int,
        mantissa_bits: int,
        zoom_bits: int | None,
        banks: int,
        limb_bits: int,
    ) -> None:
        self._key_bits = key_bits

        def tally(bits: int) -> Tally:
            return Tally(1 << key_bits + bits, BIN_COUNT_BITS, banks, limb_bits)

        self.log_bin = LogBin(mantissa_bits)
        self.log_tally = tally(bin_bits(mantissa_bits))
        self.zoom_bin = self.zoom_tally = None
        if zoom_bits is not None:
            self.zoom_bin = ZoomBin(zoom_bits)
            self.zoom_tally = tally(zoom_bits)
        self.latency = LogBin.LATENCY + self.log_tally.latency
        super().__init__(
            {
                "i_sample": In(stream.Signature(Sample(key_bits), always_ready=True)),
                "zoom_first": In(signed(VALUE_BITS)).array(1 << key_bits),
                "bins": In(SpaceRead()),
                "zoom": In(SpaceRead()),
                "clear_stb": In(1),
                "clear_busy": Out(1),
                "saturated": Out(1),
            }
        )

    def elaborate(self, platform) -> Module:
        m = Module()
        sample = self.i_sample.payload
        valid = Line(m, self.i_sample.valid, "valid")
        key = Line(m, sample.key, "key")
        bank = Line(m, sample.bank, "bank")
        tallies = [self.log_tally]
        m.submodules.log_bin = self.log_bin
        m.d.comb += self.log_bin.value_ticks.eq(sample.value_ticks)
        self._tally(m, "log_tally", self.bins, self.log_bin, LogBin.LATENCY, valid, key, bank)
        if self.zoom_tally is not None:
            tallies.append(self.zoom_tally)
            m.submodules.zoom_bin = self.zoom_bin
            value = Line(m, sample.value_ticks, "value_ticks")
            first = Signal(signed(VALUE_BITS))
            m.d.sync += first.eq(Array(self.zoom_first)[sample.key])
            m.d.comb += [
                self.zoom_bin.value_ticks.eq(value[1]),
                self.zoom_bin.first_ticks.eq(first),
            ]
            clocks = ZoomBin.LATENCY + 1
            self._tally(m, "zoom_tally", self.zoom, self.zoom_bin, clocks, valid, key, bank)
        for tally in tallies:
            m.d.comb += tally.clear_stb.eq(self.clear_stb)
        m.d.comb += [
            self.clear_busy.eq(Cat(tally.clear_busy for tally in tallies).any()),
            self.saturated.eq(Cat(tally.saturated for tally in tallies).any()),
        ]
        return m

    def _tally(self, m, name, read, bins, clocks, valid, key, bank) -> None:
        """Count in the tally `name` what `bins` says `clocks` clocks after a sample."""
        m.submodules[name] = tally = getattr(self, name)
        wiring.connect(m, tally.read, wiring.flipped(read))
        m.d.comb += [
            tally.i_address.valid.eq(valid[clocks]),
            tally.i_address.payload.address.eq(Cat(bins.bin, key[clocks])),
            tally.i_address.payload.bank.eq(bank[clocks]),
        ]
