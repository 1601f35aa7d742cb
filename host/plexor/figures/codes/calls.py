# SPDX-License-Identifier: Apache-2.0
"""Codes as function calls: a tree of calls, and each call's time. Pure.

Each task and each interrupt has a stack of its own. A function's own time excludes its callees,
interrupts and other tasks. Nothing is guessed: an exit without an entry, an entry without an exit,
and each call that is open at a gap are counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from plexor.figures.codes.stream import plain_codes
from plexor.model.code_array import CodeArray
from plexor.protocol.codes import CodeClass

Path = tuple[int, ...]
"""Ids of functions, from the outermost caller to the function itself."""
Actor = tuple[str, int]
"""`task` or `interrupt` with its number, or `("", 0)` where the device names none."""
NOBODY: Actor = ("", 0)


@dataclass(frozen=True, slots=True)
class Call:
    """One whole call. Times are in ticks."""

    actor: Actor
    path: Path
    enter_ticks: int
    exit_ticks: int
    total_ticks: int
    """Time in which it or its callees ran."""
    own_ticks: int
    """Time in which it ran itself."""
    calls: int
    """Number of calls inside it, calls by callees included."""
    own_calls: int
    """Number of calls that it made itself."""

    @property
    def function(self) -> int:
        """Id of the function."""
        return self.path[-1]


@dataclass(frozen=True, slots=True)
class Calls:
    """The calls of a run, in the order of their exits."""

    calls: tuple[Call, ...]
    unmatched_exits: tuple[tuple[int, int], ...]
    """(time in ticks, function) of each exit without an entry."""
    unmatched_entries: tuple[tuple[int, int], ...]
    """(time in ticks, function) of each entry without an exit."""


def calls_of(codes: CodeArray, bits: int) -> Calls:
    """Return the calls of codes (CODE_DTYPE) of `bits` bits."""
    book = _Book()
    for code in plain_codes(codes, bits):
        if code.torn or code.gap:
            book.forget()
        if not code.torn:
            book.take(code.time_ticks, code.code_class, code.number)
    book.forget()
    exits, entries = sorted(book.unmatched_exits), sorted(book.unmatched_entries)
    return Calls(tuple(book.calls), tuple(exits), tuple(entries))


@dataclass(slots=True)
class _Frame:
    path: Path
    enter_ticks: int
    own_ticks: int = 0
    callee_ticks: int = 0
    calls: int = 0
    own_calls: int = 0


@dataclass(slots=True)
class _Book:
    calls: list[Call] = field(default_factory=list[Call])
    unmatched_exits: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    unmatched_entries: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    _stacks: dict[Actor, list[_Frame]] = field(default_factory=dict[Actor, list[_Frame]])
    _task: Actor = NOBODY
    _interrupts: list[Actor] = field(default_factory=list[Actor])
    _since_ticks: int = 0

    def take(self, time_ticks: int, code_class: int, number: int) -> None:
        """Take one code."""
        if code_class == CodeClass.RUN:
            self._pass(time_ticks)
            self._task = ("task", number)
        elif code_class == CodeClass.ISR_ENTER:
            self._pass(time_ticks)
            self._interrupts.append(("interrupt", number))
        elif code_class == CodeClass.ISR_EXIT:
            self._pass(time_ticks)
            if self._interrupts and self._interrupts[-1] == ("interrupt", number):
                self._abandon(self._interrupts.pop())
        elif code_class == CodeClass.ENTER:
            self._pass(time_ticks)
            stack = self._stacks.setdefault(self._actor, [])
            path = (*stack[-1].path, number) if stack else (number,)
            stack.append(_Frame(path, time_ticks))
        elif code_class == CodeClass.EXIT:
            self._pass(time_ticks)
            self._exit(time_ticks, number)

    def forget(self) -> None:
        """Handle a gap: codes may be missing here."""
        for actor in list(self._stacks):
            self._abandon(actor)
        self._interrupts.clear()
        self._task = NOBODY

    @property
    def _actor(self) -> Actor:
        return self._interrupts[-1] if self._interrupts else self._task

    def _pass(self, time_ticks: int) -> None:
        """Give the time since the last code to the function that ran."""
        stack = self._stacks.get(self._actor)
        if stack:
            stack[-1].own_ticks += time_ticks - self._since_ticks
        self._since_ticks = time_ticks

    def _exit(self, time_ticks: int, number: int) -> None:
        stack = self._stacks.get(self._actor, [])
        position = next(
            (n for n in reversed(range(len(stack))) if stack[n].path[-1] == number), None
        )
        if position is None:
            self.unmatched_exits.append((time_ticks, number))
            return
        while len(stack) > position + 1:
            abandoned = stack.pop()
            self.unmatched_entries.append((abandoned.enter_ticks, abandoned.path[-1]))
            stack[-1].own_ticks += abandoned.own_ticks
            stack[-1].callee_ticks += abandoned.callee_ticks
        frame = stack.pop()
        total = frame.own_ticks + frame.callee_ticks
        self.calls.append(
            Call(
                self._actor, frame.path, frame.enter_ticks, time_ticks, total,
                frame.own_ticks, frame.calls, frame.own_calls,
            )
        )  # fmt: skip
        if stack:
            stack[-1].callee_ticks += total
            stack[-1].calls += 1 + frame.calls
            stack[-1].own_calls += 1

    def _abandon(self, actor: Actor) -> None:
        for frame in self._stacks.pop(actor, []):
            self.unmatched_entries.append((frame.enter_ticks, frame.path[-1]))


def corrected(call: Call, base_ticks: int) -> tuple[int, int]:
    """Return a call's total and own time without the time that sending its codes took.

    `base_ticks` is the time of an empty call from entry to exit. It is subtracted from the total
    for the call and each call inside it, and from own time for the call and each that it made.
    """
    return (
        max(call.total_ticks - base_ticks * (1 + call.calls), 0),
        max(call.own_ticks - base_ticks * (1 + call.own_calls), 0),
    )
