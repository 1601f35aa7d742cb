"""The counts of a build with one bank: sources, events, drops and classes, in one memory."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import SOURCE_BITS, SOURCE_LOAD, SOURCE_STRIKE
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import CLASSES, Space
from plexor_hdl.capture import SourceAmounts
from plexor_hdl.classes import LANE_CLASSES
from plexor_hdl.codes import PHASE_BITS, TOKEN, Codes
from plexor_hdl.counts import COUNT_BITS, LIMB_BITS, LIMBS, Counts
from plexor_hdl.interfaces import SpaceRead
from plexor_hdl.limb import Line
from plexor_hdl.measure import ClassBeat
from plexor_hdl.outcome import LaneStrobes
from plexor_hdl.upload import Drop

PARTS = (Space.CLASSES, Space.EDGES, Space.UPLOAD_DROPS)
SOURCE_ADDRESS_BITS = 6
CLASS_BITS = (CLASSES - 1).bit_length()
EDGES, SOURCE, CLASS, DROP = 0b000, 0b001, 0b010, 0b100
"""The upper bits of places."""
TOKENS = 3
"""Visits of a round that empty codes: an event's, its drop's, a class's."""


class Places:
    """Where the counts of a build are: numbers for Counts, and the rows of their limbs.

    Sources get short codes: 0 and the channel, 1, 0 and the strike, or 1, 1 for the load. A place
    has a code and a bit more for events and for sources, a class and a channel for classes. The
    drops' limbs share the rows that a fourth limb of the others would have.
    """

    def __init__(self, geometry: Geometry) -> None:
        strike_bits = (geometry.strikes - 1).bit_length()
        self._number_bits = max(geometry.key_bits, strike_bits + 1)
        self.code_bits = self._number_bits + 1
        self.bits = self.code_bits + 4
        self.row_bits = self.code_bits + 5

    def code_of(self, source):
        """Return the code of a source's number."""
        top = self._number_bits - 1
        channel = ~source[SOURCE_STRIKE.bit_length() - 1 :].any()
        return Cat(source[:top], Mux(channel, source[top], source[-1]), ~channel)

    def code_number(self, source: int) -> int:
        """Return the code of a source that is known."""
        kind = (source >= SOURCE_STRIKE) << 1 | (source == SOURCE_LOAD)
        low = source % SOURCE_STRIKE
        return low if not kind else kind << self._number_bits - 1 | low

    def edges(self, code_and_polarity):
        return self._place(code_and_polarity, EDGES)

    def source(self, address):
        return self._place(Cat(address[0], self.code_of(address[1:])), SOURCE)

    def source_number(self, source: int, which: int) -> int:
        return self.code_number(source) << 1 | which | SOURCE << self.code_bits + 1

    def classes(self, entry):
        return self._place(entry, CLASS)

    def class_number(self, entry: int) -> int:
        return entry | CLASS << self.code_bits + 1

    def drops(self, code):
        return self._place(code, DROP)

    def _place(self, inside, part: int):
        above = part << self.code_bits + 1 >> len(inside)
        return Cat(inside, Const(above, self.bits - len(inside)))

    def row_of(self, place, limb):
        """Return the row of a limb of a place."""
        # Ands and ors, for yosys takes a choice of a constant for a reset, which no memory has.
        low, rows, drop = self.code_bits, self.row_bits - 2, place[-1]
        upper = rows - low - 2
        return Cat(
            place[:low],
            Mux(drop, limb, place[low : low + 2]),
            place[low + 2 : rows] & ~drop.replicate(upper),
            limb | drop.replicate(2),
        )


def choose(values, index):
    """Return the value at `index`, as a tree of choices between two."""
    for bit in index:
        pairs = [values[place : place + 2] for place in range(0, len(values), 2)]
        values = [Mux(bit, pair[-1], pair[0]) for pair in pairs]
    return values[0]


