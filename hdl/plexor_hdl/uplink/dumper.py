# SPDX-License-Identifier: Apache-2.0
"""The dumper: sends result memories in HISTOGRAM and STATISTICS frames."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import WORD_BYTES, ZEROS_SHIFT, FrameType, LogCode, MemoryFlag
from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import HISTOGRAM_SPACES, Space, banks, entries, entry_words
from plexor_hdl.interfaces import READ_CLOCKS, SPACE_ADDRESS_BITS, DumpRequest, SpaceRead
from plexor_hdl.lib.frame_bytes import BASE_TICKS, HEADER_BYTES, INDEX, TAG, TYPE, FrameByte
from plexor_hdl.lib.states import States

WORD = 1 << (HEADER_BYTES - 1).bit_length()
"""Place of a word's first byte, behind those of the header."""
IN_FRAME_BITS = 7
FRAME_WORDS = 1 << IN_FRAME_BITS
"""Words in each frame but a space's last: the largest power of two up to MAX_WORDS."""


def word_clocks(geometry: Geometry) -> int:
    """Return the maximum clocks from an address to its word.

    If counting goes on meanwhile, the read waits for its turn.
    """
    return READ_CLOCKS + (10, 16)[banks(geometry, Space.CLASSES) - 1]


HOLDERS = 2
"""Number of stages that may take the memories from the dumper for a while."""


