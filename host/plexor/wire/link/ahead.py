# SPDX-License-Identifier: Apache-2.0
"""Reads a port ahead of the host program: `python ahead.py PORT ANSWERS`, numbers of open files.

A serial port has no flow control, and what the system keeps of it lasts for 8 ms at 12 Mbaud. A
thread of a busy Python program may have to wait longer for its turn. So a process of its own does
nothing but read, keeps what its holder has not yet taken, and ends with its holder, however
suddenly that dies. Its exit code is the error number that ended the port. Standard library only.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import signal
import socket
import subprocess
import sys
from collections import deque

MOST_BYTES = 1 << 26
"""Bytes that are kept; beyond, the port waits."""
_READ_BYTES = 1 << 16
_END_S = 1.0


class Ahead:
    """A process that reads a port, and what it has read. Reading and `close` may be in two threads.

    `port` is the number of an open file. On systems other than POSIX's there is no such process.
    """

    def __init__(self, port: int) -> None:
        self._answers, far = socket.socketpair()
        with far:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", __file__, str(port), str(far.fileno())],
                pass_fds=(port, far.fileno()),
                stdin=subprocess.DEVNULL,
            )

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Return at least one byte, or none after the timeout; raise OSError once the port ends."""
        try:
            ready, _, _ = select.select([self._answers], [], [], timeout_s)
        except ValueError as error:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF)) from error
        if not ready:
            return b""
        data = self._answers.recv(max_bytes)
        if not data:
            number = self._process.wait(_END_S) or errno.EIO
            raise OSError(number, os.strerror(number))
        return data

    def close(self) -> None:
        """End the process, which lets go of the port; a read that waits ends."""
        with contextlib.suppress(OSError):
            self._answers.shutdown(socket.SHUT_RDWR)
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._answers.close()


def main(port: int, answers: int) -> int:
    """Read until the port or the holder ends; return the error number of the port's end, or 0."""
    # An interrupt of the terminal is for the holder, who first asks the instrument to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (port, answers):
        os.set_blocking(number, False)
    chunks: deque[bytes] = deque()
    held_bytes, ended = 0, 0
    while chunks or not ended:
        readable = [answers] if ended or held_bytes >= MOST_BYTES else [answers, port]
        ready, has_room, _ = select.select(readable, [answers] if chunks else [], [])
        if answers in ready:
            # The holder writes nothing: it has closed, or is gone.
            return 0
        if port in ready:
            try:
                data = os.read(port, _READ_BYTES)
                ended = 0 if data else errno.EIO
            except BlockingIOError:
                data = b""
            except OSError as error:
                data, ended = b"", error.errno or errno.EIO
            if data:
                chunks.append(data)
                held_bytes += len(data)
        if has_room:
            with contextlib.suppress(BlockingIOError):
                sent = os.write(answers, chunks[0])
                held_bytes -= sent
                unsent = chunks.popleft()[sent:]
                if unsent:
                    chunks.appendleft(unsent)
    return ended


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
