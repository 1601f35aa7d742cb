# SPDX-License-Identifier: Apache-2.0
"""The register map's layout by its rules, worked out a second time."""

import pytest

from plexor.protocol import registers
from plexor.protocol.records import Field, Record


def test_no_two_registers_share_a_word():
    owner = {}
    for block, copy, register, address in registers.registers():
        for word in range(address, address + register.words):
            assert word not in owner, (block.name, copy, register.name, owner.get(word))
            owner[word] = (block.name, copy, register.name)
    assert max(owner) < 1 << registers.ADDRESS_BITS <= 1 << 16


def test_blocks_follow_each_other_aligned_to_their_rounded_size():
    free = 0
    for block in registers.BLOCKS:
        words = sum(2 if register.bits > 32 else 1 for register in block.registers)
        stride = 1
        while stride < words:
            stride *= 2
        size = 1
        while size < stride * block.count:
            size *= 2
        base = -(-free // size) * size
        for copy in range(block.count):
            address = base + copy * stride
            for register in block.registers:
                assert registers.address(block.name, register.name, copy) == address
                address += 2 if register.bits > 32 else 1
        free = base + size


def test_reset_values_fit_their_registers():
    for _, _, register, _ in registers.registers():
        assert 0 <= register.check(register.reset) < 1 << register.bits


def test_unknown_registers_and_copies_are_refused():
    with pytest.raises(KeyError):
        registers.address("channel", "width")
    with pytest.raises(ValueError, match=r"channel\[8\]"):
        registers.address("channel", "enable", 8)


@pytest.mark.parametrize(
    ("name", "value", "pattern"),
    [
        ("deadline_ticks", -1, 0xFFFFFFFF),
        ("deadline_ticks", -(2**31), 0x80000000),
        ("enable", 1, 1),
    ],
)
def test_a_value_becomes_its_bit_pattern(name, value, pattern):
    assert registers.register("channel", name).check(value) == pattern


@pytest.mark.parametrize(
    ("name", "value"), [("deadline_ticks", 2**31), ("enable", 2), ("enable", -1)]
)
def test_a_value_that_does_not_fit_is_refused_by_name(name, value):
    with pytest.raises(ValueError, match=name):
        registers.register("channel", name).check(value)


def test_records_refuse_what_does_not_fit_by_name():
    record = Record("edge", "", (Field("fine", 16, "ticks", ""), Field("delta", 8, "", "", True)))
    with pytest.raises(ValueError, match=r"edge\.fine: 70000 does not fit in 16 bits"):
        record.pack({"fine": 70000, "delta": 0})
    with pytest.raises(ValueError, match="delta"):
        record.pack({"fine": 7})
    with pytest.raises(ValueError, match="4 bytes"):
        record.unpack(bytes(4))
    assert record.pack({"fine": 0x1234, "delta": -2}) == bytes.fromhex("3412fe")
