# SPDX-License-Identifier: Apache-2.0
"""Runs a command that must not outlive whoever started it: `python guard.py COMMAND ARGUMENTS`.

Standard input is a pipe; what is written to it goes on to the command. When it ends, because its
holder closed it or died, however suddenly, the command and all it started are ended. Standard
library only.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from types import FrameType

GRACE_S = 2.0


def _end(child: subprocess.Popen[bytes]) -> None:
    """End the child's process group: asked first, killed after a while."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(GRACE_S)
            if number == signal.SIGTERM:
                continue
            return


def main(command: list[str]) -> int:
    """Run the command and return its exit code."""
    # An interrupt of the terminal is for the holder, who first asks the instrument to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    child = subprocess.Popen(command, stdin=subprocess.PIPE, process_group=0)
    assert child.stdin is not None
    commands = child.stdin.fileno()

    def end_soon(number: int, frame: FrameType | None) -> None:
        # A thread of its own: this one may be inside child.wait().
        del number, frame
        threading.Thread(target=_end, args=(child,), daemon=True).start()

    signal.signal(signal.SIGTERM, end_soon)

    def watch() -> None:
        while data := os.read(0, 1 << 16):
            with contextlib.suppress(OSError):
                os.write(commands, data)
        _end(child)

    threading.Thread(target=watch, daemon=True).start()
    code = child.wait()
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
