"""The dumper: result memories into HISTOGRAM and STATISTICS frames."""

from amaranth.hdl import Array, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import MAX_WORDS, FrameType, LogCode, MemoryFlag
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import HISTOGRAM_SPACES, Space, entries, entry_words
from plexor_hdl.frame_words import HEADER_WORDS, FrameWord, header_words
from plexor_hdl.interfaces import READ_CLOCKS, SPACE_ADDRESS_BITS, TIME_BITS, SpaceRead

SNAPSHOT_BITS = 32
TAG_BITS = 16


class DumpRequest(data.Struct):
    """What to dump: spaces by bit, of `bank` or of both, told to the host with these values."""

    spaces: len(Space)
    bank: 1
    both: 1
    snapshot: SNAPSHOT_BITS
    base_ticks: TIME_BITS
    final: 1
    report: 1


class Dumper(wiring.Component):
    """Sends the words of the requested spaces, space by space, bank 0 before bank 1.

    Spaces that the build leaves out are skipped; a build without Feature.SNAPSHOT has bank 0 only.
    With `report` a LOG frame DUMPED follows. `busy` from the clock after the request is taken until
    the last frame has been taken whole. A request waits while `busy`.

    `space` tells which one is read. Words may come a clock later than READ_CLOCKS.
    Latency 10 clocks, throughput a word each READ_CLOCKS + 5 clocks. Reset: idle.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._words = [entries(geometry, space) * entry_words(space) for space in Space]
        self._banks = 2 if Feature.SNAPSHOT in geometry.features else 1
        super().__init__(
            {
                "i_requests": In(stream.Signature(DumpRequest)),
                "spaces": Out(SpaceRead()).array(len(Space)),
                "space": Out(range(len(Space))),
                "busy": Out(1),
                "o_words": Out(stream.Signature(FrameWord)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        present = Const(sum(1 << space for space in Space if self._words[space]), len(Space))
        request = Signal(DumpRequest)
        space = self.space
        bank = Signal()
        address = Signal(SPACE_ADDRESS_BITS)
        for port in self.spaces:
            m.d.comb += [port.address.eq(address), port.bank.eq(bank)]
        value = Signal(32)
        m.d.sync += value.eq(Array(port.data for port in self.spaces)[space])

        last_word = Signal(SPACE_ADDRESS_BITS)
        histogram = Signal()
        m.d.sync += [
            last_word.eq(Array(max(words, 1) - 1 for words in self._words)[space]),
            histogram.eq(Array(int(number in HISTOGRAM_SPACES) for number in Space)[space]),
        ]
        rest = Signal(SPACE_ADDRESS_BITS)
        in_frame = Signal(range(MAX_WORDS + 1))
        last_frame = Signal()
        logging = Signal()
        number = Signal(range(HEADER_WORDS))
        wait = Signal(range(READ_CLOCKS + 3))
        flags = Signal(8)
        m.d.comb += flags.eq(
            space
            | Mux(bank, MemoryFlag.BANK, 0)
            | Mux(request.final, MemoryFlag.FINAL, 0)
            | Mux(last_frame, MemoryFlag.LAST, 0)
        )
        header = header_words(
            m,
            number,
            kind=Mux(
                logging,
                FrameType.LOG,
                Mux(histogram, FrameType.HISTOGRAM, FrameType.STATISTICS),
            ),
            flags=Mux(logging, 0, flags),
            tag=Mux(logging, LogCode.DUMPED, request.snapshot[:TAG_BITS]),
            index=Mux(logging, request.snapshot, address),
            base_ticks=request.base_ticks,
        )
        out = self.o_words
        free = Signal()
        m.d.comb += free.eq(~out.valid | out.ready)
        with m.If(out.ready):
            m.d.sync += out.valid.eq(0)

        with m.FSM(name="dumper") as fsm:
            m.d.comb += self.busy.eq(~fsm.ongoing("IDLE") | out.valid)
            with m.State("IDLE"):
                m.d.comb += self.i_requests.ready.eq(~out.valid)
                m.d.sync += [space.eq(0), logging.eq(0), request.eq(self.i_requests.payload)]
                m.d.sync += request.spaces.eq(self.i_requests.payload.spaces & present)
                with m.If(self.i_requests.valid & ~out.valid):
                    m.next = "SPACE"
            with m.State("SPACE"):
                m.d.sync += [
                    address.eq(0),
                    bank.eq(request.bank & ~request.both if self._banks == 2 else 0),
                ]
                with m.If(~request.spaces.any()):
                    m.next = "IDLE"
                    with m.If(request.report):
                        m.d.sync += logging.eq(1)
                        m.next = "LOG"
                with m.Elif(request.spaces[0]):
                    m.next = "SIZE"
                with m.Else():
                    m.d.sync += [request.spaces.eq(request.spaces >> 1), space.eq(space + 1)]
            with m.State("LOG"):
                m.next = "HEADER"
            with m.State("SIZE"):
                m.next = "REST"
            with m.State("REST"):
                m.d.sync += rest.eq(last_word - address)
                m.next = "LAST"
            with m.State("LAST"):
                m.d.sync += last_frame.eq(rest < MAX_WORDS)
                m.next = "HEADER"
            with m.State("HEADER"):
                m.d.sync += [in_frame.eq(0), wait.eq(0)]
                with m.If(free):
                    m.d.sync += [
                        out.valid.eq(1),
                        out.payload.word.eq(header),
                        out.payload.end.eq(0),
                        number.eq(number + 1),
                    ]
                    with m.If(number == HEADER_WORDS - 1):
                        m.d.sync += number.eq(0)
                        m.next = "READ"
                        with m.If(logging):
                            m.next = "END"
            with m.State("READ"):
                m.d.sync += wait.eq(wait + 1)
                with m.If(wait == READ_CLOCKS + 1):
                    m.next = "WORD"
            with m.State("WORD"):
                m.d.sync += wait.eq(0)
                with m.If(free):
                    m.d.sync += [
                        out.valid.eq(1),
                        out.payload.word.eq(value),
                        in_frame.eq(in_frame + 1),
                        rest.eq(rest - 1),
                        address.eq(address + 1),
                    ]
                    m.next = "READ"
                    with m.If((rest == 0) | (in_frame == MAX_WORDS - 1)):
                        m.next = "END"
            with m.State("END"):
                with m.If(free):
                    m.d.sync += [out.valid.eq(1), out.payload.end.eq(1)]
                    m.next = "NEXT"
            with m.State("NEXT"):
                m.next = "SPACE"
                with m.If(logging):
                    m.next = "IDLE"
                with m.Elif(~last_frame):
                    m.next = "REST"
                with m.Elif(request.both & ~bank if self._banks == 2 else 0):
                    m.d.sync += [bank.eq(1), address.eq(0)]
                    m.next = "REST"
                with m.Else():
                    m.d.sync += request.spaces[0].eq(0)
        return m
