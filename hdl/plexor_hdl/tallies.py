"""Space.EDGES and Space.UPLOAD_DROPS: events merged, and events that found no room to the link."""

from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import SOURCE_BITS
from plexor.protocol.geometry import Geometry
from plexor_hdl.counter import COUNT_BITS, LIMB_BITS
from plexor_hdl.interfaces import SpaceRead
from plexor_hdl.tally import Tally
from plexor_hdl.upload import Drop


class EventTallies(wiring.Component):
    """Counts each merged event by source and polarity, and each dropped one by source.

    One of each a clock, no back-pressure.
    """

    def __init__(self, geometry: Geometry, banks: int) -> None:
        self._sources = max(geometry.sources) + 1
        self._banks = banks
        super().__init__(
            {
                "i_event_valid": In(1),
                "i_source": In(SOURCE_BITS),
                "i_polarity": In(1),
                "event_bank": In(1),
                "drop": In(Drop),
                "drop_bank": In(1),
                "edges": In(SpaceRead()),
                "drops": In(SpaceRead()),
                "clear_stb": In(1),
                "clear_busy": Out(1),
                "saturated": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.edges = edges = Tally(
            self._sources * 2, COUNT_BITS, self._banks, limb_bits=LIMB_BITS
        )
        m.submodules.drops = drops = Tally(
            self._sources, COUNT_BITS, self._banks, limb_bits=LIMB_BITS
        )
        wiring.connect(m, wiring.flipped(self.edges), edges.read)
        wiring.connect(m, wiring.flipped(self.drops), drops.read)
        event, drop = edges.i_address, drops.i_address
        m.d.comb += [
            event.valid.eq(self.i_event_valid),
            event.payload.address.eq(Cat(self.i_polarity, self.i_source)),
            event.payload.bank.eq(self.event_bank),
            drop.valid.eq(self.drop.valid),
            drop.payload.address.eq(self.drop.source),
            drop.payload.bank.eq(self.drop_bank),
            *(tally.clear_stb.eq(self.clear_stb) for tally in (edges, drops)),
            self.clear_busy.eq(edges.clear_busy | drops.clear_busy),
            self.saturated.eq(edges.saturated | drops.saturated),
        ]
        return m
