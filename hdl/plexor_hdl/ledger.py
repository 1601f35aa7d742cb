"""The counts of a build with one bank: sources, events, drops and classes, in one memory."""

from typing import NamedTuple

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import SOURCE_BITS, SOURCE_LOAD
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import CLASSES, Space
from plexor_hdl.capture import SourceAmounts
from plexor_hdl.classes import LANE_CLASSES
from plexor_hdl.codes import PART_BITS, PHASE_BITS, PHASES, TOKEN, Codes
from plexor_hdl.counts import COUNT_BITS, LIMB_BITS, LIMBS, Counts
from plexor_hdl.interfaces import SpaceRead
from plexor_hdl.limb import Line
from plexor_hdl.measure import ClassBeat
from plexor_hdl.outcome import LaneStrobes
from plexor_hdl.places import CLASS, DROP, EDGES, Places
from plexor_hdl.upload import Drop

PARTS = (Space.CLASSES, Space.EDGES, Space.UPLOAD_DROPS)
SOURCE_ADDRESS_BITS = 6
CLASS_BITS = (CLASSES - 1).bit_length()
SOURCE_CLOCKS = 7
MEASURED_BITS = 3
"""In the code of a lane: whether it has a class, and which of the four measured ones."""


class Gift(NamedTuple):
    """What a visit gives to counts of a code's token or entry.

    Its place is `known` with `inside`, if the code `has` it. `is_last` of the codes' part.
    """

    part: int
    known: int
    inside: Value
    has: Value
    is_last: bool


