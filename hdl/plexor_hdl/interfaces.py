"""What the stages hand each other: payloads and ports, derived from the contract."""

from enum import IntEnum

from amaranth.hdl import signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import SOURCE_BITS
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import VALUE_BITS, Space
from plexor.protocol.registers import Block

TIME_BITS = 64
INDEX_BITS = 48
COUNT_BITS = 48
"""Of counts of events, drops and classes. At one a clock of 125 MHz they are full after 26 days."""
SPACE_ADDRESS_BITS = 20
"""Bits of a word address inside a memory space."""
SNAPSHOT_BITS = 16
READ_CLOCKS = 4
"""Core clocks from an address on a SpaceRead port to its data; one address a clock."""

PACE_CLOCKS = 5
"""Core clocks from one value to the next, at least, in a build without snapshots."""


def block_layout(block: Block) -> data.StructLayout:
    """Return the layout of one copy of a register block, each register with its declared bits."""
    return data.StructLayout(
        {
            register.name: signed(register.bits) if register.signed else register.bits
            for register in block.registers
        }
    )


class Event(data.StructLayout):
    """One edge of a source, in the merged stream.

    `index` counts the events before it, dropped ones included; `gap` says that edges were dropped
    just before it. With fewer `time_bits` the time is modulo 2**time_bits; with 0 bits there is no
    index.
    """

    def __init__(self, time_bits: int = TIME_BITS, index_bits: int = INDEX_BITS) -> None:
        super().__init__(
            {
                "time_ticks": time_bits,
                "source": SOURCE_BITS,
                "polarity": 1,
                "index": index_bits,
                "gap": 1,
            }
        )


class Beat(data.StructLayout):
    """What the matcher sees: an event, or (`is_event` low) only the news of the time.

    Every later event is at or after that time. `final` is the last beat of a run; its time is the
    tick after the run's last. The event has the bits that the build's features look at: the whole
    time for intervals, steps and events that are kept, the index for events that are kept.
    """

    LONG = Feature.INTERVALS | Feature.FALL
    KEPT = Feature.EXTREMES | Feature.RING

    def __init__(self, geometry: Geometry) -> None:
        kept = bool(geometry.features & self.KEPT)
        long = kept or bool(geometry.features & (self.LONG | Feature.SWEEP))
        event = Event(TIME_BITS if long else VALUE_BITS, INDEX_BITS if kept else 0)
        super().__init__({"event": event, "is_event": 1, "final": 1})


class Kind(IntEnum):
    """What a measured value is: the latency kinds, then those of intervals, in their order."""

    RISE = 0
    FALL = 1
    WIDTH = 2
    PERIOD = 3


class Measured(data.StructLayout):
    """One latency or interval on its way from the matcher to the results.

    `index` and `time_ticks` are those of the event that completed it, where extremes are kept.
    """

    def __init__(self, geometry: Geometry) -> None:
        kept = Feature.EXTREMES in geometry.features
        super().__init__(
            {
                "kind": Kind,
                "channel": max(geometry.key_bits, 1),
                "value_ticks": signed(VALUE_BITS),
                "index": INDEX_BITS if kept else 0,
                "time_ticks": TIME_BITS if kept else 0,
            }
        )


class Decision(data.StructLayout):
    """What the matcher decided of one channel in one clock: every bit that is set counts one.

    `strike` was seen, `missed` one of the outstanding or this one, `queue_full` this one for want
    of room; a response was `classed` as `response_class`, `early` if its strike came second.
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
                "early": 1 if Feature.EARLY in geometry.features else 0,
            }
        )


class SpaceRead(wiring.Signature):
    """Reads words of one memory space; `data` is of the `bank` and `address` READ_CLOCKS before.

    `some`, as late: the frame of that word may have others than zeros. The side with the memory
    sees `address` and `bank` as inputs. Reading never disturbs counting; the words of the bank that
    counts are not coherent.
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
    """What to dump: spaces by bit, of `bank` or of both, told to the host with these values."""

    spaces: len(Space)
    bank: 1
    both: 1
    snapshot: SNAPSHOT_BITS
    final: 1
    report: 1
