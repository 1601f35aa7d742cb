# SPDX-License-Identifier: Apache-2.0
"""Payloads and ports between stages, derived from the contract."""

from enum import IntEnum

from amaranth.hdl import signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import SOURCE_BITS
from plexor.protocol.frames import VALUE_BITS as CODE_VALUE_BITS
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import VALUE_BITS, Space, table_bits
from plexor.protocol.registers import Block

TIME_BITS = 64
INDEX_BITS = 48
COUNT_BITS = 48
"""Bits of counts of events, drops and classes. At 125 million a second they last 26 days."""
SPACE_ADDRESS_BITS = 20
"""Bits of a word's address inside a memory space."""
SNAPSHOT_BITS = 16
READ_CLOCKS = 4
"""Core clocks from an address on a SpaceRead port to its data. Each clock takes an address."""

PACE_CLOCKS = 5
"""Minimum core clocks between two values, in a build without snapshots."""


def block_layout(block: Block) -> data.StructLayout:
    """Return the layout of one copy of a register block, with each register's declared bits."""
    return data.StructLayout(
        {
            register.name: signed(register.bits) if register.signed else register.bits
            for register in block.registers
        }
    )


class Event(data.StructLayout):
    """One edge of a source, in the merged stream.

    Fields:
        time_ticks: Its time in ticks, modulo 2**time_bits.
        source: The number of its source, as in docs/PROTOCOL.md.
        polarity: 1: the edge to the active level.
        index: How many events were before it, dropped ones included; with 0 bits there is none.
        gap: Edges were dropped just before it.
        value: The value of a code; with 0 bits there is none.
    """

    def __init__(
        self, time_bits: int = TIME_BITS, index_bits: int = INDEX_BITS, value_bits: int = 0
    ) -> None:
        super().__init__(
            {
                "time_ticks": time_bits,
                "source": SOURCE_BITS,
                "polarity": 1,
                "index": index_bits,
                "gap": 1,
                "value": value_bits,
            }
        )


class Kind(IntEnum):
    """What a measured value is: the latency kinds, then those of intervals, in their order."""

    RISE = 0
    FALL = 1
    WIDTH = 2
    PERIOD = 3


def several_kinds(geometry: Geometry) -> bool:
    """Return whether a build measures several kinds of values: then all of them, else rises alone.

    The first has all features of MEASURED (plexor_hdl.stages), the second none of them.
    """
    return Feature.INTERVALS in geometry.features


def kinds_of(geometry: Geometry) -> tuple[Kind, ...]:
    """Return the kinds of values that a build measures."""
    return tuple(Kind) if several_kinds(geometry) else (Kind.RISE,)


class Beat(data.StructLayout):
    """What the matcher sees: an event, or only the news of the time.

    Every later event is at or after that time. Where the build measures several kinds, the event
    has its whole time and its index. In a build with a code port it has the value of a code.

    Fields:
        event: The event; without one only its time in ticks counts.
        is_event: There is an event.
        code: The code in force, as an entry of the tables of codes; with Feature.CODES.
        final: The last beat of a run; its time is the tick after the run's last.
    """

    def __init__(self, geometry: Geometry) -> None:
        time_bits, index_bits = VALUE_BITS, 0
        if several_kinds(geometry):
            time_bits, index_bits = TIME_BITS, INDEX_BITS
        event = Event(time_bits, index_bits, CODE_VALUE_BITS if geometry.code_bits else 0)
        code = table_bits(geometry)
        super().__init__({"event": event, "is_event": 1, "final": 1, "code": code})


class Measured(data.StructLayout):
    """One latency or interval on its way from the matcher to the results.

    Fields:
        kind: What was measured.
        channel: The number of the response channel.
        value_ticks: The latency or interval, in ticks; negative where the response came first.
        index: The index of the event that completed it, where several kinds are measured.
        time_ticks: The time of that event in ticks, where several kinds are measured.
        code: Of a rise latency of the channel `latency_channel`: the code in force at its strike,
            as an entry of the tables of codes; with Feature.CODES.
    """

    def __init__(self, geometry: Geometry) -> None:
        kept = several_kinds(geometry)
        super().__init__(
            {
                "kind": Kind,
                "channel": max(geometry.key_bits, 1),
                "value_ticks": signed(VALUE_BITS),
                "index": INDEX_BITS if kept else 0,
                "time_ticks": TIME_BITS if kept else 0,
                "code": table_bits(geometry),
            }
        )


class Decision(data.StructLayout):
    """What the matcher decided of one channel in one clock; every bit that is set counts one.

    Fields:
        channel: The number of the response channel.
        strike: A strike was seen.
        missed: One of the outstanding strikes, or this one, was missed.
        queue_full: This strike was missed for want of room.
        classed: A response was classed.
        response_class: The response's class, a ResponseClass; valid with `classed`.
        early: The response came before its strike; where several kinds are measured.
    """

    def __init__(self, geometry: Geometry) -> None:
        super().__init__(
            {
                "channel": max(geometry.key_bits, 1),
                "strike": 1,
                "missed": 1,
                "queue_full": 1,
                "classed": 1,
                "response_class": 3,
                "early": int(several_kinds(geometry)),
            }
        )


class SpaceRead(wiring.Signature):
    """Reads words of one memory space.

    The side with the memory sees `address` and `bank` as inputs. Reading never disturbs counting.
    The words of the bank that counts are not coherent.

    Ports:
        address: The number of a 32-bit word in the space.
        bank: Which of the two banks is read.
        data: The word at `address` and `bank` of READ_CLOCKS clocks before.
        some: The frame of that word may have other values than zeros; as late as `data`.
    """

    def __init__(self) -> None:
        super().__init__(
            {
                "address": Out(SPACE_ADDRESS_BITS),
                "bank": Out(1),
                "data": In(32),
                "some": In(1),
            }
        )


class DumpRequest(data.Struct):
    """What to dump, and what the host is told with it.

    Fields:
        spaces: A bit for each memory space.
        bank: The bank to dump.
        both: Both banks are dumped.
        snapshot: The number of the snapshot, modulo 2**SNAPSHOT_BITS.
        final: The run has ended.
        report: A LOG frame DUMPED says when the dump has ended.
    """

    spaces: len(Space)
    bank: 1
    both: 1
    snapshot: SNAPSHOT_BITS
    final: 1
    report: 1
