"""Space.CLASSES: what became of each channel's strikes and responses."""

from amaranth.hdl import Array, Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import CLASSES, ResponseClass
from plexor_hdl.counter import COUNT_BITS, LIMB_BITS
from plexor_hdl.interfaces import SpaceRead
from plexor_hdl.measure import ClassBeat
from plexor_hdl.outcome import LaneCounts
from plexor_hdl.tally import Tally

LANE_CLASSES = {
    ResponseClass.MISSED: "missed",
    ResponseClass.EARLY: "early",
    ResponseClass.QUEUE_FULL: "queue_full",
    ResponseClass.STRIKES: "strikes",
}


class Classes(wiring.Component):
    """Counts one response's class a clock, and joins the counts that the matcher's lanes keep.

    `read` has two words an entry, channel x 8 + class. No back-pressure.
    """

    def __init__(self, geometry: Geometry, banks: int) -> None:
        self._geometry = geometry
        self._banks = banks
        lanes = data.ArrayLayout(data.ArrayLayout(LaneCounts, geometry.channels), banks)
        super().__init__(
            {
                "i_valid": In(1),
                "i_class": In(ClassBeat(max(geometry.key_bits, 1))),
                "lanes": In(lanes),
                "read": In(SpaceRead()),
                "clear_stb": In(1),
                "clear_busy": Out(1),
                "saturated": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        channels = self._geometry.channels
        m.submodules.tally = tally = Tally(
            channels * CLASSES, COUNT_BITS, self._banks, limb_bits=LIMB_BITS
        )
        beat = tally.i_address
        m.d.comb += [
            beat.valid.eq(self.i_valid),
            beat.payload.address.eq(self.i_class.channel * CLASSES + self.i_class.response_class),
            beat.payload.bank.eq(self.i_class.bank),
            tally.read.address.eq(self.read.address),
            tally.read.bank.eq(self.read.bank),
            tally.clear_stb.eq(self.clear_stb),
            self.clear_busy.eq(tally.clear_busy),
            self.saturated.eq(tally.saturated),
        ]

        # The lanes' counts, chosen in steps so that the whole takes READ_CLOCKS too.
        address = Signal.like(self.read.address)
        bank = Signal()
        m.d.sync += [address.eq(self.read.address), bank.eq(self.read.bank)]
        class_bits = CLASSES.bit_length() - 1
        rows = []
        for lanes in (self.lanes[number] for number in range(self._banks)):
            row = Signal(LaneCounts)
            channel = address[1 + class_bits :][: max(self._geometry.key_bits, 1)]
            m.d.sync += row.eq(Array(lanes[number] for number in range(channels))[channel])
            rows.append(row)
        chosen = Signal(LaneCounts)
        address_r, bank_r = Signal.like(address), Signal()
        address_rr = Signal.like(address)
        m.d.sync += [
            address_r.eq(address),
            bank_r.eq(bank),
            chosen.eq(Array(rows)[bank_r] if self._banks > 1 else rows[0]),
            address_rr.eq(address_r),
        ]
        word, ours = Signal(32), Signal()
        past_end = address_rr[1 + class_bits + self._geometry.key_bits :].any()
        count = Signal(64)
        kind = address_rr[1 : 1 + class_bits]
        for response_class, name in LANE_CLASSES.items():
            with m.If(kind == response_class):
                m.d.comb += count.eq(chosen[name])
        m.d.sync += [
            word.eq(count.word_select(address_rr[0], 32)),
            ours.eq(
                ~past_end & Cat(kind == response_class for response_class in LANE_CLASSES).any()
            ),
        ]
        with m.If(ours):
            m.d.comb += self.read.data.eq(word)
        with m.Else():
            m.d.comb += self.read.data.eq(tally.read.data)
        return m
