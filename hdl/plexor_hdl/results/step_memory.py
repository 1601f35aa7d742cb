# SPDX-License-Identifier: Apache-2.0
"""The memory of step records: stores the words that are not always 0, and reads records."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In

from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import CLASSES, STEP
from plexor_hdl.interfaces import READ_CLOCKS, SpaceRead
from plexor_hdl.lib.addresses import WORD_BITS
from plexor_hdl.lib.history import Line
from plexor_hdl.lib.memory_reader import plain_memory

RECORD_WORDS = STEP.size_bytes * 8 // WORD_BITS
RECORD_BITS = (RECORD_WORDS - 1).bit_length()
HALF_BITS = WORD_BITS // 2
COUNT_LOW, SUM_LOW, SUM_HIGH, SQUARES_LOW = 12, 13, 14, 15
"""Places behind the classes in the memory `main`, which begins with the CLASSES lower words and the
words of two upper halves each."""
SQUARES_MIDDLE, SQUARES_HIGH, LEAST, GREATEST = range(4)
"""Places in the memory `side`."""
FIELDS = tuple(field.name for field in STEP.fields)


def _places(places: dict[int, int]) -> tuple[int, ...]:
    """Return the place of each word of a record, 0 for words without one."""
    return tuple(places.get(word, 0) for word in range(RECORD_WORDS))


def _word(name: str, half: int) -> int:
    return 2 * FIELDS.index(name) + half


MAIN_PLACES = _places(
    {
        **{2 * kind: kind for kind in range(CLASSES)},
        **{2 * kind + 1: CLASSES + kind // 2 for kind in range(CLASSES)},
        _word("count", 0): COUNT_LOW,
        _word("sum_ticks", 0): SUM_LOW,
        _word("sum_ticks", 1): SUM_HIGH,
        _word("sum_sq_low_ticks2", 0): SQUARES_LOW,
    }
)
SIDE_PLACES = _places(
    {
        _word("sum_sq_low_ticks2", 1): SQUARES_MIDDLE,
        _word("sum_sq_high_ticks2", 0): SQUARES_HIGH,
        **{_word("min_ticks", half): LEAST for half in range(2)},
        **{_word("max_ticks", half): GREATEST for half in range(2)},
    }
)


class StepPlace(data.StructLayout):
    """Destination of a record's word: its place in the memory, and the record's channel."""

    def __init__(self, place_bits: int, channel_bits: int) -> None:
        super().__init__({"place": place_bits, "channel": channel_bits})


class StepMemory(wiring.Component):
    """Keeps the records of steps in three memories, and reads them as Space.STEPS.

    A record has 16 words in `main` and 4 in `side`. In `rest` it has one: the upper half of the
    count below that of the outstanding strikes. The time, which all records of a step share, is in
    `rest` too. Words are written into the records of `step`.

    Latency: a word is written a clock after it came; READ_CLOCKS (4) from an address to its word.
    Throughput: a word for each memory, and a read, in each clock.
    Reset: the memories keep their words; what is read depends on `step` alone, which is not kept
        here.
    Wrap: none; it counts nothing.
    Full: never; there is a record for each of `table_steps` steps and each channel.

    Ports:
        step: Step whose records are written; from it on everything reads 0.
        main_valid: 1 if `main_word` is written.
        main: Place and channel of the word.
        main_word: A word of `main`.
        side_valid: 1 if `side_word` is written.
        side: Place and channel of the word.
        side_word: A word of `side`.
        rest_valid: 1 if `rest_word` is written.
        is_time: 1 if `rest_word` is half of the time, by the lower bit of the place.
        rest: Place and channel of the word.
        rest_word: A word of `rest`.
        read: Reads Space.STEPS; bank 1 reads 0.
    """

    def __init__(self, geometry: Geometry) -> None:
        if FIELDS[CLASSES:] != (
            *("count", "sum_ticks", "sum_sq_low_ticks2", "sum_sq_high_ticks2"),
            *("min_ticks", "max_ticks", "pending", "end_ticks"),
        ):
            raise ValueError("plexor.protocol.memory: not the records that are kept here")
        self._key_bits = geometry.key_bits
        self._steps = geometry.table_steps
        channel_bits = max(geometry.key_bits, 1)
        super().__init__(
            {
                "step": In(range(geometry.table_steps + 1)),
                "main_valid": In(1),
                "main": In(StepPlace(4, channel_bits)),
                "main_word": In(WORD_BITS),
                "side_valid": In(1),
                "side": In(StepPlace(2, channel_bits)),
                "side_word": In(WORD_BITS),
                "rest_valid": In(1),
                "is_time": In(1),
                "rest": In(StepPlace(1, channel_bits)),
                "rest_word": In(WORD_BITS),
                "read": In(SpaceRead()),
            }
        )

    def elaborate(self, platform):
        m = Module()
        keys, step_bits = self._key_bits, (self._steps - 1).bit_length()
        records = self._steps << keys
        step = self.step[:step_bits]
        address = self.read.address
        number, record = address[:RECORD_BITS], address[RECORD_BITS:][: keys + step_bits]

        def of_record(port):
            return Cat(port.channel[:keys], step)

        # The upper half has at least one row for each record, and holds two rows of time a step.
        half_bits = step_bits + max(keys, 1)
        time_row = Cat(self.rest.place, step, Const(0, half_bits - 1 - step_bits), Const(1, 1))
        rest_row = Cat(of_record(self.rest), Const(0, half_bits + 1 - keys - step_bits))
        is_time = number[1:].all()
        memories = {
            "main": (16 * records, self.main_valid, Cat(self.main.place, of_record(self.main))),
            "side": (4 * records, self.side_valid, Cat(self.side.place, of_record(self.side))),
            "rest": (2 << half_bits, self.rest_valid, Mux(self.is_time, time_row, rest_row)),
        }
        read_time = Cat(number[0], record[keys:], Const(0, half_bits - 1 - step_bits), Const(1, 1))
        reads = {
            "main": Cat(Array(Const(place, 4) for place in MAIN_PLACES)[number], record),
            "side": Cat(Array(Const(place, 2) for place in SIDE_PLACES)[number], record),
            "rest": Mux(is_time, read_time, Cat(record, Const(0, half_bits + 1 - len(record)))),
        }
        words = {}
        for name, (depth, valid, row) in memories.items():
            m.submodules[name] = memory = plain_memory(WORD_BITS, depth, ram_style="block")
            write, read = memory.write_port(), memory.read_port()
            at, words[name] = Signal.like(read.addr), Signal(WORD_BITS, name=f"{name}_read")
            # The memories have many blocks, far from their writers.
            m.d.sync += [
                write.en.eq(valid),
                write.addr.eq(row),
                write.data.eq(getattr(self, f"{name}_word")),
            ]
            m.d.comb += read.addr.eq(at)
            m.d.sync += [at.eq(reads[name]), words[name].eq(read.data)]
        self._choose(m, number, address, words)
        return m

    def _choose(self, m, number, address, words) -> None:
        """Select the requested word from the memories' words."""
        past = address >> RECORD_BITS + self._key_bits >= self.step
        there = Line(m, ~past & ~self.read.bank, "there")
        m.d.comb += self.read.some.eq(there[1])
        is_class = ~number[-1]

        def at(name: str, half: int):
            return number == _word(name, half)

        upper = is_class & number[0]
        main, side, rest = words["main"], words["side"], words["rest"]
        sign = side[-1].replicate(WORD_BITS)
        whole = at("count", 0) | at("sum_ticks", 0) | at("sum_ticks", 1)
        ways = {
            "main": (main, (is_class & ~number[0]) | whole | at("sum_sq_low_ticks2", 0)),
            "low": (main[:HALF_BITS], upper & ~number[1]),
            "high": (main[HALF_BITS:], upper & number[1]),
            "side": (
                side,
                at("sum_sq_low_ticks2", 1)
                | at("sum_sq_high_ticks2", 0)
                | at("min_ticks", 0)
                | at("max_ticks", 0),
            ),
            "sign": (sign, at("min_ticks", 1) | at("max_ticks", 1)),
            "count": (rest[:HALF_BITS], at("count", 1)),
            "pending": (rest[HALF_BITS:], at("pending", 0)),
            "time": (rest, at("end_ticks", 0) | at("end_ticks", 1)),
        }
        chosen = 0
        for name, (word, way) in ways.items():
            wanted = Line(m, way, f"way_{name}")[READ_CLOCKS - 2]
            here = Signal(name=f"here_{name}")
            m.d.sync += here.eq(wanted & there[READ_CLOCKS - 2])
            chosen |= Mux(here, word, 0)
        m.d.sync += self.read.data.eq(chosen)
