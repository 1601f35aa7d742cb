# SPDX-License-Identifier: Apache-2.0
"""OSBench's report: a frame for each test, as text.

The form is that of the two frames in M. Hall, S. Maillet, "Testing Real-Time Systems in Microsoft
Windows CE .NET", 2002. The article does not explain IP, CS and IPS. They are taken for
interprocess, cache synchronisation and iterations per sample.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

from plexor.base.units import seconds_of
from plexor_lab.bench.operations import Operations

_WIDTH = 67
_DOUBLE, _SINGLE = "=" * _WIDTH, "-" * _WIDTH
_MOST = 10**15
_MOST_TEST = 99
_HEAD = "|  {}.{:02}  |  IP = {:>3}  |  CS = {:>3}  |{:>8} IPS"
_BASE = "|  Subtracting out base result of {} ticks"
_TIME = "|  {} Time ={:>15} µs"
_HEAD_READ = re.compile(
    r"\| *([0-9]{1,2})\.([0-9]{2}) *\| *IP = *(YES|NO) *\| *CS = *(YES|NO) *\| *([0-9]{1,16}) IPS *"
)
_BASE_READ = re.compile(r"\| *Subtracting out base result of ([0-9]{1,16}) ticks *")
_TIME_READ = r"\| *{} Time = *([0-9]{{1,13}})\.([0-9]{{3}}) µs *"
_FLAGS = {False: "NO", True: "YES"}
_LONGEST_QUOTE = 80


@dataclass(frozen=True, slots=True)
class ReportedTest:
    """One test of a report. Times are of one operation, in whole nanoseconds.

    Raises ValueError for a field out of range.
    """

    group: int
    """0 to 99, before the dot of the id."""
    test: int
    """0 to 99, behind it."""
    title: str
    """One or more lines. None is a ruler, begins with `|`, or has blanks at its ends."""
    max_ns: int
    """0 to 10**15; the minimum and the average are not greater."""
    min_ns: int
    avg_ns: int
    iterations: int = 1
    """Operations in each sample, 1 to 10**15."""
    interprocess: bool = False
    cache_sync: bool = False
    base_ticks: int | None = None
    """What was taken off each sample, 0 to 10**15; None: nothing."""

    def __post_init__(self) -> None:
        for name, value, least, most in (
            ("group", self.group, 0, _MOST_TEST),
            ("test", self.test, 0, _MOST_TEST),
            ("iterations", self.iterations, 1, _MOST),
            ("base_ticks", self.base_ticks or 0, 0, _MOST),
            ("max_ns", self.max_ns, 0, _MOST),
        ):
            if not least <= value <= most:
                raise ValueError(f"{name}: {value}; must be from {least} to {most}")
        if not 0 <= self.min_ns <= self.avg_ns <= self.max_ns:
            raise ValueError(
                f"min_ns, avg_ns, max_ns: {self.min_ns}, {self.avg_ns}, {self.max_ns}; "
                "must be 0 or more, each at least the one before it"
            )
        for line in self.title.split("\n"):
            if not _is_title(line):
                raise ValueError(
                    f"title: {line!r}; each line must be printable, with no blank at its ends, "
                    "must not begin with |, and must not be a ruler"
                )


def frame_of(
    operations: Operations,
    tick_fs: int,
    *,
    group: int,
    test: int,
    title: str,
    interprocess: bool = False,
    cache_sync: bool = False,
) -> ReportedTest:
    """Return the frame of a test's figures. Each is rounded to a nanosecond, half to even.

    `tick_fs` is the length of a tick in femtoseconds, 1 or more. A base of 0 ticks is none.

    Raises ValueError as Frame does.
    """

    def nanoseconds(ticks: Fraction) -> int:
        return round(seconds_of(ticks, tick_fs) * 10**9)

    return ReportedTest(
        group,
        test,
        title,
        nanoseconds(operations.max_ticks),
        nanoseconds(operations.min_ticks),
        nanoseconds(operations.mean_ticks),
        operations.iterations,
        interprocess,
        cache_sync,
        operations.base_ticks or None,
    )


def write(frames: Iterable[ReportedTest]) -> str:
    """Return the report of some frames, in their order: lines that end in a line feed."""
    return "".join(f"{line}\n" for frame in frames for line in _lines(frame))


def parse(text: str) -> tuple[ReportedTest, ...]:
    """Return the frames of a report; none for an empty text.

    Spaces within a line do not matter. Lines end in a line feed, with or without a carriage return
    before it.

    Raises ValueError for anything else, with the number of the line and what would be right.
    """
    reader = _Reader(text)
    frames: list[ReportedTest] = []
    while not reader.at_end:
        frames.append(reader.frame())
    return tuple(frames)


def _lines(frame: ReportedTest) -> list[str]:
    flags = _FLAGS[frame.interprocess], _FLAGS[frame.cache_sync]
    base = [] if frame.base_ticks is None else [_BASE.format(frame.base_ticks)]
    times = [("Max", frame.max_ns), ("Min", frame.min_ns), ("Avg", frame.avg_ns)]
    return [
        _DOUBLE,
        _HEAD.format(frame.group, frame.test, *flags, frame.iterations),
        _SINGLE,
        *frame.title.split("\n"),
        _SINGLE,
        *base,
        *(_TIME.format(name, f"{ns // 1000}.{ns % 1000:03}") for name, ns in times),
        _DOUBLE,
    ]


def _is_title(line: str) -> bool:
    """Return whether a line can be one of a title."""
    begins_else = line not in (_DOUBLE, _SINGLE) and not line.startswith("|")
    return bool(line) and line == line.strip() and line.isprintable() and begins_else


class _Reader:
    """Reads lines one after the other."""

    def __init__(self, text: str) -> None:
        self._lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else []
        self._next = 0

    @property
    def at_end(self) -> bool:
        return self._next == len(self._lines)

    def frame(self) -> ReportedTest:
        """Read a frame; raise ValueError."""
        self._ruler(_DOUBLE)
        head = self._matched(_HEAD_READ, _HEAD.format(0, 1, "NO", "NO", 1))
        self._ruler(_SINGLE)
        title = self._title()
        self._ruler(_SINGLE)
        base = None
        if not self.at_end and "base" in self._lines[self._next]:
            base = int(self._matched(_BASE_READ, _BASE.format(12))[1])
        most, least, mean = (self._time(name) for name in ("Max", "Min", "Avg"))
        try:
            frame = ReportedTest(
                int(head[1]),
                int(head[2]),
                title,
                most,
                least,
                mean,
                iterations=int(head[5]),
                interprocess=head[3] == "YES",
                cache_sync=head[4] == "YES",
                base_ticks=base,
            )
        except ValueError as error:
            raise ValueError(f"line {self._next}: the frame that ends here: {error}") from error
        self._ruler(_DOUBLE)
        return frame

    def _title(self) -> str:
        lines: list[str] = []
        while not self.at_end and _is_title(self._lines[self._next]):
            lines.append(self._lines[self._next])
            self._next += 1
        if not lines:
            self._refuse("a title: printable text with no blank at its ends")
        return "\n".join(lines)

    def _time(self, name: str) -> int:
        match = self._matched(re.compile(_TIME_READ.format(name)), _TIME.format(name, "13.409"))
        return int(match[1]) * 1000 + int(match[2])

    def _ruler(self, ruler: str) -> None:
        if self.at_end or self._lines[self._next] != ruler:
            self._refuse(f"{len(ruler)} times {ruler[0]!r}")
        self._next += 1

    def _matched(self, form: re.Pattern[str], example: str) -> re.Match[str]:
        match = None if self.at_end else form.fullmatch(self._lines[self._next])
        if match is None:
            self._refuse(f"of the form {example!r}")
        self._next += 1
        return match

    def _refuse(self, right: str) -> NoReturn:
        """Raise ValueError for the line that is to be read."""
        shown = "the text ends"
        if not self.at_end:
            shown = repr(self._lines[self._next][:_LONGEST_QUOTE])
        raise ValueError(f"line {self._next + 1}: {shown}; must be {right}")
