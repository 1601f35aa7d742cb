# SPDX-License-Identifier: Apache-2.0
"""Starts one simulator after the other for the process that holds its standard input.

    python -m plexor_sim.starter

Each input line is a JSON list of arguments of `plexor_sim.serve`. The simulator before is ended,
and a new one is started as a separate process. Python's imports are done once. The same arguments
give the same simulator, even if its sources have changed. Ends with its input, or with the exit
code of a simulator that fails.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from dataclasses import dataclass
from functools import cache

from plexor_sim import serve
from plexor_sim.entry import entered

_INPUT = 0
_GRACE_S = 2.0


@dataclass(frozen=True)
class _Simulator:
    """A child process. The other end of `alive` is open as long as it lives."""

    process: subprocess.Popen[bytes]
    alive: int

    def code(self) -> int:
        """Return the exit code of a child that has ended or is about to."""
        code = self.process.wait()
        os.close(self.alive)
        return code if code >= 0 else 128 - code

    def end(self) -> None:
        """Let it end as if its client had gone; kill it if it does not."""
        if not select.select([self.alive], [], [], _GRACE_S)[0]:
            self.process.terminate()
            if not select.select([self.alive], [], [], _GRACE_S)[0]:
                self.process.kill()
        self.code()


class _Starter:
    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], tuple[list[str], list[str]]] = {}
        self._prepare = cache(serve.prepare)

    def start(self, arguments: list[str]) -> _Simulator | int:
        """Start a simulator; return the exit code if it does not start."""
        key = tuple(arguments)
        if key not in self._known:
            found = serve.command_of(arguments, os.getpid(), self._prepare)
            if isinstance(found, int):
                return found
            self._known[key] = found
        said, command = self._known[key]
        print(*said, sep="\n", flush=True)
        alive, held = os.pipe()
        try:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=[held])
        except OSError as error:
            print(f"error: {error}", file=sys.stderr)
            return serve.EXIT_FAILED
        finally:
            os.close(held)
        return _Simulator(process, alive)


def main() -> int:
    """Serve until the input ends; return the exit code."""
    starter = _Starter()
    simulator: _Simulator | None = None
    while True:
        waited = [_INPUT] if simulator is None else [_INPUT, simulator.alive]
        if _INPUT not in select.select(waited, [], [])[0]:
            assert simulator is not None
            code, simulator = simulator.code(), None
            if code:
                return code
            continue
        line = _line()
        if simulator is not None:
            simulator.end()
        if line is None:
            return 0
        started = starter.start(json.loads(line))
        if isinstance(started, int):
            return started
        simulator = started


def _line() -> bytes | None:
    """Return the next line of the input, None at its end; nothing more is sent until then."""
    line = b""
    while not line.endswith(b"\n"):
        data = os.read(_INPUT, 1 << 16)
        if not data:
            return None
        line += data
    return line


if __name__ == "__main__":
    sys.exit(entered(main))
