"""From events to bytes, proved: no entry is lost or doubled, and frames are COBS."""

import importlib.util
from pathlib import Path

import pytest
from amaranth.hdl import Array, Assert, Assume, Const, Cover, Elaboratable, Module, Mux, Signal

from plexor.protocol.geometry import Geometry
from plexor_hdl.lib import cobs
from plexor_hdl.lib.memory_reader import MemoryReader, plain_memory
from plexor_hdl.uplink import upload

_spec = importlib.util.spec_from_file_location("prover", Path(__file__).with_name("prover.py"))
prover = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(prover)

FRAME_BYTES = 3


class FetchInOrder(Elaboratable):
    """A memory written with 0, 1, 2 ... while there is room; `writes` words more than were read."""

    def __init__(self, address_bits: int, room: int) -> None:
        self._bits = address_bits
        self._room = room
        self.write = Signal()
        self.ready = Signal()
        self.free = (self.write, self.ready)

    def elaborate(self, platform) -> Module:
        m = Module()
        width = self._bits + 2
        m.submodules.words = words = plain_memory(width, 1 << self._bits)
        m.submodules.fetch = fetch = MemoryReader(width, self._bits)
        write, read = words.write_port(), words.read_port()
        written, expected = Signal(width), Signal(width)
        m.d.comb += [
            read.addr.eq(fetch.address),
            read.en.eq(1),
            fetch.data.eq(read.data),
            write.en.eq(self.write & ((written - fetch.address)[: self._bits] < self._room)),
            write.addr.eq(written),
            write.data.eq(written),
            fetch.o_words.ready.eq(self.ready),
        ]
        m.d.sync += [written.eq(written + write.en), fetch.limit.eq(written)]
        held = Signal()
        m.d.sync += held.eq(fetch.o_words.valid & ~self.ready)
        with m.If(held):
            m.d.comb += Assert(fetch.o_words.valid)
        with m.If(fetch.o_words.valid):
            m.d.comb += Assert(fetch.o_words.payload == expected)
            with m.If(self.ready):
                m.d.sync += expected.eq(expected + 1)
        m.d.comb += Cover(expected == (1 << self._bits) + 2)
        return m


@pytest.mark.parametrize(
    ("mode", "depth"),
    [("bmc", 18), pytest.param("bmc", 24, marks=pytest.mark.full), ("cover", 24)],
)
def test_a_fetched_memory_loses_and_doubles_no_word(mode, depth):
    design = FetchInOrder(2, 3)
    holds, log = prover.prove(design, f"fetch_{mode}", depth, mode, design.free)
    assert holds, log


def test_the_proof_sees_a_fetch_memory_overrun():
    design = FetchInOrder(2, 4)
    holds, _ = prover.prove(design, "fetch_overrun", 16, "bmc", design.free)
    assert not holds


class EncodesFrames(Elaboratable):
    """The encoder under any frame of up to FRAME_BYTES bytes, sent again and again.

    The expected encoding is written down by position: a zero byte, and the end, is told by the
    distance to it.
    """

    def __init__(self) -> None:
        self.length = Signal(range(FRAME_BYTES + 1))
        self.bytes = [Signal(8, name=f"byte{place}") for place in range(FRAME_BYTES)]
        self.valid = Signal()
        self.ready = Signal()
        self.free = (self.length, *self.bytes, self.valid, self.ready)

    def elaborate(self, platform) -> Module:
        m = Module()
        m.submodules.encoder = encoder = cobs.CobsEncoder()
        started = Signal()
        m.d.sync += started.eq(1)
        for signal in (self.length, *self.bytes):
            before = Signal.like(signal)
            m.d.sync += before.eq(signal)
            m.d.comb += Assume(~started | (before == signal))
        m.d.comb += Assume(self.length <= FRAME_BYTES)

        place = Signal(range(FRAME_BYTES + 1))
        i_bytes, o_bytes = encoder.i_bytes, encoder.o_bytes
        m.d.comb += [
            i_bytes.valid.eq(self.valid),
            i_bytes.payload.end.eq(place == self.length),
            i_bytes.payload.byte.eq(Array([*self.bytes, Const(0, 8)])[place]),
            o_bytes.ready.eq(self.ready),
        ]
        # As a stream must: what is offered stays until it is taken.
        offered = Signal()
        m.d.sync += offered.eq(i_bytes.valid & ~i_bytes.ready)
        m.d.comb += Assume(~offered | i_bytes.valid)
        with m.If(i_bytes.valid & i_bytes.ready):
            m.d.sync += place.eq(Mux(i_bytes.payload.end, 0, place + 1))

        # Zeros of the frame, its end included; distance[n] is that from n to the next of them.
        zero = [
            (self.length == n) | ((self.bytes[n] == 0) if n < FRAME_BYTES else 0)
            for n in range(FRAME_BYTES + 1)
        ]
        distance = [Const(0, 8)] * (FRAME_BYTES + 2)
        for n in reversed(range(FRAME_BYTES + 1)):
            distance[n] = Mux(zero[n], 1, distance[n + 1] + 1)[:8]
        told = [Signal(8, name=f"told{n}") for n in range(FRAME_BYTES + 2)]
        m.d.comb += told[0].eq(distance[0])
        for n in range(FRAME_BYTES):
            m.d.comb += told[n + 1].eq(
                Mux(self.bytes[n] == 0, distance[n + 1], self.bytes[n]),
            )
        out = Signal(range(FRAME_BYTES + 2))
        frames = Signal(3)
        expected = Signal(8)
        m.d.comb += expected.eq(Mux(out == self.length + 1, 0, Array(told)[out]))
        with m.If(o_bytes.valid):
            m.d.comb += Assert(o_bytes.payload == expected)
            with m.If(self.ready):
                m.d.sync += out.eq(Mux(out == self.length + 1, 0, out + 1))
                with m.If(out == self.length + 1):
                    m.d.sync += frames.eq(frames + 1)
        m.d.comb += Cover((frames == 2) & (self.length == FRAME_BYTES))
        return m


