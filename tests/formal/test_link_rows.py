# SPDX-License-Identifier: Apache-2.0
"""Rows of bytes, proved: what is sent, what is received, and which row is in force."""

import importlib.util
from pathlib import Path

import pytest
from amaranth.hdl import Assert, Assume, Cat, Const, Cover, Elaboratable, Module, Mux, Signal

from plexor_hdl.uplink.link_rows import LinkRows

_spec = importlib.util.spec_from_file_location("prover", Path(__file__).with_name("prover.py"))
prover = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(prover)

VALUES = 16


class AnyBytes(Elaboratable):
    """LinkRows under any bytes both ways, at any pace.

    Which row is in force is told from the bytes taken, by a count of them in rising order.
    """

    def __init__(self) -> None:
        self.received, self.sent = Signal(8), Signal(8)
        self.valids, self.readies = Signal(2), Signal(2)
        self.free = (self.received, self.sent, self.valids, self.readies)

    def elaborate(self, platform) -> Module:
        m = Module()
        m.submodules.rows = rows = LinkRows()
        m.d.comb += [
            rows.i_received.valid.eq(self.valids[0]),
            rows.i_received.payload.eq(self.received),
            rows.i_sent.valid.eq(self.valids[1]),
            rows.i_sent.payload.eq(self.sent),
            Cat(rows.o_received.ready, rows.o_sent.ready).eq(self.readies),
        ]
        for source in (rows.i_received, rows.i_sent):
            # As a stream must: what is offered stays until it is taken.
            waits, before = Signal(), Signal(8)
            m.d.sync += [waits.eq(source.valid & ~source.ready), before.eq(source.payload)]
            m.d.comb += Assume(~waits | (source.valid & (source.payload == before)))
        row, on = self._row_in_force(m, rows)
        self._received(m, rows, row, on)
        self._sent(m, rows, row, on)
        return m

    def _row_in_force(self, m: Module, rows):
        """Return the row and whether one is in force, by the bytes that were taken."""
        row, on = Signal(4), Signal()
        # The row of the values so far, and the next one that a request needs.
        of, place = Signal(4), Signal(range(VALUES))
        byte = self.received
        with m.If(rows.i_received.valid & rows.i_received.ready):
            goes_on = (place != 0) & (byte == Cat(place, of))
            with m.If(goes_on):
                m.d.sync += place.eq(place + 1)
            with m.Elif((byte[:4] == 0) & (byte != 0)):
                m.d.sync += [of.eq(byte[4:]), place.eq(1)]
            with m.Else():
                m.d.sync += place.eq(0)
            with m.If(goes_on & (place == VALUES - 1)):
                m.d.sync += [row.eq(of), on.eq(1)]
            with m.If(byte == 0):
                m.d.sync += on.eq(0)
        return row, on

    def _received(self, m: Module, rows, row, on) -> None:
        byte, half, high = self.received, Signal(), Signal(4)
        taken = rows.i_received.valid & rows.i_received.ready
        given = rows.o_received.valid & rows.o_received.ready
        inside = on & (byte[4:] == row)
        # A byte that is due stands from the clock after its last value is taken until it is given.
        makes, due, wanted = Signal(), Signal(), Signal(8)
        whole = Mux(inside, Cat(byte[:4], high), 0)
        m.d.comb += [
            makes.eq(taken & (~inside | half)),
            Assert(rows.o_received.valid == due),
            Assert(~due | (rows.o_received.payload == wanted)),
            Assert(~(makes & due & ~given)),
        ]
        m.d.sync += due.eq(makes | (due & ~given))
        with m.If(taken):
            m.d.sync += [half.eq(inside & ~half), high.eq(byte[:4])]
        with m.If(makes):
            m.d.sync += wanted.eq(Mux(on, whole, byte))

    def _sent(self, m: Module, rows, row, on) -> None:
        # A byte goes whole in one way: `halved` says in which.
        byte, value = self.sent, rows.o_sent.payload
        second, halved, open_r = Signal(), Signal(), Signal()
        taken = rows.i_sent.valid & rows.i_sent.ready
        given = rows.o_sent.valid & rows.o_sent.ready
        with m.If(given):
            m.d.comb += Assert(taken == (~halved | (byte == 0) | second))
            m.d.sync += second.eq(~taken)
        with m.Else():
            m.d.comb += Assert(~taken)
        m.d.sync += open_r.eq(rows.o_sent.valid & ~taken)
        with m.If(~rows.o_sent.valid):
            m.d.comb += Assert(~open_r)
            m.d.sync += halved.eq(on)
        with m.If(rows.o_sent.valid & halved):
            mark = Cat(~row[0], row[1:])
            m.d.comb += [
                Assert((value[4:] == row) | (value == Cat(Const(VALUES - 1, 4), mark))),
                Assert((value[4:] == row) == (byte != 0)),
                Assert((byte == 0) | (value[:4] == Mux(second, byte[:4], byte[4:]))),
            ]
        with m.Elif(rows.o_sent.valid):
            m.d.comb += Assert(value == byte)
        m.d.comb += Cover(halved & second & taken & ~on)


@pytest.mark.parametrize(
    ("mode", "depth"),
    [
        # A request takes 32 clocks, and a byte in its row four more each way.
        ("bmc", 14),
        *(pytest.param("bmc", depth, marks=pytest.mark.full) for depth in (40, 52)),
        pytest.param("cover", 44, marks=pytest.mark.full),
    ],
)
def test_rows_hold_whatever_comes(mode, depth):
    design = AnyBytes()
    holds, log = prover.prove(design, f"rows_{mode}", depth, mode, design.free)
    assert holds, log
