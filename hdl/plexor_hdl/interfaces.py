"""What the stages hand each other: payloads and ports, derived from the contract."""

from amaranth.hdl import signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import SOURCE_BITS
from plexor.protocol.memory import VALUE_BITS
from plexor.protocol.registers import Block

TIME_BITS = 64
INDEX_BITS = 48
SPACE_ADDRESS_BITS = 20
"""Bits of a word address inside a memory space."""
READ_CLOCKS = 4
"""Core clocks from an address on a SpaceRead port to its data; one address a clock."""


def block_layout(block: Block) -> data.StructLayout:
    """Return the layout of one copy of a register block, each register with its declared bits."""
    return data.StructLayout(
        {
            register.name: signed(register.bits) if register.signed else register.bits
            for register in block.registers
        }
    )


class Event(data.Struct):
    """One edge of a source, in the merged stream.

    `index` counts the events before it, dropped ones included; `gap` says that edges were dropped
    just before it.
    """

    time_ticks: TIME_BITS
    source: SOURCE_BITS
    polarity: 1
    index: INDEX_BITS
    gap: 1


class Sample(data.StructLayout):
    """One latency or interval on its way into an accumulation engine.

    `key` is plexor.protocol.memory.key; `value_ticks` signed; `index` and `time_ticks` are those of
    the event that completed it; `bank` is the bank that counts it.
    """

    def __init__(self, key_bits: int) -> None:
        super().__init__(
            {
                "key": key_bits,
                "value_ticks": signed(VALUE_BITS),
                "index": INDEX_BITS,
                "time_ticks": TIME_BITS,
                "bank": 1,
            }
        )


class SpaceRead(wiring.Signature):
    """Reads words of one memory space; `data` is of the `bank` and `address` READ_CLOCKS before.

    The side with the memory sees `address` and `bank` as inputs. Reading never disturbs counting;
    the words of the bank that counts are not coherent.
    """

    def __init__(self) -> None:
        super().__init__(
            {"address": Out(SPACE_ADDRESS_BITS), "bank": Out(1), "data": In(32)},
        )
