"""The dumper: result memories into HISTOGRAM and STATISTICS frames."""

from amaranth.hdl import Array, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import MAX_WORDS, WORD_BYTES, FrameType, LogCode, MemoryFlag
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import HISTOGRAM_SPACES, Space, entries, entry_words
from plexor_hdl.frame_bytes import BASE_TICKS, FLAGS, HEADER_BYTES, INDEX, TAG, TYPE, FrameByte
from plexor_hdl.interfaces import READ_CLOCKS, SpaceRead

SNAPSHOT_BITS = 16
LATE_CLOCKS = 5
"""Clocks that words may come later than READ_CLOCKS."""


class DumpRequest(data.Struct):
    """What to dump: spaces by bit, of `bank` or of both, told to the host with these values."""

    spaces: len(Space)
    bank: 1
    both: 1
    snapshot: SNAPSHOT_BITS
    final: 1
    report: 1


class Dumper(wiring.Component):
    """Sends the words of the requested spaces, space by space, bank 0 before bank 1.

    Spaces that the build leaves out are skipped; a build without Feature.SNAPSHOT has bank 0 only.
    With `report` a LOG frame DUMPED follows. `busy` from the clock after the request is taken until
    the last frame has been taken whole. A request waits while `busy`, and once taken must stand
    until `busy` falls: nothing of it is stored.

    `base` is the low or, with `base_high`, the high word of the request's time where `base_valid`,
    from 2 clocks after `base_high` on. `space` tells which one is read. Words may come LATE_CLOCKS
    later than READ_CLOCKS, and are read while the address stands. Latency 12 clocks, throughput a
    word each READ_CLOCKS + LATE_CLOCKS + 9 clocks. Reset: idle.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._words = [entries(geometry, space) * entry_words(space) for space in Space]
        self._banks = 2 if Feature.SNAPSHOT in geometry.features else 1
        super().__init__(
            {
                "i_requests": In(stream.Signature(DumpRequest)),
                "spaces": Out(SpaceRead()).array(len(Space)),
                "space": Out(range(len(Space))),
                "base": In(32),
                "base_high": Out(1),
                "base_valid": In(1),
                "busy": Out(1),
                "o_bytes": Out(stream.Signature(FrameByte)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        request = self.i_requests.payload
        space, bank = self.space, Signal()
        present = [number for number in Space if self._words[number]]
        wanted = Signal()
        m.d.sync += wanted.eq(
            Array(request.spaces[number] if number in present else 0 for number in Space)[space]
        )
        most = max(self._words)
        address, rest = Signal(range(most + 1)), Signal(range(most + 1))
        for port in self.spaces:
            m.d.comb += [port.address.eq(address), port.bank.eq(bank)]
        value = Signal(32)
        with m.Switch(space):
            for number in present:
                with m.Case(number):
                    m.d.comb += value.eq(self.spaces[number].data)
            with m.Default():
                # No other space is read.
                m.d.comb += value.eq(self.spaces[present[-1]].data)

        in_frame = Signal(range(MAX_WORDS))
        last_word, last_frame, logging = Signal(), Signal(), Signal()
        number = Signal(range(HEADER_BYTES))
        last_of_header, last_of_word = Signal(), Signal()
        wait = Signal(range(READ_CLOCKS + LATE_CLOCKS + 1))
        # A byte is chosen in the clock after `number` has changed, and sent in the next; one of the
        # header is chosen when the word of the base has come.
        start, base = self._header(m, number, bank, address, last_frame, logging)
        value_r = Signal(8)
        fresh, send, go, end, from_value = (Signal() for _ in range(5))
        of_header, stood, came = (Signal() for _ in range(3))
        out = self.o_bytes
        m.d.comb += go.eq(send & fresh & ~out.valid)
        m.d.sync += [
            value_r.eq(value.word_select(number[:2], 8)),
            last_of_header.eq(number == HEADER_BYTES - 1),
            last_of_word.eq(number[:2] == WORD_BYTES - 1),
            last_word.eq((rest == 0) | (in_frame == MAX_WORDS - 1)),
            stood.eq(send & ~go),
            came.eq(stood & ~go),
            fresh.eq(send & ~go & (~of_header | (came & self.base_valid))),
        ]
        with m.If(out.ready):
            m.d.sync += out.valid.eq(0)
        with m.If(~out.valid):
            m.d.sync += [
                out.payload.byte.eq(Mux(from_value, value_r, start | base)),
                out.payload.end.eq(end),
            ]
        with m.If(go):
            m.d.sync += [out.valid.eq(1), number.eq(number + 1)]

        with m.FSM(name="dumper") as fsm:
            m.d.comb += self.busy.eq(~fsm.ongoing("IDLE") | out.valid)
            with m.State("IDLE"):
                m.d.comb += self.i_requests.ready.eq(~out.valid)
                m.d.sync += [space.eq(0), logging.eq(0)]
                with m.If(self.i_requests.valid & ~out.valid):
                    m.next = "LOOK"
            with m.State("LOOK"):
                m.next = "SPACE"
            with m.State("SPACE"):
                m.d.sync += [
                    address.eq(0),
                    bank.eq(request.bank & ~request.both if self._banks == 2 else 0),
                    rest.eq(Array(max(words, 1) - 1 for words in self._words)[space]),
                ]
                with m.If(wanted):
                    m.next = "LAST"
                with m.Elif(space == len(Space) - 1):
                    m.next = "REPORT"
                with m.Else():
                    m.d.sync += space.eq(space + 1)
                    m.next = "LOOK"
            with m.State("REPORT"):
                m.d.sync += logging.eq(1)
                m.next = "IDLE"
                with m.If(request.report):
                    m.next = "HEADER"
            with m.State("LAST"):
                m.d.sync += last_frame.eq(rest < MAX_WORDS)
                m.next = "HEADER"
            with m.State("HEADER"):
                m.d.comb += [send.eq(1), of_header.eq(1)]
                m.d.sync += [in_frame.eq(0), wait.eq(0)]
                with m.If(go & last_of_header):
                    m.d.sync += number.eq(0)
                    m.next = "READ"
                    with m.If(logging):
                        m.next = "END"
            with m.State("READ"):
                m.d.sync += wait.eq(wait + 1)
                with m.If(wait == READ_CLOCKS + LATE_CLOCKS):
                    m.next = "WORD"
            with m.State("WORD"):
                m.d.comb += [send.eq(1), from_value.eq(1)]
                m.d.sync += wait.eq(0)
                with m.If(go & last_of_word):
                    m.d.sync += [
                        number.eq(0),
                        in_frame.eq(in_frame + 1),
                        rest.eq(rest - 1),
                        address.eq(address + 1),
                    ]
                    m.next = "READ"
                    with m.If(last_word):
                        m.next = "END"
            with m.State("END"):
                m.d.comb += [send.eq(1), end.eq(1)]
                m.d.sync += number.eq(0)
                with m.If(go):
                    m.next = "NEXT"
            with m.State("NEXT"):
                m.next = "LOOK"
                with m.If(logging):
                    m.next = "IDLE"
                with m.Elif(~last_frame):
                    m.next = "LAST"
                with m.Elif(request.both & ~bank if self._banks == 2 else 0):
                    m.d.sync += [bank.eq(1), address.eq(0)]
                    m.d.sync += rest.eq(Array(max(words, 1) - 1 for words in self._words)[space])
                    m.next = "LAST"
                with m.Elif(space == len(Space) - 1):
                    m.next = "REPORT"
                with m.Else():
                    m.d.sync += space.eq(space + 1)
        return m

    def _header(self, m: Module, number, bank, address, last_frame, logging):
        """Return byte `number` of the header, a clock later, in two parts of which one is 0."""
        request, space = self.i_requests.payload, self.space
        histogram = Const(sum(1 << number for number in HISTOGRAM_SPACES), len(Space))
        kind, flags, tag, index = Signal(8), Signal(8), Signal(16), Signal(32)
        m.d.comb += [
            kind.eq(Mux(histogram.bit_select(space, 1), FrameType.HISTOGRAM, FrameType.STATISTICS)),
            flags.eq(
                space
                | Mux(bank, MemoryFlag.BANK, 0)
                | Mux(request.final, MemoryFlag.FINAL, 0)
                | Mux(last_frame, MemoryFlag.LAST, 0)
            ),
            tag.eq(request.snapshot),
            index.eq(address),
        ]
        with m.If(logging):
            m.d.comb += [
                kind.eq(FrameType.LOG),
                flags.eq(0),
                tag.eq(LogCode.DUMPED),
                index.eq(request.snapshot),
            ]
        fields = {TYPE: kind, FLAGS: flags}
        for places, value in ((TAG, tag), (INDEX, index)):
            fields |= {place: value[8 * at : 8 * at + 8] for at, place in enumerate(places)}
        start, base = Signal(8), Signal(8)
        m.d.comb += self.base_high.eq(number[2])
        m.d.sync += [start.eq(0), base.eq(0)]
        with m.Switch(number):
            for place, value in fields.items():
                with m.Case(place):
                    m.d.sync += start.eq(value)
            with m.Case(*BASE_TICKS):
                m.d.sync += base.eq(self.base.word_select(number[:2], 8))
        return start, base
