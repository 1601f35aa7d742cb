# SPDX-License-Identifier: Apache-2.0
"""The queue of events for the link, proved: each is sent with its index or counted."""

import importlib.util
from pathlib import Path

import pytest
from amaranth.hdl import Assert, Cover, Elaboratable, Module, Mux, Signal

from plexor.protocol.geometry import Geometry
from plexor_hdl.uplink import upload

_spec = importlib.util.spec_from_file_location("prover", Path(__file__).with_name("prover.py"))
prover = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(prover)


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