class Ledger(wiring.Component):
    """What Classes, EventTallies and the counters of the sources are together, for one bank.

    `drop` tells of the event of the clock before. Edges of sources and what happens in lanes, of
    which several can come in a clock, have short counters, which a round of visits samples; events
    with their drops, and classes, come one a clock and are counted as Codes.

    `space` says which of the three spaces the `reads` are of; their data comes LATE_CLOCKS of the
    dumper later than READ_CLOCKS, and is exact once `settled_stb` has followed `settle_stb`.
    `source_value` has the count generated (`source_address` = source x 2) or dropped (that + 1), 4
    clocks after `source_stb` and until the next; strobes come at least 20 clocks apart. `dumping`
    must be high while spaces are read, and low while there are events. `clear_stb` sets all to 0
    while `clear_busy`; nothing may come then. `saturated` is set when a count wraps, until the next
    clear. Reset: the memories keep their words, so results need a clear first.
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
                "i_source": In(SOURCE_BITS),
                "i_polarity": In(1),
                "drop": In(Drop),
                "space": In(range(len(Space))),
                "dumping": In(1),
                "reads": In(SpaceRead()).array(len(PARTS)),
                "source_stb": In(1),
                "source_address": In(SOURCE_ADDRESS_BITS),
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
        places = Places(geometry)
        wides, narrows = self._lines(places)
        lines = len(wides) + len(narrows)
        # Reads of sources take up to 3 clocks of 10.
        clocks = (lines + TOKENS) * LIMBS * 10 // 7
        narrow_bits = clocks.bit_length()
        wide_bits = (clocks * geometry.samples).bit_length()
        m.submodules.counts = counts = Counts(
            places.bits, places.row_bits, places.row_of, narrow_bits, wide_bits
        )

        samples = []
        for place, amount, enable in wides + narrows:
            bits = narrow_bits if len(amount) == 1 else wide_bits
            short = Signal(bits, name=f"short{place}")
            with m.If(self.clear_busy):
                m.d.sync += short.eq(0)
            with m.Elif(enable):
                m.d.sync += short.eq(short + amount)
            samples.append(~short)

        # What a visit looks at is chosen in two steps, while its first limb is read. `turn` is what
        # comes behind it.
        turn = Signal(range(lines + TOKENS))
        now = Signal.like(turn)
        is_line, is_wide, gives = Signal(), Signal(), Signal(TOKENS)
        groups = []
        for start in range(0, lines, 4):
            members = samples[start : start + 4]
            group = Signal(max(map(len, members)), name=f"group{start}")
            m.d.sync += group.eq(choose(members, now[:2]))
            groups.append(group)
        sample = choose(groups, now[2 : 2 + (len(groups) - 1).bit_length()])

        m.submodules.events = events = Codes(places.code_bits + 2)
        m.submodules.classes = classes = Codes(2 + max(geometry.key_bits, 1))
        event = Signal(places.code_bits + 1)
        event_valid = Signal()
        kind = self.i_class.response_class
        # Answered, late, duplicate, spurious in two bits.
        m.d.sync += [
            event.eq(Cat(self.i_polarity, places.code_of(self.i_source))),
            event_valid.eq(self.i_event_valid),
        ]
        m.d.comb += [
            events.i_valid.eq(event_valid),
            events.i_code.eq(Cat(event, self.drop.valid)),
            classes.i_valid.eq(self.i_valid),
            classes.i_code.eq(Cat(kind[0], kind[1] | kind[2], self.i_class.channel)),
        ]
        walk, folding = Signal(places.bits), Signal()
        for part in (events, classes):
            m.d.comb += [
                part.walk.eq(self.clear_busy | folding),
                part.wipe.eq(self.clear_busy),
                part.walk_entry.eq(walk),
            ]

        # Rounds of visits: each line, then what codes have to give.
        last = counts.limb == LIMBS - 1
        reading, spoiled, done = Signal(), Signal(), Signal()
        m.d.sync += spoiled.eq((spoiled | reading) & ~last)
        m.d.comb += done.eq(last & ~spoiled & ~reading)
        wiping = self._rounds(m, turn, lines, walk, folding, done, gives[2])

        event_code = Mux(folding, walk[PHASE_BITS:], events.token_code)
        class_code = Mux(folding, walk[PHASE_BITS:], classes.token_code)[: len(classes.token_code)]
        low, high = class_code[0], class_code[1]
        class_number = Cat(low, low & high, ~low & high)
        table = Array(place for place, _, _ in [*wides, *narrows])
        next_gives = [turn == lines + number for number in range(TOKENS)]
        place, next_place = Signal(places.bits), Signal(places.bits)
        seen, next_seen = Signal(), Signal()
        with m.If(wiping):
            m.d.comb += next_place.eq(walk)
        with m.Elif(next_gives[2]):
            m.d.comb += [
                next_place.eq(
                    places.classes(Cat(class_number, class_code[2 : 2 + geometry.key_bits]))
                ),
                next_seen.eq(Mux(folding, ~walk[classes.entry_bits :].any(), classes.token_valid)),
            ]
        with m.Elif(next_gives[1]):
            m.d.comb += [
                next_place.eq(places.drops(event_code[1 : 1 + places.code_bits])),
                next_seen.eq(seen),
            ]
        with m.Elif(next_gives[0]):
            m.d.comb += [
                next_place.eq(places.edges(event_code[: 1 + places.code_bits])),
                next_seen.eq(folding | events.token_valid),
            ]
        with m.Else():
            m.d.comb += next_place.eq(table[turn])
        with m.If(done):
            m.d.sync += [
                now.eq(turn),
                place.eq(next_place),
                seen.eq(next_seen),
                gives.eq(Cat(next_gives)),
                is_line.eq(turn < lines),
                is_wide.eq(turn < len(wides)),
            ]
        given = Mux(folding, Mux(gives[2], classes.value, events.value), TOKEN)
        some = seen & ~(gives[1] & ~event_code[-1])
        m.d.comb += [
            events.taken.eq(done & gives[1] & seen & ~folding),
            classes.taken.eq(done & gives[2] & seen & ~folding),
            counts.place.eq(place),
            counts.narrow.eq(is_line & ~is_wide),
            counts.wide.eq(is_wide),
            counts.wipe.eq(self.clear_busy),
            counts.live.eq(done),
            counts.addend.eq(Mux(is_line, sample, Mux(some, given, 0))),
            counts.read.eq(reading),
        ]
        with m.If(self.clear_stb):
            m.d.sync += self.saturated.eq(0)
        with m.Elif(counts.saturated_stb):
            m.d.sync += self.saturated.eq(1)
        self._reads(m, places, counts, reading)
        return m

    def _lines(self, places):
        """Return (place, amount, enable) of what can come with others, wide amounts first."""
        geometry = self._geometry
        wides, narrows = [], []
        for number, source in enumerate(geometry.sources):
            amounts = self.i_sources[number]
            # The load's level is one for all samples of a word.
            one = source == SOURCE_LOAD
            amount = amounts.generated[0] if one else amounts.generated
            for which, enable in enumerate((Const(1), amounts.dropped.any())):
                place = places.source_number(source, which)
                (narrows if one else wides).append((place, amount, enable))
        for channel in range(geometry.channels):
            for response_class, name in LANE_CLASSES.items():
                if name == "early" and Feature.EARLY not in geometry.features:
                    continue
                place = places.class_number(channel * CLASSES + response_class)
                narrows.append((place, self.i_lanes[channel][name], Const(1)))
        return wides, narrows

    def _rounds(self, m, turn, lines, walk, folding, done, round_stb):
        """Go round; walk through all places to clear, and through all codes to settle.

        Return whether the place behind is one to clear.
        """
        left, cleared, finishing, wiping = Signal(2), Signal(), Signal(), Signal()
        m.d.comb += wiping.eq(self.clear_busy & ~cleared)
        m.d.sync += self.settled_stb.eq(done & finishing)
        with m.If(done):
            m.d.sync += finishing.eq(0)
            with m.If(wiping):
                m.d.sync += [walk.eq(walk + 1), cleared.eq(walk.all())]
            with m.Elif(turn != lines + TOKENS - 1):
                m.d.sync += turn.eq(turn + 1)
            with m.Else():
                # A visit of a line gives the next code's value time to be read.
                more = (left == 1) | (folding & ~walk.all())
                m.d.sync += turn.eq(Mux(more, lines - 1, 0))
            with m.If(cleared):
                m.d.sync += [self.clear_busy.eq(0), cleared.eq(0)]
            with m.Elif(round_stb & folding):
                m.d.sync += [
                    walk.eq(walk + 1),
                    folding.eq(~walk.all()),
                    finishing.eq(walk.all()),
                ]
            with m.Elif(round_stb & left.any()):
                m.d.sync += [left.eq(left - 1), folding.eq(left == 1)]
        with m.If(self.settle_stb):
            m.d.sync += left.eq(2)
        with m.If(self.clear_stb):
            m.d.sync += [
                *(signal.eq(0) for signal in (walk, turn, left, folding, cleared)),
                self.clear_busy.eq(1),
            ]
        return wiping

    def _reads(self, m, places, counts, reading) -> None:
        source = Line(m, self.source_stb, "source")
        burst = Signal()
        address = self.reads[0].address
        entry, high = address[1:], address[0]
        drops, edges = self.space == Space.UPLOAD_DROPS, self.space == Space.EDGES
        number = Mux(drops, entry[:SOURCE_BITS], entry[1 : 1 + SOURCE_BITS])
        code = places.code_of(number)
        present = Const(sum(1 << n for n in self._geometry.sources), 1 << SOURCE_BITS)
        place, there = Signal(places.bits), Signal()
        m.d.comb += [
            burst.eq(Cat(source[number] for number in range(LIMBS)).any()),
            reading.eq(self.dumping | burst),
            counts.read_row.eq(
                places.row_of(Mux(burst, places.source(self.source_address), place), counts.limb)
            ),
        ]
        m.d.sync += there.eq(~(drops | edges) | present.bit_select(number, 1))
        with m.If(drops):
            m.d.sync += place.eq(places.drops(code))
        with m.Elif(edges):
            m.d.sync += place.eq(places.edges(Cat(entry[0], code)))
        with m.Else():
            m.d.sync += place.eq(places.classes(entry[: CLASS_BITS + self._geometry.key_bits]))

        # A read of a source takes some clocks from a dump, whose address stands longer than that.
        limb, limb_r = Signal.like(counts.limb), Signal.like(counts.limb)
        parts = Array(Signal(LIMB_BITS, name=f"part{number}") for number in range(2))
        m.d.sync += [limb.eq(counts.limb), limb_r.eq(limb)]
        bursts = Line(m, burst, "burst")
        with m.If(bursts[1]):
            m.d.sync += self.source_value.word_select(limb, LIMB_BITS).eq(counts.word)
        with m.If(~bursts[2]):
            with m.If(limb_r == Mux(high, 2, 0)):
                m.d.sync += parts[0].eq(Mux(there, counts.word_r, 0))
            with m.If(limb_r == 1):
                m.d.sync += parts[1].eq(Mux(there & ~high, counts.word_r, 0))
        for read in self.reads:
            m.d.comb += read.data.eq(Cat(*parts))
