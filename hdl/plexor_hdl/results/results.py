"""The results: what is measured goes to bins, zoom windows and records, one value after another."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import VALUE_BITS, Space, entries
from plexor_hdl.interfaces import Kind, Measured, SpaceRead
from plexor_hdl.lib.history import Line
from plexor_hdl.results.bin_places import LOG_SPACES, ZOOM_SPACES, BinPlaces, Layout, mantissas_of
from plexor_hdl.results.bins import PAGES, Bins
from plexor_hdl.results.plain_bins import PlainBins
from plexor_hdl.results.records import Records
from plexor_hdl.results.value_bins import LogBins, ZoomBin
from plexor_hdl.results.zoom_firsts import ZoomFirsts

RECORD_SPACES = (Space.LATENCY_STATISTICS, Space.INTERVAL_STATISTICS)
KIND_BITS = (len(Kind) - 1).bit_length()
VALUE_CLOCKS = LogBins.LATENCY
"""From a value to its bins."""
LATE_CLOCKS = 4
"""Between values, at least."""


def spaces_of(geometry: Geometry) -> tuple[Space, ...]:
    """Return the spaces that a build's results have, in the order of `reads`."""
    return tuple(
        space for space in (*RECORD_SPACES, *LOG_SPACES, *ZOOM_SPACES) if entries(geometry, space)
    )


