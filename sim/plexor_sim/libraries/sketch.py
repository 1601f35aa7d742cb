# SPDX-License-Identifier: Apache-2.0
"""A device under test in Python: a file that defines a class `Device(Sketch)`.

    python -m plexor_sim.libraries.sketch FILE

runs it for the simulator, whose requests come on a socket at standard input.
"""

from __future__ import annotations

import heapq
import inspect
import os
import runpy
import signal
import socket
import struct
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Self, cast

Edge = tuple[int, int, int]
"""Time in ps, output, level."""
_NEVER = (1 << 63) - 1
_LOOK_S = 0.5


class Sketch:
    """A device under test: it is called at its inputs, and drives its outputs.

    Time is absolute picoseconds. Override `struck`, and what else is needed. A subclass may take
    options, as keywords of texts: `def __init__(self, delay_ps: str = "700")`.
    """

    load = ""
    """Name of the load that it runs while the load input is high; empty: it has none."""
    draws = False
    """Whether it draws at random."""
    initial_levels = 0
    """Levels of its outputs before the first edge, as a mask."""

    agenda: Agenda
    """What it does when."""

    def __new__(cls, *_arguments: Any, **_options: Any) -> Self:
        """Return one with an empty agenda, whether or not a subclass calls `__init__`."""
        self = super().__new__(cls)
        self.agenda = Agenda()
        return self

    def struck(self, time_ps: int, number: int, level: int) -> None:
        """Take a change of strike input `number`."""

    def loaded(self, time_ps: int, level: int) -> None:
        """Take a change of the load input."""

    def timed(self, time_ps: int, pins: int) -> None:
        """Take a change of the timecode's pins."""

    def drive(self, time_ps: int, pin: int, level: int) -> None:
        """Set an output from a time on. Pins 0 to 7 are responses; code pin n is 8 + n."""
        edge = (time_ps, pin, level)
        self.agenda.add(time_ps, lambda: self.agenda.edges.append(edge))

    def call(self, time_ps: int, action: Callable[[], None]) -> None:
        """Call `action` at a time, which is not over."""
        self.agenda.add(time_ps, action)


class Agenda:
    """What a sketch does when. At one time inputs come before what it does itself."""

    def __init__(self) -> None:
        self.edges: list[Edge] = []
        """Changes of outputs that the simulator has not taken."""
        self._now_ps = 0
        self._number = 0
        self._heap: list[tuple[int, bool, int, Callable[[], None]]] = []

    def add(self, time_ps: int, action: Callable[[], None], *, is_input: bool = False) -> None:
        """Add an action. Raises ValueError for a time that is over."""
        if time_ps < self._now_ps:
            raise ValueError(f"{time_ps} ps is over; must be at least {self._now_ps} ps")
        self._number += 1
        heapq.heappush(self._heap, (time_ps, not is_input, self._number, action))

    def advance(self, to_ps: int) -> list[Edge]:
        """Do all that is before a time; return the outputs' changes."""
        while self._heap and self._heap[0][0] < to_ps:
            self._now_ps, _, _, action = heapq.heappop(self._heap)
            action()
        self._now_ps = max(self._now_ps, to_ps)
        edges, self.edges = self.edges, []
        return edges

    def next_ps(self) -> int:
        """Return when something comes next."""
        return self._heap[0][0] if self._heap else _NEVER


class _Played:
    """A sketch at the simulator's inputs."""

    def __init__(self, sketch: Sketch, strikes: int) -> None:
        self.sketch = sketch
        self.agenda = sketch.agenda
        self._strikes = strikes
        self._load = 0

    def input(self, time_ps: int, strikes: int, load: int) -> None:
        """Take the inputs from a time on."""
        self.agenda.add(time_ps, lambda: self._take(time_ps, strikes, load), is_input=True)

    def timecode(self, time_ps: int, pins: int) -> None:
        """Take the timecode's pins from a time on."""
        self.agenda.add(time_ps, lambda: self.sketch.timed(time_ps, pins), is_input=True)

    def _take(self, time_ps: int, strikes: int, load: int) -> None:
        changed, self._strikes = self._strikes ^ strikes, strikes
        if load != self._load:
            self._load = load
            self.sketch.loaded(time_ps, load)
        for number in range(changed.bit_length()):
            if changed >> number & 1:
                self.sketch.struck(time_ps, number, strikes >> number & 1)


