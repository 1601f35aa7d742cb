# SPDX-License-Identifier: Apache-2.0
"""The processes of a simulated instrument: they are started, read and ended here."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

_CLOSE_TIMEOUT_S = 6.0
_STDERR_BYTES = 8192
_SAID = b"design at "
"""How a line begins that a simulated design writes (`runtime/said.h` of the simulator)."""
_SHOWN = (_SAID, b"design: ", b"plexor: ")
"""How these lines begin, and those that say what is wrong with a design or what takes a run."""
_TAKEN = (b"twin: the gateware takes this run: ", b"twin: the gateware takes this: ")
"""How the twin says that it hands over."""
_SLOWER = b"plexor: the gateware itself is simulated, which is slower: "
"""What that means to whoever waits."""
MOST_SAID = 20
"""Number of lines of a design that are kept. The simulator says no more."""


class SimProcess:
    """A command under a guard that ends with this process.

    Lines of a simulated design, and those that say what takes a run, go to standard error; other
    progress only goes to a terminal.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._stderr = b""
        self.said: list[str] = []
        """The first lines that a simulated design wrote, each behind the simulated time, since a
        simulator was last asked for."""
        self._lines: queue.Queue[str | None] = queue.Queue()
        guard = Path(__file__).with_name("guard.py")
        self._process = subprocess.Popen(
            [sys.executable, str(guard), *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            process_group=0,
        )
        self._threads = [
            threading.Thread(target=self._drain_stdout, daemon=True),
            threading.Thread(target=self._drain_stderr, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def code(self) -> int | None:
        """The exit code; None while it runs."""
        return self._process.poll()

    def ask(self, arguments: Sequence[str]) -> None:
        """Ask a starter for a simulator; one that has ended says so by its lines."""
        assert self._process.stdin is not None
        self._stderr = b""
        self.said = []
        with contextlib.suppress(OSError):
            self._process.stdin.write(json.dumps(list(arguments)).encode() + b"\n")
            self._process.stdin.flush()

    def line(self, deadline: float) -> str | None:
        """Return the next line it prints, None at its end; raise queue.Empty at the deadline."""
        return self._lines.get(timeout=max(deadline - time.monotonic(), 0.0))

    def ended(self) -> tuple[int | None, str]:
        """Return the exit code and the last line on standard error of one that is ending."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0.5)
            self._threads[1].join(0.5)
        text = self._stderr.decode(errors="replace").replace("\r", "\n")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return self.code, lines[-1] if lines else ""

    def end(self) -> None:
        """End it and all it started."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        try:
            self._process.wait(_CLOSE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(1.0)
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def _drain_stdout(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.decode(errors="replace"))
        self._lines.put(None)

    def _drain_stderr(self) -> None:
        assert self._process.stderr is not None
        unfinished = b""
        while data := os.read(self._process.stderr.fileno(), 4096):
            self._stderr = (self._stderr + data)[-_STDERR_BYTES:]
            for taken in _TAKEN:
                data = data.replace(taken, _SLOWER)
            *lines, unfinished = (unfinished + data).split(b"\n")
            said = [
                line.removeprefix(_SAID).decode(errors="replace").rstrip()
                for line in lines
                if line.startswith(_SAID)
            ]
            self.said += said[: MOST_SAID - len(self.said)]
            if sys.stderr.isatty():
                _show(data)
            else:
                _show(b"".join(line + b"\n" for line in lines if line.startswith(_SHOWN)))
            unfinished = unfinished[:_STDERR_BYTES]


def _show(data: bytes) -> None:
    if data:
        sys.stderr.write(data.decode(errors="replace"))
        sys.stderr.flush()
