# SPDX-License-Identifier: Apache-2.0
"""The encoder of frames, proved: what it makes of short ones is COBS."""

import importlib.util
from pathlib import Path

import pytest
from amaranth.hdl import Array, Assert, Assume, Const, Cover, Elaboratable, Module, Mux, Signal

from plexor_hdl.lib import cobs

_spec = importlib.util.spec_from_file_location("prover", Path(__file__).with_name("prover.py"))
prover = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(prover)

FRAME_BYTES = 3


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
        # Clock 11 has the first byte of the longest frame; a frame without bytes is whole by 8.
        ("bmc", 12),
        *(pytest.param("bmc", depth, marks=pytest.mark.full) for depth in (14, 16)),
        pytest.param("cover", 48, marks=pytest.mark.full),
    ],
)
def test_short_frames_are_encoded_as_cobs(monkeypatch, mode, depth):
    monkeypatch.setattr(cobs, "BUFFER_BITS", 4)
    design = EncodesFrames()
    holds, log = prover.prove(design, f"cobs_{mode}", depth, mode, design.free)
    assert holds, log
