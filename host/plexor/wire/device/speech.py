# SPDX-License-Identifier: Apache-2.0
"""How a host and an instrument speak over a link: bytes as they are, or in a row of them."""

from __future__ import annotations

from collections.abc import Sequence

from plexor.protocol.frames import DELIMITER
from plexor.protocol.rows import RowReader, row_delimiter, row_request, to_row
from plexor.wire.link.base import Link

ROWS = (4, 2, 3, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15, 5, 1)
"""Printable rows first. Row 5 has the byte by which gateware measures a rate, row 1 controls."""


def rows_without(lost: Sequence[int]) -> list[int]:
    """Return the rows, first those that have no value of `lost`, delimiters included."""

    def has_lost(row: int) -> bool:
        return not set(lost).isdisjoint({*row_request(row), row_delimiter(row)})

    return sorted(ROWS, key=has_lost)


def row_note(row: int) -> str:
    """Return what a link in a row means."""
    first, *_, last = row_request(row)
    return (
        f"the link does not carry every value of a byte: it carries {first:#04x} to {last:#04x} "
        f"and {row_delimiter(row):#04x} alone, at half the rate"
    )


class Speech:
    """Encodes what goes to an instrument, and decodes what comes."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._reader: RowReader | None = None
        self.row = 0
        """The row; 0: bytes go as they are."""

    def change(self, row: int) -> None:
        """Have the instrument speak in a row of bytes; 0: in bytes as they are."""
        self.row, self._reader = row, RowReader(row) if row else None
        self._link.write(self._request() + bytes([row_delimiter(row) if row else DELIMITER]))

    def send(self, command: bytes, *, again: bool) -> None:
        """Send a command. `again`: it was not answered.

        A lost byte may have left a frame open at the instrument: a delimiter ends it. It may have
        ended the row as well: it is asked for again.
        """
        stream = bytes([DELIMITER]) + command if again else command
        if self.row:
            stream = (self._request() if again else b"") + to_row(stream, self.row)
        self._link.write(stream)

    def received(self, data: bytes) -> bytes:
        """Return the bytes of frames in what came."""
        return data if self._reader is None else self._reader.feed(data)

    def _request(self) -> bytes:
        return row_request(self.row) if self.row else b""