class _Server:
    """Answers requests: a letter, and fields without gaps."""

    def __init__(self, made: Callable[..., Sketch], file: str, link: socket.socket) -> None:
        self._made = made
        self._file = file
        self._link = link
        self._read = link.makefile("rb")

    def serve(self) -> None:
        """Answer until there are no more."""
        played: _Played | None = None
        while request := self._read.read(1):
            try:
                if request == b"c" or played is None:
                    (strikes,) = self._fields("<I")
                    played = self._create(strikes, self._text())
                elif request == b"i":
                    played.input(*self._fields("<qII"))
                elif request == b"t":
                    played.timecode(*self._fields("<qI"))
                else:
                    self._advance(played, *self._fields("<q"))
            except Exception as error:
                self._send(struct.pack("<B", 0), _packed(_told(error, self._file)))

    def _create(self, strikes: int, text: str) -> _Played:
        items = [item.partition("=") for item in text.split(",") if item]
        options = {name: value for name, _, value in items}
        known = inspect.signature(self._made).parameters
        for name, value in options.items():
            if name not in known:
                names = ", ".join(known) or "none"
                raise ValueError(f"{name}={value}: not an option; must be one of {names}")
        sketch = self._made(**options)
        head = struct.pack("<BIB", 1, sketch.initial_levels, sketch.draws)
        self._send(head, _packed(sketch.load))
        return _Played(sketch, strikes)

    def _advance(self, played: _Played, to_ps: int) -> None:
        edges = played.agenda.advance(to_ps)
        self._send(
            struct.pack("<BI", 1, len(edges)),
            *(struct.pack("<qBB", *edge) for edge in edges),
            struct.pack("<q", played.agenda.next_ps()),
        )

    def _fields(self, form: str) -> tuple[Any, ...]:
        return struct.unpack(form, self._read.read(struct.calcsize(form)))

    def _text(self) -> str:
        (size,) = self._fields("<I")
        return self._read.read(size).decode()

    def _send(self, *parts: bytes) -> None:
        self._link.sendall(b"".join(parts))


def _packed(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<I", len(data)) + data


def _told(error: Exception, file: str) -> str:
    """Return an error with its line in the sketch, if it is of one."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame.lineno for frame in frames if frame.filename == file]
    where = f"line {own[-1]}: " if own else ""
    name = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
    return f"{where}{name}{error}"


def _end_with(parent: int) -> None:
    """End when that process has ended, whatever the sketch does."""
    while os.getppid() == parent:
        time.sleep(_LOOK_S)
    os._exit(1)


def main(arguments: list[str] | None = None) -> int:
    """Serve the device of a file until the simulator ends."""
    (file,) = sys.argv[1:] if arguments is None else arguments
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the simulator's
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    link = socket.socket(fileno=0)
    defined: Mapping[str, Any] = {}
    failure = "has no class Device(Sketch); plexor_sim.libraries.sketch has Sketch"
    try:
        defined = runpy.run_path(file)
    except Exception as error:
        failure = _told(error, file)
    made = defined.get("Device")

    def refuse() -> Sketch:
        raise ValueError(failure)

    is_right = isinstance(made, type) and issubclass(made, Sketch)
    with suppress(OSError):  # the simulator has ended
        _Server(cast("type[Sketch]", made) if is_right else refuse, file, link).serve()
    return 0


if __name__ == "__main__":
    # A sketch imports this module by its name.
    from plexor_sim.libraries.sketch import main as served

    sys.exit(served())
