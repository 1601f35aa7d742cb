# SPDX-License-Identifier: Apache-2.0
"""A serial port: exclusive, with low latency if the system offers it."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from typing import Any

from plexor.base.errors import LinkError, UsageError
from plexor.wire.link.ahead import Ahead
from plexor.wire.link.boards import at_port

DEFAULT_BAUD = 3_000_000
LEAST_BAUD = 9_600
LEAST_OTHER_BAUD = 300
"""Of a line to something else than an instrument."""
MOST_BAUD = 12_000_000
BITS_A_BYTE = 10
WRITE_TIMEOUT_S = 10.0
BREAK_S = 0.001
"""Shortest break."""
BREAK_BITS = 20
"""Least length of a break, in bits: longer than a byte."""
MOST_RATE_ERROR = 0.02
"""Part of the rate by which that of a port may be off: a byte's last bit is then still its own."""
_TCGETS2 = 0x802C542A
"""Reads `struct termios2`, which ends with the speed out (asm-generic/termbits.h)."""
_TERMIOS2_BYTES, _SPEED_BYTES = 44, 4
PREAMBLE = b"\x55\x00"
"""Bytes on which gateware measures the rate; the second byte ends any frame that had begun."""


def _usb_serial(port: str) -> str:
    """Return the serial number of the USB device behind a port; empty if it has none."""
    from serial.tools.list_ports import comports  # noqa: PLC0415

    real = os.path.realpath(port)
    ports = [port_info for port_info in comports() if os.path.realpath(port_info.device) == real]
    return (ports[0].serial_number or "") if ports else ""


class SerialLink:
    """A serial port of 8 data bits, no parity, 1 stop bit.

    `is_instrument`: gateware is at its other end, and measures its rate. Otherwise nothing but what
    is written goes out, and slower rates are possible too. `ahead`: a process of its own reads it.
    """

    def __init__(
        self,
        port: str,
        baud: int = DEFAULT_BAUD,
        *,
        is_instrument: bool = True,
        ahead: bool = True,
    ) -> None:
        least = LEAST_BAUD if is_instrument else LEAST_OTHER_BAUD
        if not least <= baud <= MOST_BAUD:
            raise UsageError(f"serial:{port}: baud {baud}; must be {least} to {MOST_BAUD}")
        self.port = port
        self.baud = baud
        self.note = ""
        """How the rate is known, if the URI did not say it."""
        self.name = f"serial:{port}?baud={baud}"
        self.bytes_s: int | None = baud // BITS_A_BYTE
        self.serial = _usb_serial(port) or f"serial:{port}"
        device = at_port(port) if is_instrument else None
        boards = () if device is None else device.boards
        self.loses: tuple[int, ...] = tuple(value for board in boards for value in board.loses)
        """Values of bytes that the board's USB bridge is said to lose."""
        # Imported here: a run on a simulated instrument needs no serial port.
        import serial  # noqa: PLC0415

        self._errors: tuple[type[Exception], ...] = (serial.SerialException, OSError, TypeError)
        try:
            self._port: Any = serial.Serial(
                port, baud, timeout=0.0, write_timeout=WRITE_TIMEOUT_S, exclusive=True
            )
        except (*self._errors, ValueError) as error:
            raise LinkError(f"{self.name}: cannot open: {_reason(error)}") from error
        self._ahead: Ahead | None = None
        actual_baud = _rate_taken(self._port.fd) if sys.platform == "linux" else None
        if actual_baud and abs(actual_baud - baud) > baud * MOST_RATE_ERROR:
            self.close()
            raise LinkError(
                f"{self.name}: the port runs at {actual_baud:,} baud instead of {baud:,}; its "
                "bridge cannot do that rate"
            )
        if ahead and os.name == "posix":
            self._ahead = Ahead(self._port.fileno())
        if is_instrument:
            if any(board.holds for board in boards):
                self._have_the_bridge_hold()
            self._have_rate_measured()
        # FTDI's default of 16 ms between two reports is the real cost of a round trip. pyserial can
        # change it on Linux alone, and there not of every kind of port.
        if sys.platform == "linux":
            with contextlib.suppress(OSError, ValueError):
                self._port.set_low_latency_mode(True)

    def _have_the_bridge_hold(self) -> None:
        """Have the bridge hold the gateware while it has no room, on a board that wires RTS#.

        Gateware that obeys RTS# drives CTS# low. With any other the host would wait for ever.
        """
        with contextlib.suppress(*self._errors):
            self._port.rtscts = bool(self._port.cts)

    def _have_rate_measured(self) -> None:
        """Gateware that measures its rate does so after a break.

        One with a set rate takes neither break nor preamble for a command.
        """
        with contextlib.suppress(*self._errors):
            self._port.break_condition = True
            time.sleep(max(BREAK_S, BREAK_BITS / self.baud))
            self._port.break_condition = False
        self.write(PREAMBLE)

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Return at least one byte, or none after the timeout."""
        try:
            if self._ahead is not None:
                return self._ahead.read(max_bytes, timeout_s)
            if self._port.timeout != timeout_s:
                self._port.timeout = timeout_s
            first: bytes = self._port.read(1)
            if not first:
                return b""
            more_bytes: bytes = self._port.read(min(self._port.in_waiting, max_bytes - 1))
        except self._errors as error:
            raise LinkError(f"{self.name}: port broken: {error}") from error
        return first + more_bytes

    def write(self, data: bytes) -> None:
        """Write all of `data`."""
        try:
            self._port.write(data)
        except self._errors as error:
            raise LinkError(f"{self.name}: port broken: {error}") from error

    def close(self) -> None:
        """Close the port; a read that waits ends."""
        if self._ahead is not None:
            self._ahead.close()
        with contextlib.suppress(*self._errors, AttributeError):
            self._port.cancel_read()
        with contextlib.suppress(*self._errors):
            self._port.close()


def _rate_taken(port: int) -> int | None:
    """Return the rate that Linux set on an open port; None if it does not tell.

    A driver that cannot do a rate sets another one without an error: ftdi_sio 9,600 baud.
    """
    import fcntl  # noqa: PLC0415

    try:
        settings = fcntl.ioctl(port, _TCGETS2, bytes(_TERMIOS2_BYTES))
    except OSError:
        return None
    return int.from_bytes(settings[-_SPEED_BYTES:], sys.byteorder)


def _reason(error: Exception) -> str:
    """Return why a port cannot be opened, without the numbers and names that pyserial repeats."""
    number = getattr(error, "errno", None)
    if number in (errno.EAGAIN, errno.EBUSY):
        return "another program has it open"
    return os.strerror(number).lower() if number else str(error)
