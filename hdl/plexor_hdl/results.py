"""The results: histograms and statistics of everything that is measured, in one bank."""

from amaranth.hdl import Array, Cat, Const, Module, Signal, signed
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import KINDS, VALUE_BITS, Space, bin_bits
from plexor_hdl.interfaces import PACE_CLOCKS, SPACE_ADDRESS_BITS, Kind, Measured, SpaceRead
from plexor_hdl.limb import Line
from plexor_hdl.paced import PacedTally
from plexor_hdl.records import Records
from plexor_hdl.value_bins import LogBins, ZoomBin

BIN_COUNT_BITS = 32
FAR_ENTRIES = 1 << 12
"""Counters whose memory takes so many blocks that some are far from its adder."""


class Results(wiring.Component):
    """Counts each value in the log-linear bins and the zoom window of its kind, and in its record.

    `zoom_first` has the first bin of each kind's and channel's window. What of spaces a build
    leaves out reads 0; words come up to LATE_CLOCKS of the dumper late, and nothing may be read
    while values come. Counters of bins stay at their greatest value and set `saturated` until the
    next clear. Throughput: a value each PACE_CLOCKS,
    or as Records has it. `idle`: nothing is under way. `clear_stb`
    zeroes all while `clear_busy`; no values then. Reset: results need a clear first.
    Raises ValueError for bins of falls that are finer than those of rises.
    """

    def __init__(self, geometry: Geometry) -> None:
        if geometry.fall_mantissa_bits > geometry.latency_mantissa_bits:
            raise ValueError(
                f"fall_mantissa_bits: {geometry.fall_mantissa_bits}; must be "
                f"{geometry.latency_mantissa_bits} or less, those of rises"
            )
        self._geometry = geometry
        features = geometry.features
        intervals = (
            (Space.INTERVAL_STATISTICS, Space.INTERVAL_BINS)
            if Feature.INTERVALS in features
            else ()
        )
        zooms = (Space.LATENCY_ZOOM, *((Space.INTERVAL_ZOOM,) if intervals else ()))
        self.spaces = (
            Space.LATENCY_STATISTICS,
            Space.LATENCY_BINS,
            *intervals,
            *(zooms if Feature.ZOOM in features else ()),
        )
        """The spaces of `reads`, in their order."""
        firsts = signed(VALUE_BITS)
        super().__init__(
            {
                "i_measured": In(stream.Signature(Measured(geometry))),
                "zoom_first": In(firsts).array(len(Kind) << geometry.key_bits),
                "reads": In(SpaceRead()).array(len(self.spaces)),
                "idle": Out(1),
                "clear_stb": In(1),
                "clear_busy": Out(1),
                "saturated": Out(1),
            }
        )

    def elaborate(self, platform) -> Module:
        m = Module()
        geometry, features = self._geometry, self._geometry.features
        reads = dict(zip(self.spaces, self.reads, strict=True))
        given, value = self.i_measured, self.i_measured.payload
        m.submodules.records = records = Records(geometry)
        waits, fire = Signal(), Signal()
        m.d.comb += [
            records.i_measured.payload.eq(value),
            records.i_measured.valid.eq(given.valid & ~waits),
            given.ready.eq(records.i_measured.ready & ~waits),
            fire.eq(given.valid & given.ready),
            self.idle.eq(records.idle),
            records.clear_stb.eq(self.clear_stb),
        ]
        if records.value_clocks < PACE_CLOCKS:
            wait = Signal(range(PACE_CLOCKS))
            m.d.comb += waits.eq(wait.any())
            with m.If(fire):
                m.d.sync += wait.eq(PACE_CLOCKS - 1)
            with m.Elif(waits):
                m.d.sync += wait.eq(wait - 1)
        ports = [(Space.LATENCY_STATISTICS, records.latencies)]
        if Feature.INTERVALS in features:
            ports.append((Space.INTERVAL_STATISTICS, records.intervals))
        else:
            m.d.comb += records.intervals.address[-1].eq(1)
        for space, port in ports:
            wiring.connect(m, wiring.flipped(reads[space]), port)

        key = Cat(value.channel[: geometry.key_bits], value.kind)
        keys = Line(m, key, "key")
        fires = Line(m, fire, "fire")
        mantissas = {Kind.RISE: geometry.latency_mantissa_bits}
        if Feature.FALL in features:
            mantissas[Kind.FALL] = geometry.fall_mantissa_bits
        if Feature.INTERVALS in features:
            mantissas[Kind.WIDTH] = geometry.interval_mantissa_bits
        widths = sorted(set(mantissas.values()))
        m.submodules.log_bins = bins = LogBins(*widths)
        m.d.comb += bins.value_ticks.eq(value.value_ticks)
        numbers = {bits: getattr(bins, f"bin{place}") for place, bits in enumerate(widths)}
        tallies = []
        latency = LogBins.LATENCY
        for kind, bits in mantissas.items():
            # Intervals of both kinds lie one behind the other.
            key_bits = geometry.key_bits + (kind == Kind.WIDTH)
            number = keys[latency][geometry.key_bits :]
            mine = number[1] if kind == Kind.WIDTH else number == kind
            place = Cat(numbers[bits], keys[latency][:key_bits])
            tallies.append(
                self._tally(m, kind.name, key_bits + bin_bits(bits), fires[latency] & mine, place)
            )
        self._read_latencies(m, reads[Space.LATENCY_BINS], tallies, mantissas)
        if Feature.INTERVALS in features:
            wiring.connect(m, wiring.flipped(reads[Space.INTERVAL_BINS]), tallies[-1].read)
        if Feature.ZOOM in features:
            tallies += self._zooms(m, reads, value, keys, fires)
        m.d.comb += [
            self.clear_busy.eq(Cat(part.clear_busy for part in (records, *tallies)).any()),
            self.saturated.eq(Cat(tally.saturated for tally in tallies).any()),
        ]
        return m

    def _tally(self, m, name, bits, valid, place) -> PacedTally:
        """Count what comes at places of so many bits."""
        tally = PacedTally(1 << bits, BIN_COUNT_BITS, 1 << bits >= FAR_ENTRIES)
        m.submodules[f"tally_{name.lower()}"] = tally
        m.d.comb += [
            tally.i_address.valid.eq(valid),
            tally.i_address.payload.address.eq(place),
            tally.clear_stb.eq(self.clear_stb),
        ]
        return tally

    def _read_latencies(self, m, read, tallies, mantissas) -> None:
        """Read the bins of rises, and behind them those of falls."""
        rise = tallies[0]
        m.d.comb += [rise.read.address.eq(read.address), rise.read.bank.eq(read.bank)]
        if Kind.FALL not in mantissas:
            m.d.comb += read.data.eq(rise.read.data)
            return
        bits = self._geometry.key_bits + bin_bits(mantissas[Kind.RISE])
        fall = tallies[1]
        # One of the two is past its last entry, and reads 0.
        outside = ~read.address[bits] | read.address[bits + 1 :].any()
        m.d.comb += [
            fall.read.address.eq(
                Cat(read.address[:bits], Const(0, SPACE_ADDRESS_BITS - 1 - bits), outside)
            ),
            read.data.eq(rise.read.data | fall.read.data),
        ]

    def _zooms(self, m, reads, value, keys, fires) -> list[PacedTally]:
        """Count in windows."""
        geometry = self._geometry
        bits = geometry.zoom_bits
        m.submodules.zoom_bin = zoom = ZoomBin(bits)
        # Chosen in two clocks: by the channel, then by the kind.
        of_kinds, first = [], Signal(signed(VALUE_BITS))
        for kind in Kind:
            of_kind = Signal(signed(VALUE_BITS), name=f"first_{kind.name.lower()}")
            firsts = [
                self.zoom_first[kind << geometry.key_bits | channel]
                for channel in range(1 << geometry.key_bits)
            ]
            m.d.sync += of_kind.eq(Array(firsts)[value.channel[: geometry.key_bits]])
            of_kinds.append(of_kind)
        m.d.sync += first.eq(Array(of_kinds)[keys[1][geometry.key_bits :]])
        m.d.comb += [
            zoom.value_ticks.eq(Line(m, value.value_ticks, "value")[2]),
            zoom.first_ticks.eq(first),
        ]
        clocks = ZoomBin.LATENCY + 2
        tallies = []
        for space, which in ((Space.LATENCY_ZOOM, 0), (Space.INTERVAL_ZOOM, 1)):
            if space not in reads:
                continue
            # Windows of both kinds, those of falls too where there are none.
            key_bits = geometry.key_bits + (KINDS - 1).bit_length()
            mine = keys[clocks][-1] == which
            place = Cat(zoom.bin, keys[clocks][:key_bits])
            tally = self._tally(m, space.name, key_bits + bits, fires[clocks] & mine, place)
            wiring.connect(m, wiring.flipped(reads[space]), tally.read)
            tallies.append(tally)
        return tallies