class Dumper(wiring.Component):
    """Sends the words of the requested spaces in frames, space by space, bank 0 before bank 1.

    Spaces that the build leaves out are skipped, and while a run counts those of codes, which have
    no bank that rests. A space with one bank is sent from it, whichever is asked for. In a build
    with two banks a frame whose words are all without `some` is skipped too, if it is not the
    space's last; the next frame says how many words were. With `report` a LOG frame DUMPED follows.
    A request, once taken, must stand until `busy` falls: nothing of it is stored.

    Words come within word_clocks, and are read while the address stands. Spaces that are not read
    get an address past their last entry; there they must read 0, and any `some`.

    Latency: 9 clocks from a request to its first byte, word_clocks + 1 more with two banks.
        A space that is skipped takes 3, a frame that is skipped word_clocks + 2.
    Throughput: a byte of a header each 6 clocks, a word each word_clocks + 17; more while `hold`.
    Reset: idle; nothing is sent.
    Wrap: none; it counts up to the last word of a space.
    Full: `o_bytes` waits, and nothing is dropped. A request waits while `busy`.

    Ports:
        i_requests: Stream of requests.
        spaces: Reads of memories, by Space.
        space: Space that is read.
        base: A word of the request's time, in ticks, valid with `base_valid`.
        base_high: 1 for the high word of the time, 0 for the low one.
        base_valid: 1 if `base` is that; not looked at until 3 clocks after `base_high` has changed.
        hold: 1 while others read the memories and words are undefined; it may rise at any time.
        busy: 1 from the clock after a request was taken until its last frame has been taken.
        o_bytes: Stream of the frames' bytes, with an end after each frame.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._words = [entries(geometry, space) * entry_words(space) for space in Space]
        self._word_clocks = word_clocks(geometry)
        self._banks = [banks(geometry, space) for space in Space]
        self._finds = 2 in self._banks
        super().__init__(
            {
                "i_requests": In(stream.Signature(DumpRequest)),
                "spaces": Out(SpaceRead()).array(len(Space)),
                "space": Out(range(len(Space))),
                "base": In(8 * WORD_BYTES),
                "base_high": Out(1),
                "base_valid": In(1),
                "hold": In(HOLDERS),
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
        asked = {number: request.spaces[number] for number in present}
        if Space.CODES in present:
            asked[Space.CODES] &= request.final
        m.d.sync += wanted.eq(Array(asked.get(number, 0) for number in Space)[space])
        two_banks = Signal()
        if self._finds:
            m.d.sync += two_banks.eq(Array(each - 1 for each in self._banks)[space])
        address = Signal(range(max(self._words)))
        in_frame, above = address[:IN_FRAME_BITS], address[IN_FRAME_BITS:]
        last = Signal.like(address)
        m.d.sync += last.eq(Array(max(words, 1) - 1 for words in self._words)[space])
        value, some, others = 0, Signal(), Signal(len(Space), init=-1)
        # It may be a clock late, because a space is chosen some clocks before it is read.
        m.d.sync += others.eq(Cat(space != number for number in Space))
        for number, port in enumerate(self.spaces):
            m.d.comb += [
                port.address[: len(address)].eq(address),
                port.address[SPACE_ADDRESS_BITS - 1].eq(others[number]),
                port.bank.eq(bank),
            ]
            if number in present:
                value |= port.data
        m.d.sync += some.eq(
            Cat(self.spaces[number].some & (space == number) for number in present).any()
        )

        last_word, last_frame, logging = Signal(), Signal(), Signal()
        now = States(
            *("IDLE", "LOOK", "SPACE", "SKIP", "REPORT", "LAST", "HEADER", "READ", "WORD", "END"),
            *("NEXT", *(("FIND", "ZEROS") if self._finds else ())),
        )
        # In a header or a word it is the byte to send, otherwise the clocks that the word has had.
        number, there = Signal(range(HEADER_BYTES)), Signal()
        counts = now["READ"] | now["FIND"] if self._finds else now["READ"]
        # Number of frames of zeros since the last frame that was sent.
        zeros = Signal(max(len(address) - IN_FRAME_BITS, 0))
        place = Cat(address, Const(0, ZEROS_SHIFT - len(address) + IN_FRAME_BITS), zeros)
        byte = self._byte(m, Cat(number, now["WORD"]), value, bank, place, last_frame, logging)
        # A word that is read while other stages hold the memories is read again after that.
        held, rest = Signal(), Signal(range(self._word_clocks + 1))
        m.d.sync += held.eq(self.hold.any() | rest.any())
        with m.If(self.hold.any()):
            m.d.sync += rest.eq(self._word_clocks)
        with m.Elif(rest.any()):
            m.d.sync += rest.eq(rest - 1)
        step = self._send(m, now, byte, held)
        last_of_header, last_of_word, last_space = Signal(), Signal(), Signal()
        header_ends = now["HEADER"] & step & last_of_header
        word_ends = now["WORD"] & step & last_of_word
        m.d.sync += [
            last_of_header.eq(number == HEADER_BYTES - 1),
            last_of_word.eq(number[:2] == WORD_BYTES - 1),
            there.eq(number == self._word_clocks - 1),
            last_space.eq(space == len(Space) - 1),
            last_word.eq(in_frame.all() | (last_frame & (in_frame == last[:IN_FRAME_BITS]))),
        ]
        m.d.comb += [
            self.i_requests.ready.eq(now["IDLE"] & ~self.o_bytes.valid),
            self.busy.eq(~now["IDLE"] | self.o_bytes.valid),
        ]

        with m.If(now["IDLE"]):
            m.d.sync += space.eq(0)
        with m.If(now["SKIP"]):
            m.d.sync += space.eq(space + ~last_space)
        with m.If(now["SPACE"]):
            m.d.sync += [
                address.eq(0),
                bank.eq(request.bank & ~request.both & two_banks),
            ]
        with m.If(now["LAST"]):
            m.d.sync += last_frame.eq(above == last[IN_FRAME_BITS:])
        with m.If(word_ends):
            m.d.sync += address.eq(address + 1)
        with m.If(now["NEXT"]):
            m.d.sync += zeros.eq(0)
        if self._finds:
            with m.If(now["ZEROS"]):
                m.d.sync += [above.eq(above + 1), zeros.eq(zeros + 1)]
        other_bank = request.both & ~bank & two_banks
        with m.If(now["NEXT"] & last_frame & other_bank):
            m.d.sync += [bank.eq(1), address.eq(0)]
        m.d.sync += logging.eq(now["REPORT"] | (logging & ~now["IDLE"]))

        now.go("IDLE", "LOOK", self.i_requests.valid & ~self.o_bytes.valid)
        now.go("LOOK", "SPACE")
        now.go("SPACE", "LAST", wanted)
        now.go("SPACE", "SKIP", ~wanted)
        now.go("SKIP", "LOOK", ~last_space)
        now.go("SKIP", "REPORT", last_space)
        now.go("REPORT", "HEADER", request.report)
        now.go("REPORT", "IDLE", ~request.report)
        now.go("LAST", "FIND" if self._finds else "HEADER")
        if self._finds:
            now.go("FIND", "HEADER", there & ~held & (some | last_frame))
            now.go("FIND", "ZEROS", there & ~held & ~some & ~last_frame)
            now.go("ZEROS", "LAST")
        now.go("HEADER", "READ", header_ends & ~logging)
        now.go("HEADER", "END", header_ends & logging)
        now.go("READ", "WORD", there)
        now.go("WORD", "READ", word_ends & ~last_word)
        now.go("WORD", "END", word_ends & last_word)
        now.go("END", "NEXT", step)
        now.go("NEXT", "IDLE", logging)
        now.go("NEXT", "LAST", ~logging & (~last_frame | other_bank))
        now.go("NEXT", "SKIP", ~logging & last_frame & ~other_bank)
        now.connect(m)
        with m.If(now["IDLE"] | (counts & (held | there)) | header_ends | word_ends):
            m.d.sync += number.eq(0)
        with m.Elif(counts | (step & ~now["END"])):
            m.d.sync += number.eq(number + 1)
        return m

    def _send(self, m: Module, now: States, byte, held):
        """Send `byte` or an end, by the state; return when it moves on.

        Steps are at least 4 clocks apart, in a header 6, where the base's word must also have come.
        Words do not move on while `held`.
        """
        out, step = self.o_bytes, Signal()
        stood, still, came, fresh = (Signal() for _ in range(4))
        m.d.sync += [
            stood.eq((now["HEADER"] | now["WORD"] | now["END"]) & ~step),
            still.eq(stood & ~step),
            came.eq(still & ~step),
            fresh.eq(
                Mux(now["HEADER"], came & self.base_valid, stood) & ~step & ~(now["WORD"] & held)
            ),
            step.eq(fresh & ~step & ~out.valid),
            out.valid.eq(Mux(out.valid, ~out.ready, fresh & ~step)),
        ]
        # The output stays the same until it is taken.
        with m.If(~out.valid):
            m.d.sync += [out.payload.byte.eq(byte), out.payload.end.eq(now["END"])]
        return step

    def _byte(self, m: Module, number, value, bank, place, last_frame, logging):
        """Return a byte of the header, or of `value` from WORD on, 2 clocks later.

        Its inputs are sampled in the clock between.
        """
        request, space = self.i_requests.payload, self.space
        histogram = Const(sum(1 << number for number in HISTOGRAM_SPACES), len(Space))
        kind = Mux(histogram.bit_select(space, 1), FrameType.HISTOGRAM, FrameType.STATISTICS)
        flags = (
            space
            | Mux(bank, MemoryFlag.BANK, 0)
            | Mux(request.final, MemoryFlag.FINAL, 0)
            | Mux(last_frame, MemoryFlag.LAST, 0)
        )

        def at(condition, place: int):
            """Return whether this place or the next is requested, and `condition` holds."""
            here = Signal(name=f"at{place}")
            m.d.sync += here.eq(condition & (number[1:] == place // 2))
            return here

        odd = Signal()
        m.d.sync += odd.eq(number[0])
        chosen = Mux(
            at(1, TYPE),
            Mux(logging, Mux(odd, 0, FrameType.LOG), Mux(odd, flags, kind)),
            Mux(at(logging & ~number[0], TAG[0]), LogCode.DUMPED, 0),
        )
        # The other fields come in pairs, each pair with a register of its own.
        fields = [
            (at(logging, INDEX[0]) | at(~logging, TAG[0]), request.snapshot),
            *(
                (at(~logging, INDEX[first]), place[8 * first : 8 * first + 16])
                for first in range(0, 2 * WORD_BYTES, 2)
            ),
        ]
        m.d.comb += self.base_high.eq(number[2])
        for first in range(0, WORD_BYTES, 2):
            here = at(1, BASE_TICKS[first]) | at(1, BASE_TICKS[WORD_BYTES + first])
            fields.append((here, self.base[8 * first : 8 * first + 16]))
            fields.append((at(1, WORD + first), value[8 * first : 8 * first + 16]))
        parts = [chosen]
        for here, field in fields:
            two = Signal(16)
            m.d.comb += two.eq(field)
            parts.append(Mux(here, two.word_select(odd, 8), 0))
        byte = 0
        for which, part in enumerate(parts):
            part_r = Signal(8, name=f"byte{which}")
            m.d.sync += part_r.eq(part)
            byte |= part_r
        return byte
