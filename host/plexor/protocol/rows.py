# SPDX-License-Identifier: Apache-2.0
"""Rows: the byte stream over a link that does not carry every value of a byte.

Instruments know rows since 2.6. A row is the 16 values of bytes with the same upper half; row 4 is
0x40 to 0x4F. In row r each byte of the stream goes as two of the row's values, the byte's upper
half first. The delimiter goes as one value of another row, 16 (r xor 1) + 15, and each value that
is not in row r is read as one. So a link in a row sends 17 values, at half the rate.

The host asks for a row, 1 to 15, by its 16 values in rising order. They are recognised at any time;
in commands as they are they cannot occur, because each operation has a zero byte. From then on both
directions are in the row. A command that had begun is rejected with the next delimiter, which is
harmless. A byte 0x00 from the host ends the row: both directions are as they are again.
"""

from __future__ import annotations

import binascii

from plexor.protocol.frames import DELIMITER

ROW_VALUES = 16
ROWS_SINCE = 6
"""Minor version of the protocol since which instruments know rows."""
_DIGITS = b"0123456789abcdef"
_END = b"\n"


def row_request(row: int) -> bytes:
    """Return what asks an instrument for a row."""
    if not 1 <= row < ROW_VALUES:
        raise ValueError(f"row: {row}; must be 1 to {ROW_VALUES - 1}")
    return bytes(range(row * ROW_VALUES, (row + 1) * ROW_VALUES))


def row_delimiter(row: int) -> int:
    """Return the value that stands for the delimiter in a row."""
    return (row ^ 1) * ROW_VALUES + ROW_VALUES - 1


def to_row(stream: bytes, row: int) -> bytes:
    """Return bytes of the stream as they go over a link in a row."""
    table = bytes.maketrans(_DIGITS + _END, row_request(row) + bytes([row_delimiter(row)]))
    parts = stream.split(bytes([DELIMITER]))
    return _END.join(binascii.hexlify(part) for part in parts).translate(table)


class RowReader:
    """Makes the stream of what comes in a row, in any pieces.

    A half of a byte without the other, before a delimiter, is left out: no frame has its CRC then.
    """

    def __init__(self, row: int) -> None:
        values = row_request(row)
        self._table = bytes(
            _DIGITS[values.index(value)] if value in values else _END[0] for value in range(256)
        )
        self._half = b""

    def feed(self, data: bytes) -> bytes:
        """Return the bytes of the stream that the next ones complete."""
        *parts, last = (self._half + data.translate(self._table)).split(_END)
        whole = len(last) & ~1
        self._half = last[whole:]
        parts = [part[: len(part) & ~1] for part in parts]
        return bytes([DELIMITER]).join(map(binascii.unhexlify, (*parts, last[:whole])))
