"""One accumulation engine: histograms and statistics of latencies, or of intervals."""

from enum import Enum

from amaranth.hdl import Cat, Module, signed
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import VALUE_BITS
from plexor_hdl.histogram import Histogram
from plexor_hdl.interfaces import Sample, SpaceRead
from plexor_hdl.statistics import Statistics


class Which(Enum):
    """What an engine accumulates."""

    LATENCY = "latency"
    INTERVAL = "interval"


class Engine(wiring.Component):
    """Histograms and statistics of every sample, in the bank that the sample names.

    Ports as Histogram and Statistics. Without Feature.FALL the latency engine has no memory for
    fall latencies: such samples are not counted and their entries read 0. Without Feature.ZOOM
    `zoom` reads 0. Without Feature.SNAPSHOT there is one bank. An interval engine without
    Feature.INTERVALS raises ValueError.

    Latency: a sample is in the words read for addresses LATENCY clocks after it, or later.
    Throughput: one sample a clock, of any keys and values. `clear_busy` is 1 from the
    clock after `clear_stb` until every memory is zero; no samples then. Reset: see Histogram and
    Statistics; results need a clear before the first sample.
    """

    LATENCY = 13

    def __init__(
        self, geometry: Geometry, which: Which | str = Which.LATENCY, limb_bits: int = 16
    ) -> None:
        which = Which(which)
        features = geometry.features
        if which is Which.INTERVAL and Feature.INTERVALS not in features:
            raise ValueError("which: interval; must be latency, for want of Feature.INTERVALS")
        mantissa_bits, kind_bits = {
            Which.LATENCY: (geometry.latency_mantissa_bits, int(Feature.FALL in features)),
            Which.INTERVAL: (geometry.interval_mantissa_bits, 1),
        }[which]
        if kind_bits and geometry.fall_mantissa_bits != geometry.latency_mantissa_bits:
            raise ValueError(
                f"fall_mantissa_bits: {geometry.fall_mantissa_bits};"
                f" must be {geometry.latency_mantissa_bits}, as of rises"
            )
        banks = 2 if Feature.SNAPSHOT in features else 1
        zoom_bits = geometry.zoom_bits if Feature.ZOOM in features else None
        self._first_kind_only = kind_bits == 0
        key_bits = max(geometry.key_bits + kind_bits, 1)
        self.histogram = Histogram(key_bits, mantissa_bits, zoom_bits, banks, limb_bits)
        self.records = Statistics(key_bits, features, banks, limb_bits)
        super().__init__(
            {
                "i_sample": In(stream.Signature(Sample(geometry.key_bits + 1), always_ready=True)),
                "zoom_first": In(signed(VALUE_BITS)).array(2 << geometry.key_bits),
                "statistics": In(SpaceRead()),
                "bins": In(SpaceRead()),
                "zoom": In(SpaceRead()),
                "clear_stb": In(1),
                "clear_busy": Out(1),
                "saturated": Out(1),
            }
        )

    def elaborate(self, platform) -> Module:
        m = Module()
        m.submodules.histogram = self.histogram
        m.submodules.records = self.records
        sample = self.i_sample.payload
        kept = ~(self._first_kind_only & sample.key[-1])
        for stage in (self.histogram, self.records):
            payload = stage.i_sample.payload
            m.d.comb += [
                stage.i_sample.valid.eq(self.i_sample.valid & kept),
                *(payload[name].eq(sample[name]) for name in payload.shape().members),
                stage.clear_stb.eq(self.clear_stb),
            ]
        for ours, first in zip(self.histogram.zoom_first, self.zoom_first, strict=False):
            m.d.comb += ours.eq(first)
        wiring.connect(m, self.histogram.bins, wiring.flipped(self.bins))
        wiring.connect(m, self.histogram.zoom, wiring.flipped(self.zoom))
        wiring.connect(m, self.records.read, wiring.flipped(self.statistics))
        m.d.comb += [
            self.clear_busy.eq(Cat(self.histogram.clear_busy, self.records.clear_busy).any()),
            self.saturated.eq(self.histogram.saturated),
        ]
        return m
