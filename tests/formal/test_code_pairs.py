# SPDX-License-Identifier: Apache-2.0
"""Codes and their values, proved: the upload keeps both or none, and no frame ends between them."""

import importlib.util
from pathlib import Path

import pytest
from amaranth.hdl import Assert, Assume, Cover, Elaboratable, Module, Mux, Signal

from plexor.protocol.frames import SOURCE_CODE, SOURCE_CODE_VALUE
from plexor.protocol.geometry import Feature, Geometry
from plexor_hdl.uplink import framer, upload

_spec = importlib.util.spec_from_file_location("prover", Path(__file__).with_name("prover.py"))
prover = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(prover)

CODED = Geometry(upload_depth=16, code_bits=4, features=Feature.EVENTS | Feature.CODES)
BITS = 4


class KeptTogether(Elaboratable):
    """Upload under any events and codes: what comes out is a code and its value, or neither.

    A code's value is the number of the code, and comes in the clock after it, as Capture tells it.
    """

    def __init__(self) -> None:
        self.valid = Signal()
        self.code = Signal()
        self.gap = Signal()
        self.ready = Signal()
        self.now_bit = Signal()
        self.free = (self.valid, self.code, self.gap, self.ready, self.now_bit)

    def elaborate(self, platform) -> Module:
        m = Module()
        m.submodules.upload = dut = upload.Upload(CODED)
        event, entry = dut.i_events.payload, dut.o_entries.payload
        value, number = Signal(), Signal(BITS)
        m.d.sync += value.eq(self.valid & self.code & ~value)
        with m.If(value):
            m.d.sync += number.eq(number + 1)
        m.d.comb += [
            dut.i_events.valid.eq(self.valid | value),
            event.source.eq(Mux(value, SOURCE_CODE_VALUE, Mux(self.code, SOURCE_CODE, 0))),
            event.time_ticks.eq(number),
            event.gap.eq(self.gap & ~value),
            dut.value.code.eq(number),
            dut.value_stb.eq(value),
            dut.enable.eq(1),
            dut.now_bit.eq(self.now_bit),
            dut.o_entries.ready.eq(self.ready),
        ]
        taken, open_code, of_code = Signal(), Signal(), Signal(BITS)
        m.d.comb += taken.eq(dut.o_entries.valid & self.ready)
        with m.If(taken):
            m.d.sync += [open_code.eq(entry.source == SOURCE_CODE), of_code.eq(entry.low)]
            m.d.comb += Assert(open_code == (entry.source == SOURCE_CODE_VALUE))
            with m.If(open_code):
                m.d.comb += Assert(entry.low == of_code)
        lost, paired = Signal(), Signal()
        with m.If(dut.drop.valid):
            # Both are told as dropped, one after the other.
            m.d.sync += lost.eq(dut.drop.source == SOURCE_CODE)
            m.d.comb += Assert(lost == (dut.drop.source == SOURCE_CODE_VALUE))
        with m.If(taken & open_code):
            m.d.sync += paired.eq(1)
        m.d.comb += Cover(paired & (dut.dropped_cnt > 1))
        return m


class FramedTogether(Elaboratable):
    """Framer under any entries: no frame ends behind a code."""

    def __init__(self) -> None:
        self.valid = Signal()
        self.kind = Signal(2)
        self.ready = Signal()
        self.hurry = Signal()
        self.clock_bit = Signal()
        self.free = (self.valid, self.kind, self.ready, self.hurry, self.clock_bit)

    def elaborate(self, platform) -> Module:
        m = Module()
        m.submodules.framer = dut = framer.Framer(trace=False, codes=True)
        entry, out = dut.i_events.payload, dut.o_parts
        begun, open_code, waits, kind = Signal(), Signal(), Signal(), Signal(2)
        m.d.comb += kind.eq(self.kind)
        m.d.sync += [waits.eq(dut.i_events.valid & ~dut.i_events.ready)]
        before = Signal(2)
        m.d.sync += before.eq(kind)
        # An entry stands until it is taken, and a stream starts with marks.
        m.d.comb += [
            Assume(~waits | (self.valid & (kind == before))),
            Assume(begun | (kind == 2)),
            dut.i_events.valid.eq(self.valid),
            dut.hurry.eq(self.hurry),
            dut.flush.eq(self.hurry),
            dut.clock_bit.eq(self.clock_bit),
            out.ready.eq(self.ready),
        ]
        with m.If(open_code):
            m.d.comb += entry.source.eq(SOURCE_CODE_VALUE)
        with m.Elif(kind == 2):
            m.d.comb += upload.write_mark(entry, 0)
        with m.Else():
            m.d.comb += entry.source.eq(Mux(kind == 0, 0, SOURCE_CODE))
        with m.If(dut.i_events.valid & dut.i_events.ready):
            m.d.sync += [begun.eq(1), open_code.eq(entry.source == SOURCE_CODE)]
        after_code, ended, paired = Signal(), Signal(), Signal()
        word = upload.Entry(out.payload.word)
        with m.If(out.valid & out.ready):
            m.d.sync += after_code.eq(out.payload.whole & (word.source == SOURCE_CODE))
            with m.If(after_code):
                m.d.sync += paired.eq(1)
            m.d.comb += Assert(~(after_code & out.payload.end))
            with m.If(out.payload.end):
                m.d.sync += ended.eq(1)
        m.d.comb += Cover(ended & paired)
        return m


@pytest.mark.full
@pytest.mark.parametrize(("mode", "depth"), [("bmc", 12), ("cover", 20)])
def test_a_code_and_its_value_are_kept_or_refused_as_one(mode, depth):
    design = KeptTogether()
    holds, log = prover.prove(design, f"kept_together_{mode}", depth, mode, design.free)
    assert holds, log


@pytest.mark.full
@pytest.mark.parametrize(("mode", "depth"), [("bmc", 44), ("cover", 48)])
def test_no_frame_ends_between_a_code_and_its_value(monkeypatch, mode, depth):
    # Short frames and headers: what ends a frame does not depend on them.
    monkeypatch.setattr(framer, "MAX_WORDS", 3)
    monkeypatch.setattr(framer, "HEADER_BYTES", 8)
    design = FramedTogether()
    holds, log = prover.prove(design, f"framed_together_{mode}", depth, mode, design.free)
    assert holds, log
