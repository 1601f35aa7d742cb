"""The counts of a build with one bank: sources, events, drops and classes, in one memory."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import CLASSES, ResponseClass, Space
from plexor_hdl.capture import SourceAmounts
from plexor_hdl.classes import LANE_CLASSES
from plexor_hdl.counts import COUNT_BITS, VALUE_CLOCKS, Counts
from plexor_hdl.interfaces import Event, SpaceRead
from plexor_hdl.limb import Line
from plexor_hdl.matcher import LaneStrobes
from plexor_hdl.measure import ClassBeat
from plexor_hdl.upload import Drop

PLACE_BITS = 6
"""Address bits of a count inside its part of the memory."""
PARTS = (Space.CLASSES, Space.EDGES, Space.UPLOAD_DROPS)
SOURCE_PART = len(PARTS)
MEASURED = (
    ResponseClass.ANSWERED,
    ResponseClass.LATE,
    ResponseClass.DUPLICATE,
    ResponseClass.SPURIOUS,
)


def place_of(part: int, number: int) -> int:
    """Return the address of a count."""
    return part << PLACE_BITS | number


class Ledger(wiring.Component):
    """What Classes, EventTallies and the counters of the sources are together, for one bank.

    `space` says which of the three spaces the `reads` are of; their data comes one clock later than
    READ_CLOCKS, and is exact once `settled_stb` has followed `settle_stb`. `source_value` stands
    from VALUE_CLOCKS + 1 clocks after `source_stb` on: the count generated (`source_address` =
    source x 2) or dropped (that + 1). `dumping` must be high while spaces are read, and low while
    there are events.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        channels = geometry.channels
        super().__init__(
            {
                "i_sources": In(
                    data.ArrayLayout(SourceAmounts(geometry.samples), len(geometry.sources))
                ),
                "i_lanes": In(data.ArrayLayout(LaneStrobes, channels)),
                "i_valid": In(1),
                "i_class": In(ClassBeat(max(geometry.key_bits, 1))),
                "i_event_valid": In(1),
                "i_event": In(Event),
                "drop": In(Drop),
                "space": In(range(len(Space))),
                "dumping": In(1),
                "reads": In(SpaceRead()).array(len(PARTS)),
                "source_stb": In(1),
                "source_address": In(PLACE_BITS),
                "source_value": Out(COUNT_BITS),
                "settle_stb": In(1),
                "settled_stb": Out(1),
                "clear_stb": In(1),
                "clear_busy": Out(1),
                "saturated": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        geometry = self._geometry
        amounts = {}
        for channel in range(geometry.channels):
            for response_class in MEASURED:
                amounts[place_of(0, channel * CLASSES + response_class)] = (
                    self.i_valid
                    & (self.i_class.channel == channel)
                    & (self.i_class.response_class == response_class)
                )
            for response_class, name in LANE_CLASSES.items():
                place = place_of(0, channel * CLASSES + response_class)
                amounts[place] = self.i_lanes[channel][name]
        for number, source in enumerate(geometry.sources):
            here = self.i_event_valid & (self.i_event.source == source)
            for polarity in range(2):
                amounts[place_of(1, source * 2 + polarity)] = here & (
                    self.i_event.polarity == polarity
                )
            amounts[place_of(2, source)] = self.drop.valid & (self.drop.source == source)
            amounts[place_of(SOURCE_PART, source * 2)] = self.i_sources[number].generated
            amounts[place_of(SOURCE_PART, source * 2 + 1)] = self.i_sources[number].dropped

        m.submodules.counts = counts = Counts(
            {place: len(amount) for place, amount in amounts.items()}
        )
        for place, amount in amounts.items():
            amount_r = Signal(len(amount), name=f"amount{place}")
            m.d.sync += amount_r.eq(amount)
            m.d.comb += counts.amounts[str(place)].eq(amount_r)
        address = self.reads[0].address
        m.d.comb += [
            counts.reading.eq(self.dumping | self.source_stb),
            counts.read_address.eq(
                Mux(
                    self.source_stb,
                    Cat(self.source_address, Const(SOURCE_PART, 2)),
                    Cat(address[1 : 1 + PLACE_BITS], self.space[:2]),
                )
            ),
            counts.settle_stb.eq(self.settle_stb),
            counts.clear_stb.eq(self.clear_stb),
            self.settled_stb.eq(counts.settled_stb),
            self.clear_busy.eq(counts.clear_busy),
            self.saturated.eq(counts.saturated),
        ]
        # A read of a source takes one clock from a dump, whose address stands longer than that.
        source_due = Line(m, self.source_stb, "source_due")[VALUE_CLOCKS]
        word = Signal(32)
        with m.If(source_due):
            m.d.sync += self.source_value.eq(counts.value)
        with m.Else():
            m.d.sync += word.eq(Mux(address[0], counts.value[32:], counts.value[:32]))
        for number, read in enumerate(self.reads):
            m.d.comb += read.data.eq(word if number < len(PARTS) else 0)
        return m
