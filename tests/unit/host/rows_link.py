# SPDX-License-Identifier: Apache-2.0
"""Links that lose values of bytes, and an instrument's end that knows rows.

Written from docs/PROTOCOL.md, byte by byte; no code of the host is used.
"""

from __future__ import annotations


class Losing:
    """A link that carries all bytes but some values: `up` of the host's, `down` of the others."""

    def __init__(self, link, up=(), down=()) -> None:
        self._link, self._up, self._down = link, frozenset(up), frozenset(down)
        self.loses = ()
        self.carried: set[int] = set()
        """Values that the host has received."""

    def __getattr__(self, name):
        return getattr(self._link, name)

    def read(self, max_bytes, timeout_s):
        """Return what comes but for the values that are lost."""
        data = bytes(
            byte for byte in self._link.read(max_bytes, timeout_s) if byte not in self._down
        )
        self.carried |= set(data)
        return data

    def write(self, data):
        """Send what is not lost."""
        self._link.write(bytes(byte for byte in data if byte not in self._up))


class KnowsRows:
    """A link to an instrument that does not know rows, in front of which something does."""

    def __init__(self, link) -> None:
        self._link = link
        self.row = None
        self.rows: list[int] = []
        """Rows that were asked for."""
        self._half: int | None = None
        self._latest = bytes(16)

    def __getattr__(self, name):
        return getattr(self._link, name)

    def read(self, max_bytes, timeout_s):
        """Return what comes, in the row."""
        data = self._link.read(max_bytes, timeout_s)
        if self.row is None:
            return data
        out = b""
        for byte in data:
            upper, lower = divmod(byte, 16)
            mark = bytes([(self.row ^ 1) * 16 + 15])
            out += bytes([self.row * 16 + upper, self.row * 16 + lower]) if byte else mark
        return out

    def write(self, data):
        """Pass on what the host's bytes stand for."""
        out = b"".join(map(self._take, data))
        if out:
            self._link.write(out)

    def _take(self, byte: int) -> bytes:
        upper, lower = divmod(byte, 16)
        out = b""
        if self.row is None:
            out = bytes([byte])
        elif upper != self.row:
            self._half, out = None, b"\0"
        elif self._half is None:
            self._half = lower
        else:
            self._half, out = None, bytes([self._half * 16 + lower])
        self._latest = self._latest[1:] + bytes([byte])
        if byte == 0:
            self.row = self._half = None
        elif upper and self._latest == bytes(range(upper * 16, upper * 16 + 16)):
            self.row = upper
            self.rows.append(upper)
        return out
