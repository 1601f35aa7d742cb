# SPDX-License-Identifier: Apache-2.0
"""A simulated instrument at a serial port: a pseudo-terminal whose bytes go to its TCP port."""

from __future__ import annotations

import os
import pty
import select
import selectors
import socket
import threading
import tty
from collections.abc import Iterator
from contextlib import contextmanager

READ_BYTES = 1 << 16


@contextmanager
def on_a_terminal(address: tuple[str, int]) -> Iterator[str]:
    """Yield the path of a terminal that is wired to what listens at an address.

    Whoever opens the terminal first connects; the next one finds the same connection.
    """
    far, near = pty.openpty()
    tty.setraw(near)
    os.set_blocking(far, False)
    ended, end = os.pipe()
    with socket.create_connection(address) as connection:
        thread = threading.Thread(target=_carry, args=(far, connection, ended))
        thread.start()
        try:
            yield os.ttyname(near)
        finally:
            os.write(end, b"x")
            thread.join()
            for number in (far, near, ended, end):
                os.close(number)


def _carry(terminal: int, connection: socket.socket, ended: int) -> None:
    with selectors.DefaultSelector() as ready:
        for number in (terminal, connection.fileno(), ended):
            ready.register(number, selectors.EVENT_READ)
        while True:
            for key, _ in ready.select():
                if key.fd == ended:
                    return
                if key.fd == terminal:
                    connection.sendall(os.read(terminal, READ_BYTES))
                    continue
                data = connection.recv(READ_BYTES)
                if not data:
                    return
                rest = memoryview(data)
                while rest:
                    # Nobody may be there to read the rest of what an instrument says.
                    stopped, _, _ = select.select([ended], [terminal], [])
                    if stopped:
                        return
                    rest = rest[os.write(terminal, rest) :]
