"""One strike output: from its registers and triggers to the samples of its pin."""

from amaranth.hdl import Array, Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import TRIGGER_CLOCKS, Geometry
from plexor.protocol.registers import STIMULUS, Trigger
from plexor_hdl.interfaces import block_layout
from plexor_hdl.painter import PAINT_CLOCKS, Painter
from plexor_hdl.scheduler import START_CLOCKS, Scheduler
from plexor_hdl.skip import SKIP_BITS, least

QUIET_CLOCKS = 2
"""Clocks without a sequence before `done`: a stimulus this one triggers is under way first."""


class Stimulus(wiring.Component):
    """One strike output's engine; docs/instrument.md, section Stimulus, says what it draws.

    A trigger in a cycle (`start_stb`, the source's bit of `strikes`, the rise of `gate`) makes bit
    0 of the word TRIGGER_CLOCKS later phase 0. A sequence runs from its trigger to the clock in
    which its last pulse ends; triggers up to that clock are ignored. A gate high at `start_stb`
    rises then. The fall of `gate` leaves no start in words from TRIGGER_CLOCKS later on, `stop`
    none from 3 clocks later on. Each sequence begins its random numbers and its fraction anew.

    `strike_stb` goes with `word`. `done`: no strike will start, unless triggered; it rises
    QUIET_CLOCKS or more after the word in which the last pulse ends, and falls the cycle after a
    trigger. `start_stb` resets everything, also in the midst of a pulse. `config` must have stood
    still for 24 clocks before it. One word a clock; intervals down to W. Reset: idle, done.
    """

    def __init__(self, geometry: Geometry, number: int) -> None:
        if not 0 <= number < geometry.strikes:
            raise ValueError(f"number: {number}; must be 0 to {geometry.strikes - 1}")
        self.geometry = geometry
        self.number = number
        super().__init__(
            {
                "config": In(block_layout(STIMULUS)),
                "start_stb": In(1),
                "stop": In(1),
                "strikes": In(geometry.strikes),
                "gate": In(1),
                "word": Out(geometry.samples),
                "strike_stb": Out(1),
                "done": Out(1, init=1),
                "skip": In(SKIP_BITS),
                "room": Out(SKIP_BITS),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        if TRIGGER_CLOCKS != 1 + START_CLOCKS + PAINT_CLOCKS:
            raise ValueError(f"TRIGGER_CLOCKS: {TRIGGER_CLOCKS}; the stages take another number")
        m.submodules.scheduler = scheduler = Scheduler(self.geometry)
        m.submodules.painter = painter = Painter(self.geometry)

        config = self.config
        gated = config.trigger == Trigger.GATE
        armed, alive, go = Signal(), Signal(), Signal()
        gate_r = Signal()
        busy, triggered = Signal(), Signal()
        sources = Array(
            self.strikes[number] if number < len(self.strikes) else 0
            for number in range(1 << len(config.trigger_source))
        )
        m.d.comb += busy.eq(go | alive | scheduler.pending | painter.pending)
        with m.Switch(config.trigger):
            with m.Case(Trigger.RUN):
                m.d.comb += triggered.eq(self.start_stb)
            with m.Case(Trigger.STRIKE):
                m.d.comb += triggered.eq(
                    sources[config.trigger_source] & armed & ~busy & ~self.start_stb
                )
            with m.Case(Trigger.GATE):
                m.d.comb += triggered.eq(self.gate & (self.start_stb | (armed & ~gate_r & ~busy)))
        begin = Signal()
        m.d.comb += begin.eq(triggered & config.enable & ~self.stop)
        m.d.sync += [
            gate_r.eq(self.gate),
            armed.eq((armed | self.start_stb) & ~self.stop),
            go.eq(begin),
            alive.eq(
                (go | alive) & ~self.start_stb & ~self.stop & ~painter.spent & ~(gated & ~gate_r)
            ),
        ]

        clear, spent_r = Signal(), Signal()
        m.d.sync += spent_r.eq(painter.spent)
        m.d.comb += [
            clear.eq(self.start_stb),
            scheduler.config.eq(config),
            scheduler.go.eq(go),
            scheduler.alive.eq(alive),
            scheduler.clear.eq(clear),
            scheduler.flush.eq(clear | spent_r),
            painter.config.eq(config),
            painter.load.eq(go),
            painter.clear.eq(clear),
            painter.stop.eq(self.stop),
            painter.starts.eq(scheduler.starts),
            self.word.eq(painter.word),
            scheduler.skip.eq(self.skip),
            painter.skip.eq(self.skip),
            self.room.eq(least([scheduler.room, painter.room])),
            self.strike_stb.eq(painter.strike_stb),
        ]

        quiet = Signal(QUIET_CLOCKS)
        with m.If(busy | begin | self.start_stb):
            m.d.sync += quiet.eq(0)
        with m.Else():
            m.d.sync += quiet.eq(Cat(1, quiet))
        with m.If(begin):
            m.d.sync += self.done.eq(0)
        with m.Elif(self.start_stb | (quiet.all() & ~busy)):
            m.d.sync += self.done.eq(1)
        return m
