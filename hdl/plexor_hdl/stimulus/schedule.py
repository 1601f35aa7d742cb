# SPDX-License-Identifier: Apache-2.0
"""The schedule: due times that the last strike output strikes at."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import SCHEDULE_ENTRIES, TRIGGER_CLOCKS, Geometry
from plexor.protocol.registers import ENTRY_ID_BITS, ENTRY_NUMBER_BITS, STIMULUS, register
from plexor_hdl.capture.timebase import IDLE_CLOCKS, LOW_BITS, epoch_bits
from plexor_hdl.control.run import OUTPUT_CLOCKS
from plexor_hdl.interfaces import TIME_BITS
from plexor_hdl.lib.addresses import WORD_BITS
from plexor_hdl.lib.memory_reader import plain_memory
from plexor_hdl.lib.split_sum import CHUNK_BITS, added

ENTRY_BITS = (SCHEDULE_ENTRIES - 1).bit_length()
PLACE_BITS = 2
PHASE_BITS = register(STIMULUS.name, "phase_ticks").bits
AMOUNT_BITS = register("status", "schedule_refused").bits
ENTRY_PLACE, START_PLACE = 2, 3
"""Words of an entry: two of its due time, then its id and number. The fourth one of entries 0 and 1
is the start's."""
LOOK_BITS = 4
"""A look at an entry begins in a clock with these lowest bits of the timebase at 0."""
PARTS = TIME_BITS // CHUNK_BITS
"""Parts of a time, which are added one in each clock."""
ADDS_STEP = 3
NOW_STEP = ADDS_STEP - 1 + 2 * PARTS
JUDGE_STEP = ADDS_STEP + 3 * PARTS
WAIT_LOOKS = 2
TRIGGER_STEP = JUDGE_STEP + 24
TRIGGER_PLACE = TRIGGER_STEP % (1 << LOOK_BITS)
"""Clocks from the begin of a look to the first sum, to the time's lowest part, to the verdict, and
to the trigger: when TRIGGER_PLACE comes for the WAIT_LOOKS-th time, after the phase has stood for
24 clocks. All parts of the time are taken before the begin of the next look, so no carry is between
them."""
AHEAD_CLOCKS = TRIGGER_STEP - NOW_STEP + TRIGGER_CLOCKS + OUTPUT_CLOCKS
"""Clocks from the look at the time to phase 0 of the sequence."""
NEAR_BITS = IDLE_CLOCKS.bit_length() - 1
"""Bits of the clocks before a wrap of the timebase's low part in which no run starts: so the words
of its start belong together."""


