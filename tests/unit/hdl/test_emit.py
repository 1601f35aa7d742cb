"""Memories without logic for collisions, as synthesis is told of them."""

import re

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import memory

from plexor_hdl.emit import rtlil_for_synthesis


def masks(attrs):
    """Return the collision mask of each read port of a memory with attributes."""
    m, address, word = Module(), Signal(2), Signal(5)
    m.submodules.words = words = memory.Memory(shape=5, depth=4, init=(), attrs=attrs)
    write, read = words.write_port(), words.read_port()
    m.d.comb += [write.addr.eq(address), read.addr.eq(address), word.eq(read.data)]
    m.d.comb += [write.en.eq(1), write.data.eq(~address)]
    text = rtlil_for_synthesis(m, "top", [address, word])
    return re.findall(r"COLLISION_X_MASK 1'(\d)", text)


@pytest.mark.parametrize(
    "attrs",
    [{}, {"ram_style": "block"}, {"ram_style": "block", "more": 2}],
    ids=["alone", "with_one", "with_two"],
)
def test_a_plain_memory_has_no_logic_for_collisions_whatever_its_other_attributes(attrs):
    assert masks({"no_rw_check": 1, **attrs}) == ["1"]


def test_a_memory_that_says_nothing_of_collisions_keeps_their_logic():
    assert masks({"ram_style": "block"}) == ["0"]
