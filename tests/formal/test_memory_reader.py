# SPDX-License-Identifier: Apache-2.0
"""The reader of a memory, proved: it loses and doubles no word."""

import importlib.util
from pathlib import Path

import pytest
from amaranth.hdl import Assert, Cover, Elaboratable, Module, Signal

from plexor_hdl.lib.memory_reader import MemoryReader, plain_memory

_spec = importlib.util.spec_from_file_location("prover", Path(__file__).with_name("prover.py"))
prover = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(prover)


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
    [
        ("bmc", 18),
        *(pytest.param(mode, 24, marks=pytest.mark.full) for mode in ("bmc", "cover")),
    ],
)
def test_a_fetched_memory_loses_and_doubles_no_word(mode, depth):
    design = FetchInOrder(2, 3)
    holds, log = prover.prove(design, f"fetch_{mode}", depth, mode, design.free)
    assert holds, log


def test_the_proof_sees_a_fetch_memory_overrun():
    design = FetchInOrder(2, 4)
    holds, _ = prover.prove(design, "fetch_overrun", 16, "bmc", design.free)
    assert not holds
