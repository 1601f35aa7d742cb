# SPDX-License-Identifier: Apache-2.0
"""A board at a serial port: a pseudo-terminal whose bytes go to an instrument at its rate.

The rate is what the host set on the terminal, which Linux keeps as it does for any other port. At a
wrong rate a UART reads other bytes or none: here half of them are gone, and the rest are others.
"""

from __future__ import annotations

import fcntl
import os
import pty
import random
import select
import socket
import threading
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager

TCGETS2, TERMIOS2_BYTES = 0x802C542A, 44
Line = Callable[[bytes], bytes]
"""What a line makes of bytes."""


def plain(data: bytes) -> bytes:
    """Return the bytes as they are."""
    return data


def without(*values: int) -> Line:
    """Return a line that loses bytes of these values."""
    return lambda data: bytes(byte for byte in data if byte not in values)


def garbled(data: bytes) -> bytes:
    """Return what a UART of another rate may read; never a whole frame."""
    return bytes(0x80 | random.Random(byte).randrange(128) for byte in data[::2])


def rate_of(terminal: int) -> int:
    """Return the rate that was set on a terminal."""
    return int.from_bytes(fcntl.ioctl(terminal, TCGETS2, bytes(TERMIOS2_BYTES))[-4:], "little")


@contextmanager
def board_at(
    uri: str | None, rate: int | None = None, up: Line = plain, down: Line = plain
) -> Iterator[str]:
    """Yield the path of a terminal with a board behind it.

    `uri` is its instrument's `tcp://` address; None: none, and the line is silent but for `down` of
    what the host writes. `rate` is the board's; None: it measures it. `up` is the line to the
    board, `down` the one from it.
    """
    far, near = pty.openpty()
    tty.setraw(near)
    ended, end = os.pipe()
    host, _, port = (uri or "").removeprefix("tcp://").partition(":")
    connection = socket.create_connection((host, int(port))) if uri else None

    def carry() -> None:
        ends = [far, ended, *([connection.fileno()] if connection else [])]
        while ended not in (ready := select.select(ends, [], [])[0]):
            right = rate is None or rate_of(near) == rate
            if far in ready:
                data = os.read(far, 1 << 16)
                if connection is None:
                    answer = down(data)
                    if answer:
                        os.write(far, answer)
                    continue
                connection.sendall(up(data) if right else garbled(up(data)))
            if connection is not None and connection.fileno() in ready:
                data = connection.recv(1 << 16)
                if not data:
                    return
                sent = down(data) if right else garbled(down(data))
                if sent:
                    os.write(far, sent)

    thread = threading.Thread(target=carry)
    thread.start()
    try:
        yield os.ttyname(near)
    finally:
        os.write(end, b"x")
        thread.join()
        if connection is not None:
            connection.close()
        for number in (far, near, ended, end):
            os.close(number)
