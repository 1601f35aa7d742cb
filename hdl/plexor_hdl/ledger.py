"""The counts of a build with one bank: sources, events, drops and classes, in one memory."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import SOURCE_BITS, SOURCE_LOAD
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import CLASSES, Space
from plexor_hdl.capture import SourceAmounts
from plexor_hdl.classes import LANE_CLASSES
from plexor_hdl.codes import PHASE_BITS, PHASES, TOKEN, Codes
from plexor_hdl.counts import COUNT_BITS, LIMB_BITS, LIMBS, Counts
from plexor_hdl.interfaces import SpaceRead
from plexor_hdl.limb import Line
from plexor_hdl.measure import ClassBeat
from plexor_hdl.outcome import LaneStrobes
from plexor_hdl.places import Places
from plexor_hdl.upload import Drop

PARTS = (Space.CLASSES, Space.EDGES, Space.UPLOAD_DROPS)
SOURCE_ADDRESS_BITS = 6
CLASS_BITS = (CLASSES - 1).bit_length()
MEASURED_BITS = 3
"""In the code of a lane: whether it has a class, and which of the four measured ones."""


class Ledger(wiring.Component):
    """What Classes, EventTallies and the counters of the sources are together, for one bank.

    `drop` tells of the event of the clock before. Edges of sources, of which several can come in a
    clock, have short counters, which a round of visits samples. Events with their drops come one a
    clock and are counted as Codes; so is what happens in a lane, four lanes in turn, of which each
    strobe and each class must come PHASES clocks or more apart.

    `space` says which of the three spaces the `reads` are of, 0 if none; their data comes
    LATE_CLOCKS of the dumper later than READ_CLOCKS, and is exact once `settled_stb` has followed
    `settle_stb`. `source_value` has the count generated (`source_address` = source x 2) or dropped
    (that + 1), 4 clocks after `source_stb` and until the next; strobes come at least 20 clocks
    apart. `dumping` must be high while spaces are read, and low while there are events. `clear_stb`
    sets all to 0 while `clear_busy`; nothing may come then. `saturated` is set when a count wraps,
    until the next clear. Reset: the memories keep their words, so results need a clear first.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        self._early = Feature.EARLY in geometry.features
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
        m.submodules.events = events = Codes(places.code_bits + 2)
        self._lane_names = [
            name for name in LANE_CLASSES.values() if name != "early" or self._early
        ]
        groups = -(-geometry.channels // PHASES)
        lanes = [Codes(MEASURED_BITS + len(self._lane_names)) for _ in range(groups)]
        parts = [events, *lanes]
        walk_bits = max(places.bits, *(part.entry_bits for part in parts))
        walk, folding = Signal(walk_bits), Signal()
        gifts = self._gifts(places, parts, walk, folding)
        visits = lines + len(gifts)
        # A read of a source, each 20 clocks or less often, spoils one or two visits.
        clocks = (visits * LIMBS + 2 * LIMBS) * 10 // 7
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

        # What a visit looks at is chosen in two steps, while its first limb is read: of two lines,
        # then any of those. `turn` is what comes behind it.
        turn = Signal(range(visits))
        now = Signal.like(turn)
        is_narrow, is_wide = Signal(), Signal()
        sample = 0
        for start in range(0, lines, 2):
            one, other = [*samples[start : start + 2], Const(0)][:2]
            here = Signal(wide_bits, name=f"sample{start}")
            m.d.sync += here.eq(Mux(now[1:] == start // 2, Mux(now[0], other, one), 0))
            sample |= here

        event = Signal(places.code_bits + 1)
        event_valid = Signal()
        m.d.sync += [
            event.eq(Cat(self.i_polarity, places.code_of(self.i_source))),
            event_valid.eq(self.i_event_valid),
        ]
        m.d.comb += [
            events.i_valid.eq(event_valid),
            events.i_code.eq(Cat(event, self.drop.valid)),
        ]
        for group, part in enumerate(lanes):
            m.submodules[f"lanes{group}"] = part
            self._lanes(m, part, range(group * PHASES, (group + 1) * PHASES))
        for part in parts:
            m.d.comb += [
                part.walk.eq(self.clear_busy | folding),
                part.wipe.eq(self.clear_busy),
                part.walk_entry.eq(walk),
            ]

        # Rounds of visits: each line, then what codes have to give.
        last = counts.limb == LIMBS - 1
        reading, spoiled, done = Signal(), Signal(), Signal()
        # A read that is not new in the last clock has spoiled the visit by then.
        m.d.sync += spoiled.eq((spoiled | reading | self.dumping) & ~last)
        m.d.comb += done.eq(last & ~spoiled & ~self.source_stb)
        round_stb, takes = Signal(), Signal(len(parts))
        wiping = self._rounds(m, turn, lines, visits, walk, folding, done, round_stb)

        table = Array(place for place, _, _ in [*wides, *narrows])
        place, next_place = Signal(places.bits), Signal(places.bits)
        seen, next_seen, gives, next_has = Signal(), Signal(), Signal(), Signal()
        which, next_which = Signal(range(len(parts))), Signal(range(len(parts)))
        next_takes = Signal(len(parts))
        with m.If(wiping):
            m.d.comb += next_place.eq(walk)
        with m.Elif(turn < lines):
            m.d.comb += next_place.eq(table[turn])
        with m.Else(), m.Switch(turn):
            for number, (part, gift_place, gift_has, last_of_part) in enumerate(gifts):
                with m.Case(lines + number):
                    codes = parts[part]
                    first = not number or gifts[number - 1][0] != part
                    inside = ~walk[codes.entry_bits :].any()
                    m.d.comb += [
                        next_place.eq(gift_place),
                        next_seen.eq(Mux(folding, inside, codes.token_valid) if first else seen),
                        next_has.eq(gift_has),
                        next_which.eq(part),
                        next_takes[part].eq(last_of_part),
                    ]
        with m.If(done):
            m.d.sync += [
                now.eq(turn),
                place.eq(next_place),
                seen.eq(next_seen),
                gives.eq(next_seen & next_has),
                which.eq(next_which),
                takes.eq(next_takes),
                is_narrow.eq((turn < lines) & (turn >= len(wides))),
                is_wide.eq(turn < len(wides)),
            ]
        given = Mux(gives & ~folding, TOKEN, 0)
        for number, part in enumerate(parts):
            given |= Mux(gives & folding & (which == number), part.value, 0)
        for part, takes_it in zip(parts, takes, strict=True):
            taken = Signal(name="taken")
            m.d.sync += taken.eq(done & takes_it & seen & ~folding)
            m.d.comb += part.taken.eq(taken)
        m.d.comb += [
            round_stb.eq(takes[-1]),
            counts.place.eq(place),
            counts.narrow.eq(is_narrow),
            counts.wide.eq(is_wide),
            counts.wipe.eq(self.clear_busy),
            counts.live.eq(done),
            counts.addend.eq(sample | given),
            counts.read.eq(reading),
        ]
        wraps = Signal()
        m.d.sync += wraps.eq(counts.saturated_stb)
        with m.If(self.clear_stb | self.clear_busy):
            m.d.sync += self.saturated.eq(0)
        with m.Elif(wraps):
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
        return wides, narrows

    def _lanes(self, m, codes, channels) -> None:
        """Count what comes in some lanes, each in its phase."""
        kind = self.i_class.response_class
        # Answered, late, duplicate, spurious in two bits.
        measured = Cat(Const(1, 1), kind[0], kind[1] | kind[2])
        waiting = [Const(0, len(codes.i_code))] * PHASES
        for phase, channel in enumerate(channels):
            if channel >= self._geometry.channels:
                continue
            here = self.i_valid & (self.i_class.channel == channel)
            comes = Cat(
                Mux(here, measured, 0), *(self.i_lanes[channel][name] for name in self._lane_names)
            )
            waits = Signal(len(comes), name=f"waits{channel}")
            m.d.sync += waits.eq(Mux(codes.phase == phase, 0, waits) | comes)
            waiting[phase] = waits
        code = Array(waiting)[codes.phase]
        m.d.comb += [codes.i_valid.eq(code.any()), codes.i_code.eq(code)]

    def _gifts(self, places, parts, walk, folding) -> list:
        """Return, for each visit of a round that empties codes, what its token or entry gives.

        That is the number in `parts`, the place, if the code has it, and if that is its last visit.
        """
        entries = [
            Mux(folding, walk[: part.entry_bits], part.token_entry)[: part.entry_bits]
            for part in parts
        ]
        bits, code = places.code_bits, entries[0][PHASE_BITS:]
        gifts = [
            (0, places.edges(code[: 1 + bits]), 1, 0),
            (0, places.drops(code[1 : 1 + bits]), code[-1], 1),
        ]
        numbers = {name: number for number, name in LANE_CLASSES.items()}
        key_bits = self._geometry.key_bits
        for part, entry in enumerate(entries[1:], 1):
            channel = Cat(entry[:PHASE_BITS], Const(part - 1, key_bits))[:key_bits]
            code = entry[PHASE_BITS:]
            low, high = code[1], code[2]
            named = Cat(low, low & high, ~low & high)
            gifts.append((part, places.classes(Cat(named, channel)), code[0], 0))
            for bit, name in enumerate(self._lane_names, MEASURED_BITS):
                place = places.classes(Cat(Const(numbers[name], CLASS_BITS), channel))
                gifts.append((part, place, code[bit], bit == len(code) - 1))
        return gifts

    def _rounds(self, m, turn, lines, visits, walk, folding, done, round_stb):
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
            with m.Elif(turn != visits - 1):
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
        burst, dumping_r = Signal(), Signal()
        m.d.sync += dumping_r.eq(self.dumping)
        address = self.reads[0].address
        entry, high = address[1:], address[0]
        drops, edges = self.space == Space.UPLOAD_DROPS, self.space == Space.EDGES
        number = Mux(drops, entry[:SOURCE_BITS], entry[1 : 1 + SOURCE_BITS])
        code = places.code_of(number)
        present = Const(sum(1 << n for n in self._geometry.sources), 1 << SOURCE_BITS)
        place, there = Signal(places.bits), Signal()
        m.d.comb += [
            burst.eq(Cat(source[number] for number in range(LIMBS)).any()),
            reading.eq(dumping_r | burst),
            counts.read_row.eq(
                places.row_of(Mux(burst, places.source(self.source_address), place), counts.limb)
            ),
        ]
        m.d.sync += there.eq(
            Mux(drops | edges, present.bit_select(number, 1), self.space == Space.CLASSES)
        )
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
