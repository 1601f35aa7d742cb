# SPDX-License-Identifier: Apache-2.0
"""A TCP connection to an instrument."""

from __future__ import annotations

import contextlib
import select
import socket
import struct
import sys
import time

from plexor.base.errors import LinkError
from plexor.wire.link.base import LinkEndError

CONNECT_TIMEOUT_S = 10.0
WRITE_TIMEOUT_S = 10.0
SETTLE_TIMEOUT_S = 1.0


class TcpLink:
    """A TCP connection; raises LinkError if it cannot be made."""

    def __init__(self, host: str, port: int) -> None:
        self.name = self.serial = f"tcp://{host}:{port}"
        self.bytes_s: int | None = None
        try:
            self._socket = socket.create_connection((host, port), CONNECT_TIMEOUT_S)
        except OSError as error:
            raise LinkError(f"{self.name}: cannot connect: {_reason(error)}") from error
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.settimeout(WRITE_TIMEOUT_S)
        self._closed = False

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Return at least one byte, or none after the timeout."""
        try:
            ready, _, _ = select.select([self._socket], [], [], timeout_s)
            if not ready:
                return b""
            data = self._socket.recv(max_bytes)
        except (OSError, ValueError) as error:
            raise self._broken(error) from error
        if not data:
            raise LinkEndError(f"{self.name}: the instrument closed the connection")
        return data

    def write(self, data: bytes) -> None:
        """Write all of `data`."""
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise self._broken(error) from error

    def settle(self) -> None:
        """Wait until the other side's system has all that was written, where the system can tell.

        Then a program there that takes what has come, takes all of it. A second at most.
        """
        deadline = time.monotonic() + SETTLE_TIMEOUT_S
        while _unsent(self._socket) and time.monotonic() < deadline:
            time.sleep(0)

    def close(self) -> None:
        """Close the connection; a read that waits ends."""
        self._closed = True
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _broken(self, error: Exception) -> LinkError:
        if self._closed:
            return LinkEndError(f"{self.name}: closed")
        return LinkError(f"{self.name}: connection broken: {_reason(error)}")


def _unsent(connection: socket.socket) -> int:
    """Return the bytes that the other side has not acknowledged; 0 where that is not known."""
    if sys.platform != "linux":
        return 0
    import fcntl  # noqa: PLC0415
    import termios  # noqa: PLC0415

    try:
        answer = fcntl.ioctl(connection, termios.TIOCOUTQ, struct.pack("i", 0))
    except OSError:
        return 0
    return struct.unpack("i", answer)[0]


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error) or type(error).__name__
