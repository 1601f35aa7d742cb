# SPDX-License-Identifier: Apache-2.0
"""Values that a device sent in parts, put together. Pure.

`PLEXOR_VALUE` of plexor_trace.h sends 32 bits, as many in a code as an id has, the lowest first.
The parts have two classes in turns, so that equal parts are seen. Codes of other classes may come
between them. No part says that it is the first, so nothing is guessed behind a missing one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from plexor.figures.codes.names import PARTS
from plexor.figures.codes.stream import PlainCode, plain_codes
from plexor.model.code_array import CodeArray
from plexor.protocol.codes import CLASS_BITS, CodeClass

VALUE_BITS = 32
_OWN = CodeClass.ENTER
"""From this class on, a code is the program's own, and none of the kernel's or an interrupt's."""


class SentValue(NamedTuple):
    """A value, and the time of its first part."""

    time_ticks: int
    value: int


@dataclass(slots=True)
class ValueParts:
    """Puts the parts of values together, of `id_bits` each.

    After a missing or doubtful code, or a part out of turn, parts are left out until another code
    of the program's own, such as a function's or a state's.
    """

    id_bits: int
    value: int = 0
    parts: int = 0
    first_ticks: int = 0
    doubted: bool = False

    def take(self, code: PlainCode) -> SentValue | None:
        """Take the next code; return the value that is complete with it."""
        if code.gap or code.torn:
            self._restart(doubted=True)
        if code.torn:
            return None
        if code.code_class not in PARTS:
            if self.doubted and code.code_class >= _OWN:
                self._restart(doubted=False)
            return None
        if PARTS.index(CodeClass(code.code_class)) != self.parts % len(PARTS):
            self._restart(doubted=True)
        if self.doubted:
            return None
        if not self.parts:
            self.first_ticks = code.time_ticks
        self.value |= code.number << self.parts * self.id_bits
        self.parts += 1
        if self.parts * self.id_bits < VALUE_BITS:
            return None
        complete = SentValue(self.first_ticks, self.value & ((1 << VALUE_BITS) - 1))
        self._restart(doubted=False)
        return complete

    def _restart(self, *, doubted: bool) -> None:
        self.value = self.parts = 0
        self.doubted = doubted


def values_of(codes: CodeArray, bits: int) -> tuple[SentValue, ...]:
    """Return the values in codes (CODE_DTYPE) of `bits` bits."""
    parts = ValueParts(bits - CLASS_BITS)
    taken = map(parts.take, plain_codes(codes, bits))
    return tuple(value for value in taken if value is not None)
