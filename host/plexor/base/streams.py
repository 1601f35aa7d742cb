# SPDX-License-Identifier: Apache-2.0
"""Standard output and error: what others wrote is shown, never obeyed, and a reader may leave.

Names, settings and messages come from files, links and devices. A terminal takes some of their
characters for commands, or shows the text in another order than it has. `printable` is the one
place that knows these characters, and every command prints through `guarded` streams.
"""

from __future__ import annotations

import io
import os
import re
from pathlib import Path
from typing import Any, TextIO

_CONTROL = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but for tab and newline, DEL, C1
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks that change the order of text
    r"\u2028\u2029\ufeff\ufff9-\ufffb"  # separators of lines, and marks nobody sees
    r"\ud800-\udfff"  # halves of characters
)
_UNSAFE = re.compile(f"[{_CONTROL}]")
_UNSAFE_IN_LINE = re.compile(rf"[{_CONTROL}\t\n]")
_MESSAGE = "plexor: "
"""How each message on standard error begins; it is one line."""


def printable(text: str) -> str:
    r"""Return text with control characters as escapes, such as \u001b. Lines and tabs stay.

    In JSON, where such characters occur in strings only, the value stays the same.
    """
    return _UNSAFE.sub(_escape, text)


def printable_line(text: str) -> str:
    """Return text with control characters as escapes, and newlines and tabs too."""
    return _UNSAFE_IN_LINE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


class _Pipe(io.FileIO):
    """A standard stream whose reader may leave. Later output is then discarded without an error.

    An error raised in the middle of a command would lose the verdict's exit code, or the run.
    """

    def write(self, data: Any, /) -> int:
        """Write bytes; if nobody reads any more, discard them all."""
        try:
            return super().write(data)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            return memoryview(data).nbytes


class Guarded(io.TextIOWrapper):
    """A standard stream that prints control characters as escapes.

    `screen` is the same stream for what this program draws itself: colours and moving lines.
    """

    screen: TextIO
    messages = False
    """Whether messages of one line are written here."""

    def write(self, text: str, /) -> int:
        """Print text; a message of one line stays one line."""
        body = text.removesuffix("\n")
        if self.messages and body.startswith(_MESSAGE):
            super().write(printable_line(body) + text[len(body) :])
        else:
            super().write(printable(text))
        return len(text)


def guarded(stream: TextIO | None, *, messages: bool = False) -> TextIO:
    """Return a guarded stream in place of a standard one; that of `messages` keeps no line back."""
    if stream is None:
        return Path(os.devnull).open("w", encoding="utf-8")
    try:
        stream.flush()
        raw = _Pipe(stream.fileno(), "wb", closefd=False)
    except (OSError, ValueError):
        return stream
    buffer = io.BufferedWriter(raw)
    how = (stream.encoding, "backslashreplace")
    found = Guarded(buffer, *how, line_buffering=messages or stream.isatty())
    found.messages = messages
    found.screen = io.TextIOWrapper(buffer, *how, write_through=True)
    return found


def screen(stream: TextIO) -> TextIO:
    """Return where this program draws; what others wrote must not go there as it is."""
    if not isinstance(stream, Guarded):
        return stream
    stream.flush()
    return stream.screen
