# SPDX-License-Identifier: Apache-2.0
"""An instrument at the end of a network: frames in datagrams, one each, not encoded.

The rooms above see a byte stream like the others: frames are put in order and encoded on the way
in, and decoded on the way out.
"""

from __future__ import annotations

import contextlib
import socket
import time
import zlib
from collections.abc import Mapping

from plexor.base.errors import LinkError
from plexor.protocol.frames import CRC_BYTES, DELIMITER, HEADER, cobs_decode, cobs_encode
from plexor.wire.link.base import LinkEndError
from plexor.wire.link.order import FrameOrder

HOLD_S = 0.05
"""How long frames wait for a missing one."""
RECEIVE_BYTES = 8 << 20
"""Bytes of datagrams that the system is asked to keep until they are read."""
_MOST_BYTES = 2048
_LONGEST_BLOCK = 253
_LEAST_BYTES = HEADER.size_bytes + CRC_BYTES
_CODES = [bytes([length]) for length in range(256)]
_END = bytes([DELIMITER])
_RESIDUE = zlib.crc32(b"\0" * CRC_BYTES)
"""CRC of any body with its CRC appended."""


class UdpLink:
    """Datagrams to and from one address; raises LinkError if it cannot be opened.

    Datagrams have no connection: an instrument that is not there is found out by its silence. A
    frame that is missing is counted as lost by whoever decodes the stream, from its sequence;
    `disorder` counts what the network did beside that (Disorder).
    """

    def __init__(self, host: str, port: int) -> None:
        self.name = self.serial = f"udp://{host}:{port}"
        self.bytes_s: int | None = None
        self._closed = False
        self._order = FrameOrder()
        self._held_since = 0.0
        self._unsent = b""
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(
                host, port, type=socket.SOCK_DGRAM
            )[0]
            self._socket = socket.socket(family, kind, protocol)
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BYTES)
            self._socket.connect(address)
        except OSError as error:
            raise LinkError(f"{self.name}: cannot open: {_reason(error)}") from error

    @property
    def disorder(self) -> Mapping[str, int]:
        """Frames that came out of order, too late or twice, so far."""
        return {str(kind): count for kind, count in self._order.counts.items() if count}

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Return at least one byte, or none after the timeout."""
        wait_s = min(timeout_s, HOLD_S) if self._order.waits else timeout_s
        pieces: list[bytes] = []
        size = 0
        try:
            self._socket.settimeout(max(wait_s, 1e-6))
            data = self._socket.recv(_MOST_BYTES)
            self._socket.settimeout(0.0)
            while True:
                pieces += map(_encoded, self._ordered(data))
                # What brings nothing on counts too, or such a flood would never end.
                size += len(data)
                if size >= max_bytes - 2 * _MOST_BYTES:
                    break
                data = self._socket.recv(_MOST_BYTES)
        except (TimeoutError, BlockingIOError):
            pass
        except (OSError, ValueError) as error:
            raise self._broken(error) from error
        if self._order.waits and time.monotonic() - self._held_since > HOLD_S:
            pieces += map(_encoded, self._order.release())
            self._held_since = time.monotonic()
        return b"".join(pieces)

    def write(self, data: bytes) -> None:
        """Write all of `data`, each frame that it ends as a datagram."""
        *frames, self._unsent = (self._unsent + data).split(_END)
        try:
            for frame in filter(None, frames):
                self._socket.send(cobs_decode(frame))
        except (OSError, ValueError) as error:
            raise self._broken(error) from error

    def close(self) -> None:
        """Close the socket; a read that waits ends."""
        self._closed = True
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _broken(self, error: Exception) -> LinkError:
        if self._closed:
            return LinkEndError(f"{self.name}: closed")
        if isinstance(error, ConnectionRefusedError):
            return LinkError(f"{self.name}: nothing listens there")
        return LinkError(f"{self.name}: network: {_reason(error)}")

    def _ordered(self, data: bytes) -> list[bytes]:
        """Return the frames that a datagram completes, in order; return other bytes as they are."""
        if len(data) < _LEAST_BYTES or zlib.crc32(data) != _RESIDUE:
            return [data]
        held = self._order.waits
        frames = self._order.put(HEADER.unpack(data[: HEADER.size_bytes])["sequence"], data)
        if self._order.waits and not (held and not frames):
            self._held_since = time.monotonic()
        return frames


def _encoded(frame: bytes) -> bytes:
    """Return a frame as it goes over a byte stream: COBS, and the delimiter."""
    blocks = frame.split(_END)
    if max(map(len, blocks)) > _LONGEST_BLOCK:
        return cobs_encode(frame) + _END
    codes = _CODES
    pieces = [piece for block in blocks for piece in (codes[len(block) + 1], block)]
    pieces.append(_END)
    return b"".join(pieces)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error) or type(error).__name__
