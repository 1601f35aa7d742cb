# SPDX-License-Identifier: Apache-2.0
"""The sweep table: sets stimulus 0 for each step, and decides when the next step begins."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import STEP_CLOCKS, Geometry
from plexor.protocol.registers import CONTROL, STEP, STIMULUS, register
from plexor_hdl.control.run import START_CLOCKS
from plexor_hdl.interfaces import block_layout
from plexor_hdl.lib.addresses import WORD_BITS, words_of
from plexor_hdl.lib.history import Line
from plexor_hdl.lib.memory_reader import plain_memory

STEP_BITS = (STEP.count - 1).bit_length()
PLACE_BITS = (STEP.stride_words - 1).bit_length()
OWN = ("interval_ticks", "interval_fraction", "width_ticks", "strike_count")
"""Registers of stimulus 0 that steps replace, with the same widths."""


class StepTable(wiring.Component):
    """Gives stimulus 0 the values of one step of the sweep table after the other.

    docs/instrument.md, "Sweep table", says what steps do. Without a step count stimulus 0 has its
    own registers. Step 0 counts from `clear` on, the next one from each `step_stb` on.

    Latency: `config` has stood for 24 clocks LOAD_CLOCKS after `clear` or `step_stb`. Phase 0 is at
        the pins STEP_CLOCKS after the first clock with `between`.
    Throughput: one step each STEP_CLOCKS clocks at most.
    Reset: no step; `level` is low. The table is 0 at configuration, and keeps its words.
    Wrap: none; `more` is low at the last step.
    Full: more steps than the table has act as all of them.

    Ports:
        clear: Begins a run: step 0, level low.
        control: The registers of a run; `step_count` and `settle_ticks` count here.
        write_stb: Writes a word of the table; not from `clear` to the end of a run.
        write_place: The word's place among all steps' words.
        write_data: The word.
        stimulus: The registers of stimulus 0.
        config: The same, but for what a step sets.
        settle_ticks: The ticks to wait after the last strike: a step's guard, else that of
            `control`.
        on: There is a step count; a clock late.
        more: A step follows the one that runs.
        step_stb: Ends a step.
        level: The step source: toggles in the clock after `step_stb`.
        between: From the clock after `step_stb` until phase 0 of the next step is at the pins.
        restart_stb: Starts stimulus 0 anew.
        loading: After `clear`, until step 0 counts and has stood for 24 clocks.
    """

    LOAD_CLOCKS = 48
    """Clocks from `clear`, enough to load a step's words and for what depends on them."""

    def __init__(self, geometry: Geometry) -> None:
        self._steps = geometry.table_steps
        super().__init__(
            {
                "clear": In(1),
                "control": In(block_layout(CONTROL)),
                "write_stb": In(1),
                "write_place": In(STEP_BITS + PLACE_BITS),
                "write_data": In(WORD_BITS),
                "stimulus": In(block_layout(STIMULUS)),
                "config": Out(block_layout(STIMULUS)),
                "settle_ticks": Out(register(CONTROL.name, "settle_ticks").bits),
                "on": Out(1),
                "more": Out(1),
                "step_stb": In(1),
                "level": Out(1),
                "between": Out(1),
                "restart_stb": Out(1),
                "loading": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.words = words = plain_memory(WORD_BITS, self._steps * STEP.stride_words)
        write, read = words.write_port(), words.read_port()
        step = Signal(range(self._steps))
        count = self.control.step_count
        # A word goes from the memory into a register first, then into its target.
        word, place = Signal(WORD_BITS), Signal(PLACE_BITS)
        come, reading = Line(m, place, "come"), Signal()
        there = Line(m, reading, "there")
        wait, wait_load = Signal(range(STEP_CLOCKS + 1)), Signal(range(self.LOAD_CLOCKS + 1))
        last = Signal()
        m.d.comb += [
            write.en.eq(self.write_stb),
            write.addr.eq(self.write_place),
            write.data.eq(self.write_data),
            read.addr.eq(Cat(place, step)),
            self.loading.eq(wait_load.any()),
        ]
        m.d.sync += [
            self.on.eq(count.any()),
            self.more.eq((step + 1 < count) & ~step.all()),
            place.eq(place + reading),
            reading.eq((reading & ~place.all()) | self.clear | self.step_stb),
            word.eq(read.data),
            wait.eq(wait - self.between),
            last.eq(wait == 2),
            self.between.eq(self.between & ~last),
            wait_load.eq(wait_load - wait_load.any()),
            self.restart_stb.eq(wait == START_CLOCKS + 1),
        ]
        with m.If(self.step_stb):
            m.d.sync += [
                wait.eq(STEP_CLOCKS),
                self.between.eq(1),
                step.eq(step + 1),
                self.level.eq(~self.level),
            ]
        with m.If(self.clear):
            m.d.sync += [
                wait.eq(0),
                self.between.eq(0),
                wait_load.eq(self.LOAD_CLOCKS),
                step.eq(0),
                self.level.eq(0),
            ]

        values = Signal(block_layout(STEP))
        for number, which in enumerate(words_of(STEP)):
            start = which.number * WORD_BITS
            target = values[which.register.name]
            with m.If(there[2] & (come[2] == number)):
                m.d.sync += target[start : start + which.bits].eq(word[: which.bits])
        m.d.comb += [
            *(
                self.config[name].eq(self.stimulus[name])
                for name in self.config.shape().members
                if name not in OWN
            ),
            self.settle_ticks.eq(Mux(self.on, values.guard_ticks, self.control.settle_ticks)),
        ]
        m.d.sync += [
            self.config[name].eq(Mux(self.on, values[name], self.stimulus[name])) for name in OWN
        ]
        return m
