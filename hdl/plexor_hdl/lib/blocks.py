# SPDX-License-Identifier: Apache-2.0
"""Memory blocks with one port, which write or read one word a clock."""

from collections.abc import Callable

from amaranth.hdl import Module, Value

from plexor_hdl.lib.memory_reader import plain_memory

Blocks = Callable[[Module, Value, Value, Value], Value]
"""Adds blocks to a module: of its address, data and write enable. Returns what was read in the
clock before; any value if that clock wrote."""


def plain_blocks(m: Module, address: Value, data: Value, write: Value) -> Value:
    """Add blocks of any kind, for a simulation; see Blocks."""
    m.submodules.blocks = blocks = plain_memory(len(data), 1 << len(address))
    writes, reads = blocks.write_port(), blocks.read_port()
    m.d.comb += [
        writes.addr.eq(address),
        writes.data.eq(data),
        writes.en.eq(write),
        reads.addr.eq(address),
    ]
    return reads.data
