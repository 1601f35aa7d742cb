# SPDX-License-Identifier: Apache-2.0
"""A block RAM of the ECP5 as its guide describes it: what the model in Verilog is held against.

Lattice FPGA-TN-02204, ECP5 and ECP5-5G memory usage guide. Written as a table of addresses and a
list of rules, bit by bit.
"""

from __future__ import annotations

from dataclasses import dataclass, field

# Widths of a port: how many addresses, and the address pins behind which they begin. (Memory
# configurations of a block: 16,384 x 1, 8,192 x 2, 4,096 x 4, 2,048 x 9, 1,024 x 18, 512 x 36.)
SHAPES = {1: (16384, 0), 2: (8192, 1), 4: (4096, 2), 9: (2048, 3), 18: (1024, 4), 36: (512, 5)}
BITS = 18432
BYTE = 9
ROW_BITS, ROW_WORDS, WORD_BITS, SLOT_BITS = 320, 16, 18, 20


@dataclass(frozen=True)
class Config:
    """Parameters of DP16KD."""

    width_a: int = 18
    width_b: int = 18
    regmode_a: str = "NOREG"
    regmode_b: str = "NOREG"
    writemode_a: str = "NORMAL"
    writemode_b: str = "NORMAL"
    resetmode: str = "SYNC"
    release: str = "SYNC"
    csdecode_a: int = 0
    csdecode_b: int = 0

    @property
    def whole(self) -> bool:
        """Whether the data pins of both ports make one of 36 bits: A writes and B reads."""
        return self.width_a == 36


@dataclass(frozen=True)
class Pins:
    """A port's inputs at a clock."""

    ad: int
    di: int
    ce: int
    oce: int
    we: int
    rst: int
    cs: int


def places(width: int, ad: int) -> list[int]:
    """Return where in a row of bytes of 9 bits the bits are that a port's address names.

    A port of 1, 2 or 4 bits has no ninth bits of bytes: those are of the wider ones.
    """
    _, unused = SHAPES[width]
    number = ad >> unused
    if width >= BYTE:
        return [number * width + bit for bit in range(width)]
    first = number * width
    return [first // 8 * BYTE + first % 8 + bit for bit in range(width)]


def enabled(width: int, ad: int, bit: int) -> bool:
    """Return whether a write changes a bit: wide ports have byte enables at their lowest pins."""
    return width < 18 or bool(ad >> bit // BYTE & 1)


@dataclass
class Output:
    """What a port shows: `found` behind the memory, `kept` behind the output register."""

    found: list[int]
    kept: list[int]
    known: list[bool]
    kept_known: list[bool]
    held: bool = False


@dataclass
class Memory:
    """The memory, clock by clock."""

    config: Config
    rows: list[int]
    bits: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        for row in self.rows:
            for word in range(ROW_WORDS):
                value = row >> SLOT_BITS * word
                self.bits += [value >> bit & 1 for bit in range(WORD_BITS)]
        assert len(self.bits) == BITS
        self.outputs = [Output([0] * 36, [0] * 36, [True] * 36, [True] * 36) for _ in "AB"]

    def _reset(self, port: Output, rst: int, at_clock: bool) -> bool:
        """Return whether a port's outputs are held at zero: RST affects nothing else (RESETMODE).

        With a synchronous release (ASYNC_RESET_RELEASE) that lasts over the next clock.
        """
        if self.config.resetmode == "SYNC":
            return at_clock and bool(rst)
        if rst:
            port.held = self.config.release == "SYNC"
        elif at_clock and port.held:
            port.held = False
            return True
        return bool(rst) or port.held

    def clock(self, a: Pins, b: Pins) -> None:
        """Take a rise of the clock, with the reset as it was since the last one."""
        config = self.config
        widths = (config.width_a, config.width_b)
        modes = (config.writemode_a, config.writemode_b)
        decodes = (config.csdecode_a, config.csdecode_b)
        before = list(self.bits)
        writes: list[dict[int, int]] = [{}, {}]
        active = []
        for side, pins in enumerate((a, b)):
            blocked = config.resetmode == "SYNC" and pins.rst
            active.append(bool(pins.ce and pins.cs == decodes[side] and not blocked))
            if active[side] and pins.we:
                # The data pins of B are those above A's where the word is whole.
                data = pins.di | b.di << 18 if config.whole and side == 0 else pins.di
                writes[side] = {
                    place: data >> bit & 1
                    for bit, place in enumerate(places(widths[side], pins.ad))
                    if enabled(widths[side], pins.ad, bit)
                }
        for side, pins in enumerate((a, b)):
            port, others = self.outputs[side], writes[1 - side]
            reset = self._reset(port, pins.rst, at_clock=True)
            if reset:
                port.kept, port.kept_known = [0] * 36, [True] * 36
            elif pins.oce:
                port.kept, port.kept_known = list(port.found), list(port.known)
            if reset:
                port.found, port.known = [0] * 36, [True] * 36
                continue
            writing = pins.we
            if not active[side] or (writing and modes[side] == "NORMAL"):
                continue
            through = writing and modes[side] == "WRITETHROUGH"
            found, known = [0] * 36, [True] * 36
            for bit, place in enumerate(places(widths[side], pins.ad)):
                own = writes[side].get(place, before[place]) if through else before[place]
                # To read what the other port writes at that clock: unknown, here the inverse.
                unknown = place in others
                found[bit] = own ^ (unknown and not through)
                known[bit] = not (unknown and through)
            port.found, port.known = found, known
        for place, value in (writes[1] | writes[0]).items():
            # What both write: unknown, here the inverse of what A does.
            self.bits[place] = value ^ (place in writes[0] and place in writes[1])

    def reset(self, a: Pins, b: Pins) -> None:
        """Take the levels of RST between clocks."""
        for port, pins in zip(self.outputs, (a, b), strict=True):
            if self.config.resetmode == "ASYNC" and self._reset(port, pins.rst, at_clock=False):
                port.found, port.kept = [0] * 36, [0] * 36
                port.known, port.kept_known = [True] * 36, [True] * 36

    def read(self) -> list[tuple[int, int]]:
        """Return what DOA and DOB show, each with a mask of the bits that are known."""
        shown = []
        for port, mode in zip(
            self.outputs, (self.config.regmode_a, self.config.regmode_b), strict=True
        ):
            levels, known = (
                (port.kept, port.kept_known) if mode == "OUTREG" else (port.found, port.known)
            )
            shown.append(
                (
                    sum(level << bit for bit, level in enumerate(levels)),
                    sum(bit << number for number, bit in enumerate(known)),
                )
            )
        if self.config.width_b == 36:
            # Its lower half is at the data pins of A.
            (value, known), low = shown[1], (1 << 18) - 1
            return [(value & low, known & low), (value >> 18, known >> 18)]
        (value_a, known_a), (value_b, known_b) = shown
        low = (1 << 18) - 1
        # Of A nothing is read where it writes whole words.
        return [
            (value_a & low, 0 if self.config.whole else known_a & low),
            (value_b & low, known_b & low),
        ]