class Results(wiring.Component):
    """Bins, zoom windows and records of every value that is measured.

    Values are of the kinds that the build's features have. One is taken each 4.5 clocks, without
    Feature.SNAPSHOT each PACE_CLOCKS, in a build of rises alone each 9; the first one of a record
    takes 4 clocks more, and see Bins for carries and folding. `idle`: nothing is under way but what
    `folding` does.

    `bank` is that of the records that count; it changes while `idle`. Bins have one bank: while
    `frozen` is high, which rises while `idle` and not `folding`, what is read of them is the state
    when it rose; then `folding` until what has counted since is added.
    `zoom_stb` writes `zoom_data`, the first tick of the window of a kind and channel, to
    `zoom_place`: Kind << key bits | channel; no values then.
    `reads` are those of spaces_of; one is read at a time, that whose address has its upper bit low.
    A word is there WORD_CLOCKS after its address stood and after its last count. `clear_stb` zeroes
    all while `clear_busy`; a clear must come before the first value. Reset: windows begin at 0.
    """

    WORD_CLOCKS = Records.READ_DELAY

    def __init__(self, geometry: Geometry, pages: int = PAGES) -> None:
        self._geometry = geometry
        self.spaces = spaces_of(geometry)
        """The spaces of `reads`, in their order."""
        self._layout = layout = Layout(geometry)
        if Feature.SNAPSHOT in geometry.features:
            self.bins = Bins(layout.entries, layout.second_from, pages=pages)
        else:
            self.bins = PlainBins(layout.entries, layout.second_from, layout.windows)
        self.records = Records(geometry)
        super().__init__(
            {
                "i_measured": In(stream.Signature(Measured(geometry))),
                "bank": In(1),
                "frozen": In(1),
                "folding": Out(1),
                "idle": Out(1),
                "zoom_stb": In(1),
                "zoom_place": In(geometry.key_bits + KIND_BITS),
                "zoom_data": In(VALUE_BITS),
                "reads": In(SpaceRead()).array(len(self.spaces)),
                "clear_stb": In(1),
                "clear_busy": Out(1),
                "saturated": Out(1),
            }
        )

    def elaborate(self, platform) -> Module:
        m = Module()
        m.submodules.bins, m.submodules.records = bins, records = self.bins, self.records
        given, taken = self.i_measured, Signal()
        value = given.payload
        m.d.comb += [
            records.i_measured.valid.eq(given.valid & bins.room),
            records.i_measured.payload.eq(value),
            given.ready.eq(records.i_measured.ready & bins.room),
            taken.eq(given.valid & given.ready),
            bins.expect_stb.eq(taken),
            records.bank.eq(self.bank),
            bins.frozen.eq(self.frozen),
            self.folding.eq(bins.folding),
            self.idle.eq(records.idle & bins.idle & ~given.valid),
            records.clear_stb.eq(self.clear_stb),
            bins.clear_stb.eq(self.clear_stb),
            self.clear_busy.eq(records.clear_busy | bins.clear_busy),
            self.saturated.eq(bins.saturated),
        ]
        # Whose the value is, until its bins are known: values come 4 clocks or more apart.
        key_bits = self._geometry.key_bits
        key = Cat(value.channel[:key_bits], value.kind)
        soon, late = Signal.like(key), Signal.like(key)
        valid = Line(m, taken, "taken")
        with m.If(valid[0]):
            m.d.sync += soon.eq(key)
        with m.If(valid[LATE_CLOCKS]):
            m.d.sync += late.eq(soon)
        pair = bins.i_pair.payload
        m.d.sync += bins.i_pair.valid.eq(valid[VALUE_CLOCKS])
        self._logs(m, value.value_ticks, late, pair.first)
        if self._layout.zooms:
            self._zooms(m, value.value_ticks, key, late, pair.second)
        self._reads(m)
        return m

    def _logs(self, m: Module, value_ticks, key, place) -> None:
        """Give the place of a value's log-linear bin."""
        mantissas = mantissas_of(self._geometry)
        widths = sorted(set(mantissas.values()))
        m.submodules.log_bins = log_bins = LogBins(*widths)
        m.d.comb += log_bins.value_ticks.eq(value_ticks)
        for region in self._layout.logs:
            number = getattr(log_bins, f"bin{widths.index(mantissas[region.kind])}")
            self._place(m, region, key, number, place)

    def _zooms(self, m: Module, value_ticks, key, late, place) -> None:
        """Give the place of a value's bin in its window."""
        m.submodules.firsts = firsts = ZoomFirsts(len(key))
        m.submodules.zoom_bin = zoom_bin = ZoomBin(self._geometry.zoom_bits)
        m.d.comb += [
            firsts.stb.eq(self.zoom_stb),
            firsts.place.eq(self.zoom_place),
            firsts.data.eq(self.zoom_data),
            firsts.window.eq(key),
            zoom_bin.first_ticks.eq(firsts.first_ticks),
            zoom_bin.value_ticks.eq(Line(m, value_ticks, "value")[1]),
        ]
        number = Line(m, zoom_bin.bin, "window_bin")[VALUE_CLOCKS - ZoomBin.LATENCY - 1]
        for region in self._layout.zooms:
            self._place(m, region, late, number, place)

    def _place(self, m: Module, region, key, number, place) -> None:
        """Give the place of a bin of a region, if the key is of its kind."""
        key_bits = self._geometry.key_bits
        with m.If(key[key_bits:] == region.kind):
            m.d.sync += place.eq(region.first | Cat(number, key[:key_bits]))

    def _reads(self, m: Module) -> None:
        """Let the ports read."""
        ports = dict(zip(self.spaces, self.reads, strict=True))
        records = {
            Space.LATENCY_STATISTICS: self.records.latencies,
            Space.INTERVAL_STATISTICS: self.records.intervals,
        }
        for space, port in records.items():
            if space in ports:
                wiring.connect(m, port, wiring.flipped(ports.pop(space)))
            else:
                m.d.comb += port.address.eq(~0)
        regions = self._layout.logs + self._layout.zooms
        m.submodules.places = places = BinPlaces([*ports], regions, self._layout.entries)
        m.d.comb += [self.bins.address.eq(places.place), self.bins.there.eq(places.there)]
        for number, port in enumerate(ports.values()):
            m.d.comb += [
                places.addresses[number].eq(port.address),
                port.data.eq(self.bins.word),
                port.some.eq(self.bins.some),
            ]
