# SPDX-License-Identifier: Apache-2.0
"""What a link is, and the thread that reads it."""

from __future__ import annotations

import math
import queue
import threading
import time
from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from plexor.base.errors import LinkError

CHUNK_BYTES = 1 << 18
_QUEUE_CHUNKS = 256
_TAKE_BYTES = 1 << 20
_POLL_S = 0.1


class LinkEndError(LinkError):
    """The other side has closed the link, or a recording has ended."""


class Link(Protocol):
    """A byte stream to an instrument. Reading and writing may be in two threads."""

    @property
    def name(self) -> str:
        """The URI, for error texts."""
        ...

    @property
    def serial(self) -> str:
        """The instrument's USB serial number, or the URI if it has none."""
        ...

    @property
    def bytes_s(self) -> int | None:
        """Maximum bytes per second in each direction; None: not known."""
        ...

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Return at least one byte, or none after the timeout.

        Raises LinkEndError at the end of the stream and LinkError if it breaks.
        """
        ...

    def write(self, data: bytes) -> None:
        """Write all of `data`; raise LinkError if that fails or takes over ten seconds."""
        ...

    def close(self) -> None:
        """Release everything, whatever happened before. May be called twice."""
        ...


@runtime_checkable
class DatagramLink(Link, Protocol):
    """A link over a network that may change the order of frames."""

    @property
    def disorder(self) -> Mapping[str, int]:
        """Frames that came out of order, too late or twice, so far (plexor.wire.link.sequence)."""
        ...


@runtime_checkable
class SimulatedLink(Link, Protocol):
    """A link to its own simulator. A silent simulator is only slow, because its end is noticed."""

    @property
    def device(self) -> str:
        """What it simulates."""
        ...

    @property
    def load(self) -> str | None:
        """What it says of the device's load (plexor.model.load.parse_device_load)."""
        ...


class Reader:
    """A thread that reads a link into a queue, so that the link never waits for the host's work.

    The queue holds up to 64 MiB; beyond, the link waits.
    """

    def __init__(self, link: Link) -> None:
        self.link = link
        self._queue: queue.Queue[tuple[float, bytes] | LinkError] = queue.Queue(_QUEUE_CHUNKS)
        self._ended: LinkError | None = None
        self._closing = threading.Event()
        self.received_bytes = 0
        """Bytes that have come, taken or not."""
        self.taken_bytes = 0
        self.heard_s = -math.inf
        """When the bytes came that were taken last, by the monotonic clock."""
        self.full_s = -math.inf
        """When the queue was full last, so that the link had to wait."""
        self._thread = threading.Thread(target=self._run, name="plexor link reader", daemon=True)
        self._thread.start()

    def take(self, timeout_s: float) -> bytes:
        """Return what has arrived, about a mebibyte at most, or nothing after the timeout.

        Once all bytes are taken, raises the error that ended the link, each time it is called.
        """
        if self._ended is not None:
            raise self._ended
        try:
            item = self._queue.get(timeout=timeout_s)
        except queue.Empty:
            return b""
        chunks: list[bytes] = []
        size = 0
        while not isinstance(item, LinkError):
            self.heard_s, data = item
            chunks.append(data)
            size += len(data)
            self.taken_bytes += len(data)
            if size >= _TAKE_BYTES:
                return b"".join(chunks)
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                return b"".join(chunks)
        self._ended = item
        if not chunks:
            raise item
        return b"".join(chunks)

    def close(self) -> None:
        """Close the link and end the thread."""
        self._closing.set()
        self.link.close()
        deadline = time.monotonic() + 2.0
        while self._thread.is_alive() and time.monotonic() < deadline:
            # A reader that waits for room in the queue gets some.
            try:
                self._queue.get_nowait()
            except queue.Empty:
                self._thread.join(0.01)

    def _run(self) -> None:
        try:
            while not self._closing.is_set():
                data = self.link.read(CHUNK_BYTES, _POLL_S)
                if data:
                    self.received_bytes += len(data)
                    item = time.monotonic(), data
                    if self._queue.full():
                        self.full_s = math.inf
                        self._queue.put(item)
                        self.full_s = time.monotonic()
                    else:
                        self._queue.put(item)
        except LinkError as error:
            self._put_last(error)
        except Exception as error:
            kind = "" if isinstance(error, OSError) else f"{type(error).__name__}: "
            self._put_last(LinkError(f"{self.link.name}: cannot read: {kind}{error}"))

    def _put_last(self, error: LinkError) -> None:
        while not self._closing.is_set():
            try:
                self._queue.put(error, timeout=_POLL_S)
                return
            except queue.Full:
                continue
