# SPDX-License-Identifier: Apache-2.0
"""The code port: finds the codes that a device shows on some of its pins."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import CODE_BITS, SKEW_BITS
from plexor.protocol.registers import CODE, CodeMode
from plexor_hdl.interfaces import block_layout

MOST_SETTLE_CLOCKS = 8
PORT_CLOCKS = 3
"""Clocks from a level at a pin to the code that it begins."""
PORT_TRIGGER_CLOCKS = PORT_CLOCKS + 2
"""Clocks from there to `trigger_stb`, besides the time to settle."""


class CodeValue(data.StructLayout):
    """The value of a code, as its event carries it."""

    def __init__(self) -> None:
        super().__init__({"code": CODE_BITS, "skew_clocks": SKEW_BITS, "torn": 1})


class CodePort(wiring.Component):
    """Finds the codes on the port's pins, and the value of each.

    With CHANGE a code begins in the clock in which a pin of the port first differs. Its value is
    what the port shows `settle_clocks` later; changes until then belong to it. A code is torn if

    - a pin changes more than `skew_clocks` after the first one, until the value is taken;
    - a pin changes twice until then;
    - the port changes in the clock in which the value is taken and in the one after, which begins
      another code;
    - it begins `skew_clocks` or less after the last change of a code torn by one of the first two,
      or by this: what begins it may be a late pin of a code that has no beginning of its own.

    So codes whose pins change within `skew_clocks`, and that are further apart, have the right
    value and time or are torn. Codes closer than that, without a pin in common, are taken for one.

    With STROBED a code begins with the first rising edge of `strobe` in a word. Its value is what
    the port shows in the next clock; it is torn if the word has another rising edge, or if the port
    changes in the clock after. Pins outside the mask read 0.

    Latency: PORT_CLOCKS clocks from `pins` to `o_begin`, 1 from `strobe`; `o_value` comes
        `settle_clocks` + 1 clocks behind `o_begin` with CHANGE, 2 with STROBED, and
        `trigger_stb` in the clock after.
    Throughput: with CHANGE a code each `settle_clocks` + 1 clocks, with STROBED one each clock.
    Reset: off; no code.
    Wrap: none; it holds no time and no count.
    Full: never; it has no back-pressure, and the next stage must take each code.

    Ports:
        pins: Levels of the code pins, of any clock.
        strobe: The strobe channel's samples of the clock that is PORT_CLOCKS - 1 clocks after that
            of `pins`, oldest lowest, its active level high.
        settings: The registers of the block `code`.
        o_begin: The ticks, at most one, in which a code begins.
        begin_stb: A code begins.
        o_value: Strobes once for each code, in the order of their beginnings.
        value: The code's value, with `o_value`.
        trigger_stb: The code is `trigger_code`, and is not torn.
    """

    def __init__(self, bits: int, samples: int) -> None:
        self._bits, self._samples = bits, samples
        super().__init__(
            {
                "pins": In(bits),
                "strobe": In(samples),
                "settings": In(block_layout(CODE)),
                "o_begin": Out(samples),
                "begin_stb": Out(1),
                "o_value": Out(1),
                "value": Out(CodeValue()),
                "trigger_stb": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        first, now, before = (Signal(self._bits, name=name) for name in ("first", "now", "before"))
        m.d.sync += [first.eq(self.pins), now.eq(first & self.settings.mask), before.eq(now)]
        changes = Signal(self._bits)
        m.d.comb += changes.eq(now ^ before)
        changing = self.settings.mode == CodeMode.CHANGE
        strobed = self.settings.mode == CodeMode.STROBED
        self._change(m, changing, changes, now)
        self._strobe(m, strobed, changes, now)
        asked = self.value.code[: self._bits] == self.settings.trigger_code[: self._bits]
        m.d.sync += self.trigger_stb.eq(self.o_value & asked & ~self.value.torn)
        return m

    def _change(self, m: Module, on, changes, now) -> None:
        """Begin a code at a change, and take its value once the port has settled."""
        left, age = Signal(range(MOST_SETTLE_CLOCKS + 1)), Signal(range(MOST_SETTLE_CLOCKS + 2))
        since, skew = Signal(range(MOST_SETTLE_CLOCKS + 2)), self.settings.skew_clocks
        changed, torn = Signal(self._bits), Signal()
        value, taken, late = Signal(CodeValue()), Signal(), Signal()
        settle = Signal.like(left)
        some = changes.any()
        m.d.comb += settle.eq(
            Mux(
                self.settings.settle_clocks > MOST_SETTLE_CLOCKS,
                MOST_SETTLE_CLOCKS,
                Mux(self.settings.settle_clocks.any(), self.settings.settle_clocks, 1),
            )
        )
        m.d.sync += [self.o_begin.eq(0), self.begin_stb.eq(0), taken.eq(0)]
        m.d.sync += since.eq(Mux(some, 1, since + (since <= MOST_SETTLE_CLOCKS)))
        with m.If(left.any()):
            m.d.sync += [
                left.eq(left - 1),
                age.eq(age + 1),
                changed.eq(changed | changes),
                torn.eq(torn | (changed & changes).any() | (some & (age > skew))),
            ]
            with m.If(some):
                m.d.sync += value.skew_clocks.eq(age)
            with m.If(left == 1):
                m.d.sync += [taken.eq(1), late.eq(some), value.code.eq(now)]
        with m.Elif(on & some):
            m.d.sync += [
                left.eq(settle),
                age.eq(1),
                changed.eq(changes),
                torn.eq(torn & (since <= skew)),
                value.skew_clocks.eq(0),
                *(self.o_begin.eq(1), self.begin_stb.eq(1)),
            ]
        m.d.sync += self.o_value.eq(taken)
        m.d.sync += self.value.eq(value)
        m.d.sync += self.value.torn.eq(torn | (late & some))

    def _strobe(self, m: Module, on, changes, now) -> None:
        """Begin a code at a strobe, and take its value in the clock after."""
        last, struck, several = Signal(), Signal(2), Signal(2)
        rises = Signal(self._samples)
        m.d.comb += rises.eq(self.strobe & ~Cat(last, self.strobe)[: self._samples])
        m.d.sync += last.eq(self.strobe[-1])
        lowest = Cat(bit & ~rises[:place].any() for place, bit in enumerate(rises))
        more = (rises & ~lowest).any()
        code = Signal(CODE_BITS)
        m.d.sync += [
            struck.eq(Cat(on & rises.any(), struck)),
            several.eq(Cat(more, several)),
            code.eq(now),
        ]
        with m.If(on):
            m.d.sync += [
                self.o_begin.eq(lowest),
                self.begin_stb.eq(rises.any()),
                self.o_value.eq(struck[1]),
                self.value.code.eq(code),
                self.value.skew_clocks.eq(0),
                self.value.torn.eq(several[1] | changes.any()),
            ]
