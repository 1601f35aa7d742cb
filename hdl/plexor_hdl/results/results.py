# SPDX-License-Identifier: Apache-2.0
"""The results: puts each measured value into bins, zoom windows and records."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import VALUE_BITS, Space, entries
from plexor_hdl.interfaces import Kind, Measured, SpaceRead, several_kinds
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
"""Clocks from a value to its bins."""
LATE_CLOCKS = 4
"""Minimum clocks between two values."""


def spaces_of(geometry: Geometry) -> tuple[Space, ...]:
    """Return the spaces of a build's results, in the order of `reads`."""
    return tuple(
        space for space in (*RECORD_SPACES, *LOG_SPACES, *ZOOM_SPACES) if entries(geometry, space)
    )


class Results(wiring.Component):
    """Puts every value that is measured into its bin, its zoom window's bin and its record.

    Values are of the kinds that the build has. Where these are several, records have two banks, and
    `bank` may change while `idle`. Bins have one bank, which can be frozen there: while `frozen` is
    high, reads give the state when it rose. It may rise while `idle` and not `folding`. After it
    falls, `folding` is high until what has counted since is added.

    One of `reads` is read at a time, the one whose address has its upper bit low.

    Latency: WORD_CLOCKS (20) clocks from an address, and from the last count there, to its word. A
        value is in all memories once `idle` is high.
    Throughput: a value each 4.5 clocks on average, the first one of a record in 4 clocks more; in a
        build of rises alone each 9. Carries and folding slow it down: see Bins.
    Reset: windows begin at 0; counters and records keep their values, so a clear must come before
        the first value.
    Wrap: none of bins, which stay at their greatest value and set `saturated`; of sums see Records.
    Full: never; `i_measured` waits while bins or records have no room for a value.

    Ports:
        i_measured: Stream of values, in ticks, with their kind and channel.
        bank: Bank of the records that count.
        frozen: 1 freezes what is read of bins.
        folding: 1 until what has counted beside frozen bins is added.
        idle: 1 if nothing is under way but what `folding` does.
        zoom_stb: Writes `zoom_data` to `zoom_place`; no values may come then.
        zoom_place: A window: its Kind << key bits | channel.
        zoom_data: First tick of the window.
        reads: Reads of the spaces `self.spaces`, in their order.
        clear_stb: Zeroes all bins and records.
        clear_busy: 1 while that takes; no values may come.
        saturated: 1 from the first count that a bin lost until the next clear.
    """

    WORD_CLOCKS = Records.READ_DELAY

    def __init__(self, geometry: Geometry, pages: int = PAGES) -> None:
        self._geometry = geometry
        self.spaces = spaces_of(geometry)
        """Spaces of `reads`, in its order."""
        self._layout = layout = Layout(geometry)
        if several_kinds(geometry):
            self.bins = Bins(layout.entries, layout.second_from, pages=pages)
        else:
            self.bins = PlainBins(layout.entries)
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
        # Values are at least 4 clocks apart, so a value's key can stay until its bins come.
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
        """Drive the place of a value's log-linear bin."""
        mantissas = mantissas_of(self._geometry)
        widths = sorted(set(mantissas.values()))
        m.submodules.log_bins = log_bins = LogBins(*widths)
        m.d.comb += log_bins.value_ticks.eq(value_ticks)
        for region in self._layout.logs:
            number = getattr(log_bins, f"bin{widths.index(mantissas[region.kind])}")
            self._place(m, region, key, number, place)

    def _zooms(self, m: Module, value_ticks, key, late, place) -> None:
        """Drive the place of a value's bin in its window."""
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
        """Drive the place of a region's bin, if the key is of the region's kind."""
        key_bits = self._geometry.key_bits
        with m.If(key[key_bits:] == region.kind):
            m.d.sync += place.eq(region.first | Cat(number, key[:key_bits]))

    def _reads(self, m: Module) -> None:
        """Connect the read ports."""
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
