# SPDX-License-Identifier: Apache-2.0
"""Queues what is to be counted: the matcher's decisions, events, and drops."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import SOURCE_BITS, SOURCE_CODE, SOURCE_CODE_VALUE
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import ResponseClass
from plexor_hdl.interfaces import Decision
from plexor_hdl.lib.memory_reader import plain_memory
from plexor_hdl.results.count_memory import QUIET_CLOCKS
from plexor_hdl.results.count_places import CLASS_BITS, CountPlaces
from plexor_hdl.uplink.upload import Drop

NAMED = {
    "strike": ResponseClass.STRIKES,
    "missed": ResponseClass.MISSED,
    "queue_full": ResponseClass.QUEUE_FULL,
    "early": ResponseClass.EARLY,
}
"""Bits of a decision that have a class of their own."""
DEPTH, SPARE_BITS = 64, 2
ROOM = DEPTH // 2 + (1 << SPARE_BITS)
"""Words that still fit when `room` falls, apart from 4 that may be under way."""


class CountQueue(wiring.Component):
    """Keeps what came in one clock as one word, and tells its places one after the other.

    A decision, an event and a drop may come in the same clock. `bank` may change while `idle`, and
    is that of what comes after. Codes come too fast to be counted as events. Their sources' counts,
    without what was dropped, tell their number.

    Latency: 7 or 8 clocks from what came to its first place, in a `second` clock. `idle` falls a
        clock after something came, and rises QUIET_CLOCKS or more after its last place was taken.
    Throughput: a word each clock in, a place each 2 clocks out.
    Reset: empty.
    Wrap: none; it keeps no counts.
    Full: `room` is low while at least DEPTH - ROOM words wait, as of 2 clocks before. ROOM words
        still fit then, less the 4 that may be under way; more would be lost, so neighbours must
        heed `room`.

    Ports:
        i_decision: What the matcher decided of a channel; each bit that is set is one to count.
        i_valid: 1 if `i_decision` counts in this clock.
        i_event_valid: 1 if an event counts in this clock, unless it is a code.
        i_source: The event's source.
        i_polarity: The event's polarity.
        i_drop: An event that was dropped before the link, if it is valid; the value of a code is
            counted with its code.
        bank: Bank in which all is counted.
        second: Second clock of a slot of CountMemory.
        valid: 1 if `place` is one to count; looked at in second clocks.
        place: Place in CountMemory.
        taken: 1, in a second clock, if the place was counted; the next one is there 2 clocks later.
        room: 1 if the matcher may go on.
        idle: 1 if nothing waits, and what was taken is in memory.
        clear: 1 forgets what waits.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        self._places = CountPlaces(geometry)
        super().__init__(
            {
                "i_decision": In(Decision(geometry)),
                "i_valid": In(1),
                "i_event_valid": In(1),
                "i_source": In(SOURCE_BITS),
                "i_polarity": In(1),
                "i_drop": In(Drop),
                "bank": In(1),
                "second": In(1),
                "valid": Out(1),
                "place": Out(self._places.bits),
                "taken": In(1),
                "room": Out(1, init=1),
                "idle": Out(1),
                "clear": In(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        places = self._places
        named = {name: number for name, number in NAMED.items() if len(self.i_decision[name])}
        drops = Feature.EVENTS in self._geometry.features
        codes = SOURCE_CODE in self._geometry.merged
        word = Signal(
            data.StructLayout(
                {
                    "named": len(named),
                    "classed": 1,
                    "event": 1,
                    "drop": int(drops),
                    "channel": self.i_decision.channel.shape(),
                    "response_class": CLASS_BITS,
                    "edge": places.code_bits + 1,
                    "dropped": places.code_bits if drops else 0,
                }
            )
        )
        kinds = len(named) + 2 + drops
        m.submodules.words = words = plain_memory(len(word.as_value()), DEPTH, ram_style="block")
        write, read = words.write_port(), words.read_port()
        here, following = Signal.like(read.addr), Signal.like(read.addr, init=1)
        refill, load, pop = Signal(), Signal(), Signal()
        comes = word.as_value()[:kinds].any()
        decision = self.i_decision
        code = (self.i_source == SOURCE_CODE) if codes else Const(0)
        m.d.comb += [
            word.named.eq(
                Cat(decision[name] for name in named) & self.i_valid.replicate(len(named))
            ),
            word.classed.eq(decision.classed & self.i_valid),
            word.event.eq(self.i_event_valid & ~code),
            word.channel.eq(decision.channel),
            word.response_class.eq(decision.response_class),
            word.edge.eq(Cat(self.i_polarity, places.code_of(self.i_source))),
            write.data.eq(word.as_value()),
            write.en.eq(comes),
        ]
        if drops:
            value = (self.i_drop.source == SOURCE_CODE_VALUE) if codes else 0
            m.d.comb += [
                word.drop.eq(self.i_drop.valid & ~value),
                word.dropped.eq(places.code_of(self.i_drop.source)),
            ]

        # A word counts as waiting when it can be read.
        level, came, popped, some = Signal(range(DEPTH)), Signal(), Signal(), Signal()
        m.d.comb += some.eq(level[1:].any() | (level[0] & ~popped))
        m.d.sync += [
            came.eq(comes),
            popped.eq(pop),
            level.eq(level + Cat(came ^ popped, (popped & ~came).replicate(len(level) - 1))),
            self.room.eq(~(level[-1] | level[SPARE_BITS:-1].all())),
        ]
        with m.If(comes):
            m.d.sync += write.addr.eq(write.addr + 1)

        # The first clock prepares what the second one needs.
        head, fetched, done = Signal.like(word), Signal.like(word), Signal(kinds, init=-1)
        left, first = Signal(kinds), Signal(kinds)
        none, last, more, free = Signal(), Signal(), Signal(), Signal()
        is_last = ~Cat(left[n] & left[:n].any() for n in range(kinds)).any()
        m.d.comb += [
            left.eq(head.as_value()[:kinds] & ~done),
            refill.eq(free | self.taken),
            load.eq(refill & last),
            pop.eq(refill & more),
            read.addr.eq(Mux(pop, following, here)),
        ]
        m.d.sync += [
            first.eq(Cat(left[n] & ~left[:n].any() for n in range(kinds))),
            none.eq(~left.any()),
            last.eq(is_last),
            more.eq(is_last & some),
            free.eq(~self.second & ~self.valid),
            fetched.eq(read.data),
        ]
        with m.If(pop):
            m.d.sync += [here.eq(following), following.eq(following + 1)]
        with m.If(load):
            m.d.sync += [head.eq(fetched), done.eq((~pop).replicate(kinds))]
        with m.Elif(refill):
            m.d.sync += done.eq(done | first)

        kind = Mux(first[len(named)], head.response_class, 0)
        for bit, number in enumerate(named.values()):
            kind |= Mux(first[bit], number.value, 0)
        place = Mux(
            first[len(named) + 1],
            places.edges(head.edge[0], head.edge[1:], self.bank),
            places.classes(kind, head.channel, self.bank),
        )
        if drops:
            place = Mux(first[-1], places.drops(head.dropped, self.bank), place)
        with m.If(refill):
            m.d.sync += [self.place.eq(place), self.valid.eq(~none)]

        busy, quiet = Signal(), Signal(range(QUIET_CLOCKS + 1))
        m.d.sync += [
            busy.eq(comes | came | popped | level.any() | left.any() | self.valid),
            quiet.eq(quiet - quiet.any()),
            self.idle.eq(~quiet.any() & ~busy & ~comes),
        ]
        with m.If(busy):
            m.d.sync += quiet.eq(QUIET_CLOCKS)
        with m.If(self.clear):
            m.d.sync += [
                *(signal.eq(0) for signal in (level, came, popped, self.valid)),
                *(signal.eq(signal.init) for signal in (write.addr, here, following)),
                done.eq(-1),
            ]
        return m
