# SPDX-License-Identifier: Apache-2.0
"""The codes of a suite's firmware as samples: each operation's time, and what ran meanwhile. Pure.

One code begins an operation, another ends it. Nothing is guessed: an operation that is open at a
gap is dropped. A begin without an end, and an end without a begin, are counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from plexor.library.parts.results import (
    CLASS_BITS,
    PARTS,
    CodeArray,
    CodeClass,
    PlainCode,
    ValueParts,
    plain_codes,
)
from plexor_lab.bench.suites import (
    CLASS_BEGIN,
    CLASS_END,
    FURTHER,
    STATE_BEGIN,
    STATE_DONE,
    STATE_REPORT,
)


@dataclass(frozen=True, slots=True)
class Announced:
    """What the firmware announces before its tests."""

    suite: int
    iterations: int
    """Samples of each test that it takes at least."""
    looped: int
    """Operations in a sample of a loop."""
    clock_hz: int
    """Cycles of its own counter in a second, as it believes."""
    counts_itself: bool
    """Whether it sends the cycles of each sample."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One operation, or one loop of them."""

    test: int
    begin_ticks: int
    end_ticks: int
    between: tuple[PlainCode, ...] = ()
    """The codes between its begin and its end."""
    own_cycles: int | None = None
    """The firmware's own count; None if it sent none."""

    @property
    def ticks(self) -> int:
        """Time between its two codes."""
        return self.end_ticks - self.begin_ticks


@dataclass(frozen=True, slots=True)
class PassSamples:
    """The samples of one pass of a suite."""

    announced: Announced | None
    """None if the device announced nothing: it may not be a suite's firmware."""
    samples: dict[int, tuple[Sample, ...]]
    """By test, in order."""
    counters: dict[int, tuple[int, ...]]
    """What the firmware counted itself, by test."""
    is_done: bool
    """Whether the firmware said that all tests are done."""
    unmatched: int
    """Begins without an end, and ends without a begin."""
    gaps: int
    """Places where codes are missing or in doubt."""


def samples_of(codes: CodeArray, bits: int) -> PassSamples:
    """Return the samples of codes (CODE_DTYPE) of `bits` bits.

    If the firmware repeats its tests, return the first complete pass; without one, all from the
    first begin on. If the device announces nothing, return all samples.
    """
    all_codes = list(plain_codes(codes, bits))
    begins = [n for n, code in enumerate(all_codes) if _is_state(code, STATE_BEGIN)]
    ends = [n for n, code in enumerate(all_codes) if _is_state(code, STATE_DONE)]
    first = begins[0] if begins else 0
    last = next((n for n in ends if n > first), None)
    reader = _Reader(bits - CLASS_BITS)
    for code in all_codes[first : None if last is None else last + 1]:
        reader.take(code)
    return reader.samples(is_done=last is not None)


def _is_state(code: PlainCode, state: int) -> bool:
    return not code.torn and (code.code_class, code.number) == (CodeClass.SET, state)


def edge_of(code: PlainCode) -> tuple[bool, int] | None:
    """Return (begins, test) of a code at an edge of an operation; None for any other code."""
    edges: dict[int, tuple[bool, int]] = {
        CodeClass.ENTER: (True, 0),
        CodeClass.EXIT: (False, 0),
        CLASS_BEGIN: (True, FURTHER),
        CLASS_END: (False, FURTHER),
    }
    known = edges.get(code.code_class)
    return None if known is None else (known[0], known[1] + code.number)


@dataclass(slots=True)
class _Open:
    test: int
    begin_ticks: int
    between: list[PlainCode] = field(default_factory=list[PlainCode])


class _Reader:
    """Takes the codes of a pass one after the other."""

    def __init__(self, id_bits: int) -> None:
        self._value = ValueParts(id_bits)
        self._state: int | None = None
        self._words: list[int] = []
        self._open: _Open | None = None
        self._samples: dict[int, list[Sample]] = {}
        self._last: int | None = None
        """Test of the last sample, until a value follows it."""
        self._announced: Announced | None = None
        self._counters: dict[int, tuple[int, ...]] = {}
        self._unmatched = self._gaps = 0

    def take(self, code: PlainCode) -> None:
        """Take one code."""
        sent = self._value.take(code)
        if code.torn or code.gap:
            self._gaps += 1
            self._open = self._last = self._state = None
        if code.torn:
            return
        edge = edge_of(code)
        if edge is not None:
            self._edge(code, *edge)
        elif code.code_class in PARTS:
            if sent is not None:
                self._word(sent.value)
        elif code.code_class == CodeClass.SET:
            self._state, self._words = code.number, []
        elif self._open is not None:
            self._open.between.append(code)

    def samples(self, *, is_done: bool) -> PassSamples:
        """Return the samples so far."""
        self._unmatched += self._open is not None
        return PassSamples(
            self._announced,
            {test: tuple(taken) for test, taken in sorted(self._samples.items())},
            self._counters,
            is_done,
            self._unmatched,
            self._gaps,
        )

    def _edge(self, code: PlainCode, begins: bool, test: int) -> None:
        opened, self._open = self._open, None
        self._state = self._last = None
        if begins:
            self._unmatched += opened is not None
            self._open = _Open(test, code.time_ticks)
        elif opened is None or opened.test != test:
            self._unmatched += 1 + (opened is not None)
        else:
            sample = Sample(test, opened.begin_ticks, code.time_ticks, tuple(opened.between))
            self._samples.setdefault(test, []).append(sample)
            self._last = test

    def _word(self, value: int) -> None:
        if self._state == STATE_BEGIN:
            self._words.append(value)
            if len(self._words) == 5:
                suite, iterations, looped, clock_hz, counts = self._words
                self._announced = Announced(suite, iterations, looped, clock_hz, counts != 0)
                self._state = None
        elif self._state == STATE_REPORT:
            self._words.append(value)
            if len(self._words) > 1 and len(self._words) == 2 + self._words[1]:
                self._counters[self._words[0]] = tuple(self._words[2:])
                self._state = None
        elif self._last is not None:
            taken = self._samples[self._last]
            last = taken[-1]
            taken[-1] = Sample(last.test, last.begin_ticks, last.end_ticks, last.between, value)
            self._last = None