class Schedule(wiring.Component):
    """Keeps due times, and triggers a stimulus with the phase that makes it strike at each.

    Entries are served in the order in which they were written, each when the one before has struck
    and its sequence is over. A due time that is past then, or less than DUE_CLOCKS clocks ahead, is
    counted in `past` and left. An entry leaves when its strike is in a clock of the run. So at each
    moment entries written = struck + `past` + `waiting` + `refused`.

    Latency: an entry is looked at within 2**LOOK_BITS + 4 clocks of its last word, or of `idle`.
    Throughput: one due time each DUE_CLOCKS clocks and the stimulus' own time.
    Reset: empty. `forget_stb` empties it too; a run does not.
    Wrap: none; due times count from the run's start, and `refused` and `past` end at their maximum.
    Full: an entry that comes while 2**ENTRY_BITS wait is refused and counted.
    Repeats: an entry whose number is not the next one's adds nothing and is not counted. A refused
        entry takes its number too.

    Ports:
        forget_stb: Empties the schedule and clears the counts; the next number is 0. Not in a run.
        write_stb: A word of the register block is written; a write each 8 clocks at most.
        write_place: Its place in the block.
        write_data: The word; it stands for 8 clocks.
        low: Of Timebase.
        epoch: Of Timebase.
        near_wrap: `low` is within 2**NEAR_BITS clocks of its wrap: no run must start. A clock late.
        capture: 1 in the clocks, at the pins, that belong to the run; the first one is its start.
        idle: The stimulus has no sequence.
        strike_stb: The stimulus strikes, a clock before the pins.
        due_stb: Triggers the stimulus.
        phase_ticks: The phase of that sequence; it stands from 24 clocks before `due_stb` until the
            strike.
        waiting: Entries inside.
        waits: There is one; a clock late.
        refused: Entries that found no room.
        past: Entries whose time was past or too near.
        last_id: The id of the last entry that struck.
        struck_stb: An entry has struck; `last_id` is its id.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._fine_bits = (geometry.samples - 1).bit_length()
        super().__init__(
            {
                "forget_stb": In(1),
                "write_stb": In(1),
                "write_place": In(PLACE_BITS),
                "write_data": In(WORD_BITS),
                "low": In(LOW_BITS),
                "epoch": In(epoch_bits(geometry)),
                "near_wrap": Out(1),
                "capture": In(1),
                "idle": In(1),
                "strike_stb": In(1),
                "due_stb": Out(1),
                "phase_ticks": Out(PHASE_BITS),
                "waiting": Out(ENTRY_BITS + 1),
                "waits": Out(1),
                "refused": Out(AMOUNT_BITS),
                "past": Out(AMOUNT_BITS),
                "last_id": Out(ENTRY_ID_BITS),
                "struck_stb": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.entries = entries = plain_memory(WORD_BITS, SCHEDULE_ENTRIES << PLACE_BITS)
        write, read = entries.write_port(), entries.read_port()
        head, tail = Signal(ENTRY_BITS), Signal(ENTRY_BITS)
        now = Cat(Const(0, self._fine_bits), self.low, self.epoch)
        captured, start_high, upper, half = Signal(), Signal(), Signal(), Signal(WORD_BITS)
        m.d.comb += half.eq(Mux(upper, now[WORD_BITS:TIME_BITS], now[:WORD_BITS]))
        m.d.sync += [
            captured.eq(self.capture),
            self.near_wrap.eq(self.low[NEAR_BITS:].all()),
        ]

        # The run's start has precedence. What the host writes stands much longer.
        start_low, pending, full, adds = Signal(), Signal(), Signal(), Signal()
        is_next, number = Signal(), Signal(ENTRY_NUMBER_BITS)
        m.d.comb += [
            start_low.eq(self.capture & ~captured),
            full.eq(self.waiting[ENTRY_BITS]),
            adds.eq(pending & is_next & (self.write_place == ENTRY_PLACE)),
        ]
        told = self.write_data[ENTRY_ID_BITS:][:ENTRY_NUMBER_BITS]
        m.d.sync += [
            write.en.eq(start_low | start_high | (pending & ~full)),
            write.addr.eq(Cat(self.write_place, tail)),
            write.data.eq(self.write_data),
            self.waits.eq(self.waiting.any()),
            start_high.eq(start_low),
            pending.eq(self.write_stb),
            is_next.eq(told == number),
        ]
        with m.If(start_low | start_high):
            m.d.comb += adds.eq(0)
            m.d.sync += [
                write.addr.eq(Cat(Const(START_PLACE, PLACE_BITS), start_high)),
                write.data.eq(half),
                pending.eq(pending | self.write_stb),
            ]

        flying, past_stb, struck = Signal(), Signal(), Signal()
        self._entry_id = entry_id = Signal(ENTRY_ID_BITS)
        self._look(m, read, head, half, start_high, upper, flying, past_stb)
        strikes = Signal()
        m.d.sync += strikes.eq(flying & self.strike_stb)
        m.d.comb += struck.eq(strikes & flying & self.capture)
        with m.If(struck | ~self.capture):
            m.d.sync += flying.eq(0)
        with m.Elif(self.due_stb):
            m.d.sync += flying.eq(1)

        # What counts does so a clock later; nothing looks at it sooner.
        added_stb, gone_stb, refused_stb, left_stb = (Signal() for _ in range(4))
        m.d.sync += [
            added_stb.eq(adds & ~full),
            gone_stb.eq(struck | past_stb),
            refused_stb.eq(adds & full),
            left_stb.eq(past_stb),
        ]
        with m.If(added_stb):
            m.d.sync += tail.eq(tail + 1)
        with m.If(added_stb | refused_stb):
            m.d.sync += number.eq(number + 1)
        with m.If(gone_stb):
            m.d.sync += head.eq(head + 1)
        with m.If(added_stb & ~gone_stb):
            m.d.sync += self.waiting.eq(self.waiting + 1)
        with m.Elif(gone_stb & ~added_stb):
            m.d.sync += self.waiting.eq(self.waiting - 1)
        for amount, more in ((self.refused, refused_stb), (self.past, left_stb)):
            with m.If(more & ~amount.all()):
                m.d.sync += amount.eq(amount + 1)
        m.d.sync += self.struck_stb.eq(struck)
        with m.If(struck):
            m.d.sync += self.last_id.eq(entry_id)
        with m.If(self.forget_stb & ~self.capture):
            counts = (self.waiting, self.refused, self.past, number)
            m.d.sync += [head.eq(tail), *(signal.eq(0) for signal in counts)]
        return m

    def _look(self, m: Module, read, head, half, start_high, upper, flying, past_stb):
        """Look at the next entry: whether it is past, or with which phase it triggers."""
        step, wait, place = Signal(JUDGE_STEP + 1), Signal(2), self.low[:LOOK_BITS]
        word, busy = Signal(WORD_BITS), Signal()
        m.d.comb += busy.eq(step.any() | wait.any() | flying)
        begins = place.all() & self.waits & self.idle & ~busy
        # Each word stands for two clocks: those of the due time, those of the start, then the id.
        m.d.comb += [
            read.addr.eq(Cat(step[2] | step[3], step[8], head)),
            upper.eq(start_high | step[NOW_STEP + 2] | step[NOW_STEP + 3]),
        ]
        with m.If(step[4:8].any()):
            m.d.comb += read.addr.eq(Cat(Const(START_PLACE, PLACE_BITS), step[6] | step[7]))
        m.d.sync += [word.eq(read.data), step.eq(Mux(self.capture, Cat(begins, step), 0))]
        with m.If(step[10]):
            m.d.sync += self._entry_id.eq(word)

        # A sum of 64 bits in parts, the lowest first, which change places in each clock:
        # due + start - now - the clocks that pass until the sequence begins.
        ticks, carry, other = Signal(TIME_BITS), Signal(), Signal(CHUNK_BITS)
        compares, odd, adds = Signal(), Signal(), Signal()
        total = added(ticks[:CHUNK_BITS], other, carry)
        both = Mux(compares, ~half, word)
        m.d.comb += [
            compares.eq(step[NOW_STEP : NOW_STEP + PARTS].any()),
            odd.eq(Cat(step[1::2]).any()),
        ]
        m.d.sync += [
            other.eq(Mux(odd, both[CHUNK_BITS:], both[:CHUNK_BITS])),
            adds.eq(step[ADDS_STEP - 1 : JUDGE_STEP - 1].any()),
            carry.eq(total[CHUNK_BITS]),
        ]
        # Of ~now + 1 the one comes as a carry.
        firsts = (ADDS_STEP + part * PARTS for part in range(3))
        with m.If(Cat(step[first - 1] for first in firsts).any()):
            m.d.sync += carry.eq(step[NOW_STEP])
        with m.If(step[:ADDS_STEP].any()):
            m.d.sync += ticks.eq((1 << TIME_BITS) - (AHEAD_CLOCKS << self._fine_bits))
        with m.Elif(adds):
            m.d.sync += ticks.eq(Cat(ticks[CHUNK_BITS:], total[:CHUNK_BITS]))
        ahead = ticks[PHASE_BITS:]
        m.d.comb += [
            self.phase_ticks.eq(ticks),
            past_stb.eq(step[JUDGE_STEP] & ticks[-1]),
            self.due_stb.eq((wait == 1) & (place == TRIGGER_PLACE)),
        ]
        # A time too far ahead for a phase is looked at again and again.
        with m.If(~self.capture):
            m.d.sync += wait.eq(0)
        with m.Elif(step[JUDGE_STEP] & ~ahead.any()):
            m.d.sync += wait.eq(WAIT_LOOKS)
        with m.Elif(place == TRIGGER_PLACE):
            m.d.sync += wait.eq(wait - wait.any())