@pytest.mark.parametrize(
    ("mode", "depth"),
    [
        ("bmc", 14),
        pytest.param("bmc", 16, marks=pytest.mark.full),
        pytest.param("cover", 48, marks=pytest.mark.full),
    ],
)
def test_short_frames_are_encoded_as_cobs(monkeypatch, mode, depth):
    monkeypatch.setattr(cobs, "BUFFER_BITS", 4)
    design = EncodesFrames()
    holds, log = prover.prove(design, f"cobs_{mode}", depth, mode, design.free)
    assert holds, log


class KeepsOrCounts(Elaboratable):
    """Upload under any events: what comes out has its index; after a rest all is accounted for."""

    REST = 8

    def __init__(self) -> None:
        self.valid = Signal()
        self.gap = Signal()
        self.ready = Signal()
        self.free = (self.valid, self.gap, self.ready)

    def elaborate(self, platform) -> Module:
        m = Module()
        m.submodules.upload = dut = upload.Upload(Geometry(upload_depth=16))
        bits = 6
        came, sent, dropped = Signal(bits), Signal(bits), Signal(bits)
        number, index = Signal(bits), Signal(bits)
        rest = Signal(range(self.REST + 1))
        event, entry = dut.i_events.payload, dut.o_entries.payload
        # Each event's time is its index; a gap skips one index.
        m.d.comb += [
            event.index.eq(number + self.gap),
            event.time_ticks.eq(number + self.gap),
            event.source.eq(number[:4]),
            event.gap.eq(self.gap),
            dut.i_events.valid.eq(self.valid),
            dut.o_entries.ready.eq(self.ready),
            dut.enable.eq(1),
        ]
        # An event in the first clock is refused; it has an index, too.
        with m.If(self.valid):
            m.d.sync += [number.eq(number + self.gap + 1), came.eq(came + 1)]
        with m.If(dut.drop.valid):
            m.d.sync += dropped.eq(dropped + 1)
        taken = Signal()
        m.d.comb += taken.eq(dut.o_entries.valid & self.ready)
        after_mark = Signal()
        with m.If(taken):
            m.d.sync += after_mark.eq(upload.is_mark(entry))
        with m.If(taken & upload.is_mark(entry) & ~after_mark):
            m.d.sync += index.eq(entry.low[upload.SPARE_BITS :])
        with m.If(taken & ~upload.is_mark(entry)):
            m.d.sync += [sent.eq(sent + 1), index.eq(index + 1)]
            m.d.comb += Assert(entry.low[:bits] == index)
        m.d.sync += rest.eq(
            Mux(self.valid | dut.o_entries.valid, 0, Mux(rest == self.REST, rest, rest + 1))
        )
        with m.If(rest == self.REST):
            m.d.comb += [
                Assert(came == (sent + dropped)[:bits]),
                Assert(dut.dropped_cnt == dropped),
            ]
        m.d.comb += Cover((rest == self.REST) & (dropped > 1) & (sent > 4))
        return m


@pytest.mark.full
@pytest.mark.parametrize(("mode", "depth"), [("bmc", 12), ("cover", 40)])
def test_events_are_sent_with_their_index_or_counted(mode, depth):
    design = KeepsOrCounts()
    holds, log = prover.prove(design, f"upload_{mode}", depth, mode, design.free)
    assert holds, log
