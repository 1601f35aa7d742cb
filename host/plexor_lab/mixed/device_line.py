# SPDX-License-Identifier: Apache-2.0
"""The serial line to the device: messages to its executor, and replies from it.

Nothing of it goes through the instrument.
"""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from plexor.base.errors import LinkError, UsageError
from plexor.library.parts.run import Link, Stop, TcpLink, open_device_line
from plexor_lab.mixed.message import DEFAULT_BAUD, Message, Reply, Stretches

_READ_BYTES = 4096
_LOOK_S = 0.2
"""Longest time from a request to stop to its effect, in seconds."""


class DeviceLine:
    """A device's serial line. Messages are numbered from 0 on; a context manager that closes it."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._stretches = Stretches()
        self.sent = 0
        """Messages so far."""
        self.damaged = 0
        """Stretches from the device that are no reply."""

    def send(self, *messages: Message) -> None:
        """Send messages, in one write; raise LinkError if that fails."""
        line = b""
        for message in messages:
            line += message.encode(self.sent)
            self.sent += 1
        self.send_bytes(line)

    def send_bytes(self, line: bytes) -> None:
        """Send bytes as they are; raise LinkError if that fails.

        On a line that is a TCP connection, the other side's system has them all when this returns.
        """
        self._link.write(line)
        if isinstance(self._link, TcpLink):
            self._link.settle()

    def replies(self, timeout_s: float = 0.0) -> list[Reply]:
        """Return the replies that have come, after `timeout_s` at most; raise LinkError."""
        found: list[Reply] = []
        for stretch in self._stretches.feed(self._link.read(_READ_BYTES, timeout_s)):
            try:
                found.append(Reply.decode(stretch))
            except ValueError:
                self.damaged += 1
        return found

    def await_reply(self, timeout_s: float, stop: Stop | None = None) -> Reply:
        """Return the next reply.

        Raises LinkError if none has come after `timeout_s`, or when a stop is requested.
        """
        deadline = time.monotonic() + timeout_s
        while (left_s := deadline - time.monotonic()) > 0:
            if stop is not None and stop.asked:
                raise LinkError(f"{self._link.name}: stopped before the device replied")
            if found := self.replies(min(left_s, _LOOK_S)):
                return found[0]
        damaged = f"; {self.damaged} damaged" if self.damaged else ""
        raise LinkError(f"{self._link.name}: no reply of the device in {timeout_s:g} s{damaged}")

    def close(self) -> None:
        """Close the line. May be called twice."""
        self._link.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def open_line(uri: str | None, simulated: str = "") -> DeviceLine:
    """Return the line to the device: `uri`, or else the simulated device's own one.

    `uri` is `serial:PORT?baud=RATE`, with 9600 if there is no rate, or `tcp://HOST:PORT`.
    `simulated` is SimLink.device_line. Raises UsageError if there is neither or the URI is wrong,
    LinkError if the line cannot be opened.
    """
    if not (chosen := uri or simulated):
        raise UsageError(
            "device's line: none; must be serial:PORT?baud=RATE, the port at which the device is"
        )
    return DeviceLine(open_device_line(chosen, DEFAULT_BAUD))