class Ledger(wiring.Component):
    """What Classes, EventTallies and the counters of the sources are together, for one bank.

    `drop` tells of the event of the clock before. Edges of sources, of which several can come in a
    clock, have short counters, which a round of visits samples. Events with their drops come one a
    clock and are counted as Codes; so is what happens in a lane, four lanes in turn, of which each
    strobe and each class must come PHASES clocks or more apart.

    `space` says which of the three spaces the `reads` are of, 0 if none; their data comes
    LATE_CLOCKS of the dumper later than READ_CLOCKS, and is exact once `settled_stb` has followed
    `settle_stb`. `source_value` has the count generated (`source_address` = source x 2) or dropped
    (that + 1), SOURCE_CLOCKS after `source_stb` and until the next. The address must stand from the
    strobe on; strobes come at least 20 clocks apart. `dumping` must be high while spaces are read,
    and low while there are events. `clear_stb` sets all to 0 while `clear_busy`; nothing may come
    then. `saturated` is set when a count wraps, until the next clear. Reset: the memories keep
    their words, so results need a clear first.
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
        # then any of those. `turn` is what comes behind it, and `done` a visit's last clock where
        # nothing has disturbed it: nothing but a clear changes what visits are in another one.
        first_gift = 1 << (max(lines, len(gifts)) - 1).bit_length()
        turn, odd = Signal(range(first_gift + len(gifts))), Signal()
        done = Signal()
        sample = 0
        for start in range(0, lines, 2):
            one, other = [*samples[start : start + 2], Const(0)][:2]
            here, pick = Signal(wide_bits, name=f"sample{start}"), Signal(name=f"pick{start}")
            with m.If(done):
                m.d.sync += pick.eq(turn[1:] == start // 2)
            m.d.sync += here.eq(Mux(pick, Mux(odd, other, one), 0))
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
        reading, read_next = Signal(), Signal()
        read_before = Signal()
        m.d.sync += [
            reading.eq(read_next),
            read_before.eq(reading | self.clear_stb),
            done.eq(
                (counts.limb == LIMBS - 2) & ~(read_before | reading | read_next) & ~self.clear_stb
            ),
        ]
        round_stb, wiping = Signal(), Signal()
        self._rounds(m, turn, lines, len(gifts), walk, folding, done, round_stb, wiping)

        gift_bits = (len(gifts) - 1).bit_length()

        # What comes behind a visit is known in three steps: `turn`, what belongs to that, the rest.
        def look(*values):
            """Return what belongs to `turn`, a clock late: 0 for a line, or one of `values`."""
            found = Signal(max(values).bit_length(), name="look")
            m.d.sync += found.eq(Mux(turn[-1], Array(values)[turn[:gift_bits]], 0))
            return found

        offers = Signal(len(parts))
        for number, part in enumerate(parts):
            inside = ~walk[part.entry_bits :].any()
            m.d.sync += offers[number].eq(Mux(folding, inside, part.token_valid))
        firsts = [not n or gifts[n - 1].part != gift.part for n, gift in enumerate(gifts)]
        first = look(*(is_first << gift.part for is_first, gift in zip(firsts, gifts, strict=True)))
        later = look(*(not is_first for is_first in firsts))
        its_part = look(*(1 << gift.part for gift in gifts))
        its_last = look(*(gift.is_last << gift.part for gift in gifts))
        number = look(*range(len(gifts)))
        line_place, gift_place = Signal(places.bits), look(*(gift.known for gift in gifts))
        line_places = Array(place for place, _, _ in [*wides, *narrows])
        m.d.sync += line_place.eq(Mux(turn[-1], 0, line_places[turn[:-1]]))
        wiping_r, narrow_next, wide_next = Signal(), Signal(), Signal()
        m.d.sync += [
            wiping_r.eq(wiping),
            narrow_next.eq((turn < lines) & (turn >= len(wides))),
            wide_next.eq(turn < len(wides)),
        ]
        place = Mux(wiping_r, walk[: places.bits], line_place) | gift_place
        for inside in {id(gift.inside): gift.inside for gift in gifts}.values():
            place |= Mux(look(*(gift.inside is inside for gift in gifts)), inside, 0)
        next_place, next_seen, next_has = Signal(places.bits), Signal(), Signal()
        seen, takes, gives = Signal(), Signal(len(parts)), Signal(len(parts))
        gives_token = Signal()
        m.d.sync += [
            next_place.eq(place),
            next_seen.eq((first & offers).any() | (later & seen)),
            next_has.eq(Array(gift.has for gift in gifts)[number]),
        ]
        with m.If(done):
            m.d.sync += [
                odd.eq(turn[0]),
                seen.eq(next_seen),
                gives_token.eq(next_seen & next_has & ~folding),
                gives.eq(its_part & (next_seen & next_has & folding).replicate(len(parts))),
                takes.eq(its_last),
                counts.narrow.eq(narrow_next),
                counts.wide.eq(wide_next),
            ]
        given, giving = Signal(PART_BITS), Mux(gives_token, TOKEN, 0)
        for number, part in enumerate(parts):
            giving |= Mux(gives[number], part.value, 0)
            taken = Signal(name="taken")
            m.d.sync += taken.eq(done & takes[number] & seen & ~folding)
            m.d.comb += part.taken.eq(taken)
        m.d.sync += given.eq(giving)
        m.d.comb += [
            round_stb.eq(takes[-1]),
            counts.place.eq(next_place),
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
        self._reads(m, places, counts, read_next)
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
        for channel in channels:
            if channel >= self._geometry.channels:
                continue
            # A code is chosen in the clock before its phase.
            phase = (channel - 1) % PHASES
            here = self.i_valid & (self.i_class.channel == channel)
            comes = Cat(
                Mux(here, measured, 0), *(self.i_lanes[channel][name] for name in self._lane_names)
            )
            waits = Signal(len(comes), name=f"waits{channel}")
            m.d.sync += waits.eq(Mux(codes.phase == phase, 0, waits) | comes)
            waiting[phase] = waits
        code = Signal.like(codes.i_code)
        m.d.sync += code.eq(Array(waiting)[codes.phase])
        m.d.comb += [codes.i_valid.eq(code.any()), codes.i_code.eq(code)]

    def _gifts(self, places, parts, walk, folding) -> list[Gift]:
        """Return what each visit of a round that empties codes gives."""
        entries = [
            Mux(folding, walk[: part.entry_bits], part.token_entry)[: part.entry_bits]
            for part in parts
        ]
        bits, code = places.code_bits, entries[0][PHASE_BITS:]
        gifts = [
            Gift(0, places.first(EDGES), code[: 1 + bits], Const(1, 1), False),
            Gift(0, places.first(DROP), code[1 : 1 + bits], code[-1], True),
        ]
        numbers = {name: number for number, name in LANE_CLASSES.items()}
        key_bits = self._geometry.key_bits
        classes = places.first(CLASS)
        for part, entry in enumerate(entries[1:], 1):
            channel = Cat(entry[:PHASE_BITS], Const(part - 1, key_bits))[:key_bits]
            code = entry[PHASE_BITS:]
            low, high = code[1], code[2]
            named = Cat(low, low & high, ~low & high)
            gifts.append(Gift(part, classes, Cat(named, channel), code[0], False))
            inside = Cat(Const(0, CLASS_BITS), channel)
            for bit, name in enumerate(self._lane_names, MEASURED_BITS):
                is_last = bit == len(code) - 1
                gifts.append(Gift(part, classes | numbers[name], inside, code[bit], is_last))
        return gifts

    def _rounds(self, m, turn, lines, gifts, walk, folding, done, round_stb, wiping) -> None:
        """Go round; walk through all places to clear, and through all codes to settle.

        While `wiping` the place behind is one to clear.
        """
        left, cleared, finishing = Signal(2), Signal(), Signal()
        # A visit takes long enough for these to be known one by one.
        last_line, last_turn, last_walk, more = Signal(), Signal(), Signal(), Signal()
        next_turn = Signal.like(turn)
        m.d.comb += wiping.eq(self.clear_busy & ~cleared)
        m.d.sync += [
            self.settled_stb.eq(done & finishing),
            last_line.eq(turn == lines - 1),
            last_turn.eq(turn[-1] & (turn[:-1] == gifts - 1)),
            last_walk.eq(walk.all()),
            # A visit of a line gives the next code's value time to be read.
            more.eq((left == 1) | (folding & ~last_walk)),
            next_turn.eq(turn + 1),
        ]
        with m.If(last_line):
            m.d.sync += next_turn.eq(1 << len(turn) - 1)
        with m.If(last_turn):
            m.d.sync += next_turn.eq(Mux(more, lines - 1, 0))
        with m.If(wiping):
            m.d.sync += next_turn.eq(0)
        with m.If(done):
            m.d.sync += [turn.eq(next_turn), finishing.eq(round_stb & folding & last_walk)]
            with m.If(wiping):
                m.d.sync += cleared.eq(last_walk)
            with m.If(cleared):
                m.d.sync += [self.clear_busy.eq(0), cleared.eq(0)]
            with m.If(wiping | (round_stb & folding)):
                m.d.sync += walk.eq(walk + 1)
            with m.If(round_stb):
                m.d.sync += folding.eq(Mux(folding, ~last_walk, left == 1))
                with m.If(left.any() & ~folding):
                    m.d.sync += left.eq(left - 1)
        with m.If(self.settle_stb):
            m.d.sync += left.eq(2)
        with m.If(self.clear_stb):
            m.d.sync += [
                *(signal.eq(0) for signal in (walk, turn, left, folding, cleared)),
                self.clear_busy.eq(1),
            ]

    def _reads(self, m, places, counts, read_next) -> None:
        source = Line(m, self.source_stb, "source")
        address = self.reads[0].address
        entry, high = address[1:], address[0]
        drops, edges = self.space == Space.UPLOAD_DROPS, self.space == Space.EDGES
        number = Mux(drops, entry[:SOURCE_BITS], entry[1 : 1 + SOURCE_BITS])
        code = places.code_of(number)
        present = Const(sum(1 << n for n in self._geometry.sources), 1 << SOURCE_BITS)
        place, source_place, there = Signal(places.bits), Signal(places.bits), Signal()
        burst = Signal()
        m.d.sync += [
            burst.eq(source[0] | source[1] | source[2]),
            source_place.eq(places.source(self.source_address)),
            counts.read_row.eq(places.row_of(Mux(burst, source_place, place), counts.next_limb)),
            there.eq(
                Mux(drops | edges, present.bit_select(number, 1), self.space == Space.CLASSES)
            ),
        ]
        m.d.comb += [read_next.eq(self.dumping | burst), counts.watch.eq(source_place)]
        with m.If(drops):
            m.d.sync += place.eq(places.drops(code))
        with m.Elif(edges):
            m.d.sync += place.eq(places.edges(Cat(entry[0], code)))
        with m.Else():
            m.d.sync += place.eq(places.classes(entry[: CLASS_BITS + self._geometry.key_bits]))

        # A read of a source takes some clocks from a dump, whose address stands longer than that.
        limb = counts.next_limb
        parts = Array(Signal(LIMB_BITS, name=f"part{number}") for number in range(2))
        bursts = Line(m, burst, "burst")
        # Limbs that the visit before it still writes, which then are the first of the read, come
        # from there; later ones are read behind that visit, so that all are of one count.
        met = Line(m, bursts[1] & counts.watch_stb, "met")
        with m.If(met[0] | (bursts[3] & ~met[2])):
            m.d.sync += self.source_value.word_select(Mux(met[0], counts.limb, limb), LIMB_BITS).eq(
                Mux(met[0], counts.written, counts.word)
            )
        with m.If(~bursts[3]):
            with m.If(limb == Mux(high, 2, 0)):
                m.d.sync += parts[0].eq(Mux(there, counts.word, 0))
            with m.If(limb == 1):
                m.d.sync += parts[1].eq(Mux(there & ~high, counts.word, 0))
        for read in self.reads:
            m.d.comb += read.data.eq(Cat(*parts))
