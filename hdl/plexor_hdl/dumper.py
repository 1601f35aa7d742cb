"""The dumper: result memories into HISTOGRAM and STATISTICS frames."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import WORD_BYTES, ZEROS_SHIFT, FrameType, LogCode, MemoryFlag
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import HISTOGRAM_SPACES, Space, entries, entry_words
from plexor_hdl.frame_bytes import BASE_TICKS, HEADER_BYTES, INDEX, TAG, TYPE, FrameByte
from plexor_hdl.interfaces import READ_CLOCKS, SPACE_ADDRESS_BITS, SpaceRead, paced

SNAPSHOT_BITS = 16
LATE_CLOCKS = 6
"""Clocks that words may come later than READ_CLOCKS."""
WORD = 1 << (HEADER_BYTES - 1).bit_length()
"""The place of a word's bytes, behind those of the header."""
IN_FRAME_BITS = 7
FRAME_WORDS = 1 << IN_FRAME_BITS
"""Words of a frame that is not the last of its space: up to MAX_WORDS, a power of two."""


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
    So are frames of zeros that are not a space's last, in a build that is not `paced`; the next
    frame says how many words that were. With `report` a LOG frame DUMPED follows. `busy` from the
    clock after the request is taken until the last frame has been taken whole. A request waits
    while `busy`, and once taken must stand until `busy` falls: nothing of it is stored.

    `base` is the low or, with `base_high`, the high word of the request's time where `base_valid`,
    from 2 clocks after `base_high` on. `space` tells which one is read; the others get an address
    past their last entry, where they must read 0. Words may come LATE_CLOCKS later than
    READ_CLOCKS, and are read while the address stands, but for those that are looked at for zeros,
    at one a clock. Latency 12 clocks, in a build that looks for zeros 25 clocks and FRAME_WORDS
    more; throughput a word each READ_CLOCKS + LATE_CLOCKS + 9 clocks. Reset: idle.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._words = [entries(geometry, space) * entry_words(space) for space in Space]
        self._banks = 2 if Feature.SNAPSHOT in geometry.features else 1
        self._scans = not paced(geometry)
        super().__init__(
            {
                "i_requests": In(stream.Signature(DumpRequest)),
                "spaces": Out(SpaceRead()).array(len(Space)),
                "space": Out(range(len(Space))),
                "base": In(8 * WORD_BYTES),
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
        address = Signal(range(max(self._words)))
        in_frame = address[:IN_FRAME_BITS]
        last = Signal.like(address)
        m.d.sync += last.eq(Array(max(words, 1) - 1 for words in self._words)[space])
        value = 0
        for number, port in enumerate(self.spaces):
            m.d.comb += [
                port.address[: len(address)].eq(address),
                port.address[SPACE_ADDRESS_BITS - 1].eq(space != number),
                port.bank.eq(bank),
            ]
            if number in present:
                value |= port.data

        last_word, last_frame, logging = Signal(), Signal(), Signal()
        # In a header or a word the byte to send; else the clocks that the word has had.
        number = Signal(range(HEADER_BYTES))
        last_of_header, last_of_word, there = Signal(), Signal(), Signal()
        fresh, send, go, end, from_value = (Signal() for _ in range(5))
        of_header, stood, came = (Signal() for _ in range(3))
        # A byte is chosen in the clock after `number` has changed, and sent in the next; one of the
        # header is chosen when the word of the base has come.
        # Frames of zeros since the last one that was sent.
        zeros = Signal(max(len(address) - IN_FRAME_BITS, 0))
        place = Cat(address, Const(0, ZEROS_SHIFT - len(address) + IN_FRAME_BITS), zeros)
        byte = self._byte(m, Cat(number, from_value), value, bank, place, last_frame, logging)
        out = self.o_bytes
        # What is sent stays the same until it goes.
        m.d.comb += go.eq(fresh & ~out.valid)
        m.d.sync += [
            last_of_header.eq(number == HEADER_BYTES - 1),
            last_of_word.eq(number[:2] == WORD_BYTES - 1),
            there.eq(number == READ_CLOCKS + LATE_CLOCKS - 1),
            last_word.eq(in_frame.all() | (last_frame & (in_frame == last[:IN_FRAME_BITS]))),
            stood.eq(send & ~go),
            came.eq(stood & ~go),
            fresh.eq(send & ~go & (~of_header | (came & self.base_valid))),
        ]
        with m.If(out.ready):
            m.d.sync += out.valid.eq(0)
        with m.If(~out.valid):
            m.d.sync += [
                out.payload.byte.eq(byte),
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
                m.d.sync += last_frame.eq(address[IN_FRAME_BITS:] == last[IN_FRAME_BITS:])
                m.next = "SETTLE" if self._scans else "HEADER"
            if self._scans:
                self._scan(m, address, value, number, there, last_frame, zeros)
            with m.State("HEADER"):
                m.d.comb += [send.eq(1), of_header.eq(1)]
                with m.If(go & last_of_header):
                    m.d.sync += number.eq(0)
                    m.next = "READ"
                    with m.If(logging):
                        m.next = "END"
            with m.State("READ"):
                m.d.sync += number.eq(number + 1)
                with m.If(there):
                    m.d.sync += number.eq(0)
                    m.next = "WORD"
            with m.State("WORD"):
                m.d.comb += [send.eq(1), from_value.eq(1)]
                with m.If(go & last_of_word):
                    m.d.sync += [number.eq(0), address.eq(address + 1)]
                    m.next = "READ"
                    with m.If(last_word):
                        m.next = "END"
            with m.State("END"):
                m.d.comb += [send.eq(1), end.eq(1)]
                m.d.sync += number.eq(0)
                with m.If(go):
                    m.next = "NEXT"
            with m.State("NEXT"):
                m.d.sync += zeros.eq(0)
                m.next = "LOOK"
                with m.If(logging):
                    m.next = "IDLE"
                with m.Elif(~last_frame):
                    m.next = "LAST"
                with m.Elif(request.both & ~bank if self._banks == 2 else 0):
                    m.d.sync += [bank.eq(1), address.eq(0)]
                    m.next = "LAST"
                with m.Elif(space == len(Space) - 1):
                    m.next = "REPORT"
                with m.Else():
                    m.d.sync += space.eq(space + 1)
        return m

    def _scan(self, m: Module, address, value, number, there, last_frame, zeros) -> None:
        """Add the states that look for a frame that is not all zeros, or is the last."""
        in_frame, above = address[:IN_FRAME_BITS], address[IN_FRAME_BITS:]
        some, found = Signal(), Signal()
        m.d.sync += some.eq(value.any())
        with m.State("SETTLE"):
            m.d.sync += [number.eq(number + 1), found.eq(0)]
            with m.If(there):
                m.next = "SCAN"
            with m.If(last_frame):
                m.d.sync += number.eq(0)
                m.next = "HEADER"
        with m.State("SCAN"):
            m.d.sync += [in_frame.eq(in_frame + 1), number.eq(0), found.eq(found | some)]
            with m.If(in_frame.all()):
                m.next = "TAIL"
        with m.State("TAIL"):
            m.d.sync += [number.eq(number + 1), found.eq(found | some)]
            with m.If(there):
                m.next = "FOUND"
        with m.State("FOUND"):
            m.d.sync += number.eq(0)
            m.next = "HEADER"
            with m.If(~found):
                m.d.sync += [above.eq(above + 1), zeros.eq(zeros + 1)]
                m.next = "LAST"

    def _byte(self, m: Module, number, value, bank, place, last_frame, logging):
        """Return a byte of the header, or of `value` from WORD on, a clock later."""
        request, space = self.i_requests.payload, self.space
        histogram = Const(sum(1 << number for number in HISTOGRAM_SPACES), len(Space))
        kind = Mux(histogram.bit_select(space, 1), FrameType.HISTOGRAM, FrameType.STATISTICS)
        flags = (
            space
            | Mux(bank, MemoryFlag.BANK, 0)
            | Mux(request.final, MemoryFlag.FINAL, 0)
            | Mux(last_frame, MemoryFlag.LAST, 0)
        )

        def at(place: int):
            return number[1:] == place // 2

        chosen = Signal(8)
        with m.If(at(TYPE)):
            m.d.comb += chosen.eq(Mux(number[0], flags, kind))
        with m.If(logging):
            m.d.comb += chosen.eq(Mux(at(TYPE) & ~number[0], FrameType.LOG, 0))
            with m.If(at(TAG[0]) & ~number[0]):
                m.d.comb += chosen.eq(LogCode.DUMPED)
        # The others two by two, each pair in a register of its own.
        fields = [
            (Mux(logging, at(INDEX[0]), at(TAG[0])), request.snapshot),
            *(
                (at(INDEX[first]) & ~logging, place[8 * first : 8 * first + 16])
                for first in range(0, 2 * WORD_BYTES if self._scans else WORD_BYTES, 2)
            ),
        ]
        m.d.comb += self.base_high.eq(number[2])
        for first in range(0, WORD_BYTES, 2):
            here = at(BASE_TICKS[first]) | at(BASE_TICKS[WORD_BYTES + first])
            fields.append((here, self.base[8 * first : 8 * first + 16]))
            fields.append((at(WORD + first), value[8 * first : 8 * first + 16]))
        parts = [chosen]
        for here, field in fields:
            two = Signal(16)
            m.d.comb += two.eq(field)
            parts.append(Mux(here, two.word_select(number[0], 8), 0))
        byte = 0
        for which, part in enumerate(parts):
            part_r = Signal(8, name=f"byte{which}")
            m.d.sync += part_r.eq(part)
            byte |= part_r
        return byte
