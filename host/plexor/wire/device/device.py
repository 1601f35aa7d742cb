# SPDX-License-Identifier: Apache-2.0
"""An instrument at the end of a link: checks its identity, and reads and writes its registers.

The host trusts nothing that the instrument sends. Anything that does not fit is an error with a
clear text.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import Protocol

from plexor.base.counts import counted
from plexor.base.errors import IdentityError, InstrumentError, LinkError, StoreError
from plexor.base.units import FEMTOSECONDS
from plexor.model.identity import Identity
from plexor.model.load import DeviceLoad, parse_device_load
from plexor.model.settings import RegisterWrite
from plexor.protocol.frames import (
    CRC_BYTES,
    HEADER,
    MAX_OPERATIONS,
    OPERATION,
    Frame,
    FrameType,
    LogCode,
    OpCode,
    OpStatus,
    to_stream,
)
from plexor.protocol.geometry import (
    ALL_FEATURES,
    BOARD_BYTES,
    EVENTS_SINCE,
    MAGIC,
    MATCH_SINCE,
    PROTOCOL_MAJOR,
    PROTOCOL_MINOR,
    Feature,
    Geometry,
)
from plexor.protocol.registers import IDENTITY, address, register
from plexor.protocol.rows import ROWS_SINCE
from plexor.wire.decode.decoder import Decoded, Decoder
from plexor.wire.decode.register_image import RegisterImage, RegisterKey
from plexor.wire.device.silence import Cause, LineExchange, advice
from plexor.wire.device.speech import Speech, rows_without
from plexor.wire.link.base import DatagramLink, Link, Reader, SimulatedLink
from plexor.wire.link.rates import RATES, answering, rates_text
from plexor.wire.link.serial_port import SerialLink
from plexor.wire.link.sim import SimLink

RETRY_TIMEOUTS_S = (0.5, 1.0, 2.0, 4.0)
"""Time that each try of a command waits for its response, in seconds."""
MOST_WAIT_S = 30.0
"""Maximum wall time for one answer, in seconds, even from a simulated instrument."""
SIMULATED_PATIENCE = 60
"""Factor for waits on a simulated board: one second of its time may take half an hour. Only what
its simulation sends comes at its own rate."""
USUAL_BYTES_S = 11_520
"""Bytes per second of the slowest link for which the waits are meant: 115,200 baud."""

MOST_IN_FLIGHT_BYTES = 1 << 24
"""Bytes that a link whose rate is not known holds between the instrument and the host."""
IN_FLIGHT_S = 5
"""The same of one whose rate is known, as a time."""

TOGETHER_BYTES = 512
"""Bytes of commands that may be on their way at once: what the gateware's UART holds."""
_COMMAND_BYTES = HEADER.size_bytes + MAX_OPERATIONS * OPERATION.size_bytes + CRC_BYTES + 3
"""A command of most operations, with two bytes of COBS and the delimiter."""

PROBE_S = 0.1
"""Time that a command waits for its answer while it is found out what the link carries."""
MOST_NOT_CARRIED = 8
"""Where more values of bytes are lost, they are not lost by their value."""
ROW_S = 0.2
"""The same while it is found out in which row of bytes the instrument answers."""
_EVERY_DIGIT = (0x0123, 0x4567, 0x89AB, 0xCDEF)
"""Addresses with every half of a byte."""
_EVERY_VALUE = (*(low | low + 1 << 8 for low in range(1, 255, 2)), 255)
"""Addresses with every value of a byte."""
_RESTS = (0, 0x5A5A5A, 0xA53C69)
"""The rest of a sequence, each with a CRC of its own: that may have a value that is lost, too."""
_STATUS_TEXTS = {
    OpStatus.NO_REGISTER: "has no such register",
    OpStatus.READ_ONLY: "reports that it is read-only",
    OpStatus.RUNNING: "accepts it only while no run is under way",
    OpStatus.NO_OPERATION: "does not know the operation",
}


class Consumer(Protocol):
    """Takes everything that the instrument sends, except responses to commands."""

    def take(self, decoded: Decoded, /) -> None:
        """Take the next frames, in the order of arrival."""
        ...


class ByteTap(Protocol):
    """Takes the raw bytes of a link."""

    def write(self, data: bytes, /) -> object:
        """Take the next bytes of the link."""
        ...


class Device:
    """An instrument. The constructor reads and checks its identity.

    Frames are handled in the caller's thread, while a command waits or in `pump`. `image` holds the
    last known register values. `tap` gets the raw bytes as they come.
    """

    identity: Identity

    def __init__(
        self,
        link: Link,
        tap: ByteTap | None = None,
        timeouts_s: Sequence[float] = RETRY_TIMEOUTS_S,
    ) -> None:
        self.name = link.name
        self.serial = link.serial
        self.decoder = Decoder()
        self.image = RegisterImage()
        self.consumer: Consumer | None = None
        self._link = link
        self._tap = tap
        self._timeouts_s = timeouts_s
        self._sequence = 0
        self._bytes_s = link.bytes_s
        self.retries = 0
        """Number of commands sent again because no answer came."""
        self._first = 0
        """Sequence number of the first try of the latest command."""
        self._in_flight_bytes = (
            MOST_IN_FLIGHT_BYTES if link.bytes_s is None else IN_FLIGHT_S * link.bytes_s
        )
        self._responses: deque[Frame] = deque()
        """Responses to the latest commands, in the order in which they came."""
        self._reader = Reader(link)
        self._heard = LineExchange()
        self._speech = Speech(link)
        self._may_go_together = False
        try:
            self.identity = self._find_identity()
            # Datagrams may change places. A simulator's link turns at once, and its twin takes
            # commands one by one.
            self._may_go_together = not (self.identity.simulated or isinstance(link, DatagramLink))
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def load(self) -> DeviceLoad | None:
        """The load of the device under test, if its simulator says it; None: not known."""
        link = self._link
        return parse_device_load(link.load) if isinstance(link, SimulatedLink) else None

    @property
    def core(self) -> str:
        """What takes a simulated instrument's place: `twin` or `gateware`; empty if not known."""
        return self._link.core if isinstance(self._link, SimLink) else ""

    @property
    def handed_over(self) -> str:
        """Why a twin has handed a run over to the gateware; empty where none has."""
        return self._link.handed_over if isinstance(self._link, SimLink) else ""

    @property
    def disorder(self) -> Counter[str]:
        """Number of frames that came out of order, by what happened to them."""
        counts = Counter({str(kind): count for kind, count in self.decoder.disorder.items()})
        return counts + Counter(
            self._link.disorder if isinstance(self._link, DatagramLink) else Counter[str]()
        )

    @property
    def row(self) -> int:
        """Row of bytes that the link is in (plexor.protocol.rows); 0: bytes go as they are."""
        return self._speech.row

    @property
    def carried_bytes_s(self) -> Fraction | None:
        """What a board's link carries in bytes per second; None if not known.

        A simulation passes on more than its board's link would carry, but says what that is.
        """
        bytes_s = getattr(self._link, "board_bytes_s", None) or self._bytes_s
        return None if bytes_s is None else Fraction(bytes_s, 2 if self.row else 1)

    @property
    def nominal_bytes_s(self) -> Fraction | None:
        """The link's maximum rate in bytes per second of the instrument's time; None if not known.

        The simulated instrument passes on about one byte in four core clocks. A simulated board
        reports the rate of its link.
        """
        values = 2 if self.row else 1
        if self.image.simulated_bytes_s is not None:
            return Fraction(self.image.simulated_bytes_s, values) or None
        if self.identity.simulated:
            geometry = self.identity.geometry
            return Fraction(FEMTOSECONDS, 4 * geometry.samples * geometry.tick_fs)
        return None if self._bytes_s is None else Fraction(self._bytes_s, values)

    @property
    def patience(self) -> int:
        """Factor for every wait: 1 for a real instrument, more for a simulated one and a slow link.

        A link of less than USUAL_BYTES_S takes as much longer.
        """
        if self.image.simulated_bytes_s is not None or isinstance(self._link, SimulatedLink):
            return SIMULATED_PATIENCE
        return 1 if self._bytes_s is None else max(1, math.ceil(USUAL_BYTES_S / self._bytes_s))

    def take_said(self) -> tuple[str, ...]:
        """Return what a simulated design has written since the last call; nothing of others.

        Of all that a design writes, the first lines are kept.
        """
        return self._link.take_said() if isinstance(self._link, SimLink) else ()

    def close(self) -> None:
        """Close the link, which is in no row then. May be called twice."""
        if self.row:
            with contextlib.suppress(LinkError):
                self._speech.change(0)
        self._reader.close()

    def read(self, block: str, name: str, copy: int = 0) -> int:
        """Return a register's value. A 64-bit value may tear if it changes during the read."""
        return self.read_all([(block, copy, name)])[0]

    def read_all(self, keys: Sequence[tuple[str, int, str]]) -> list[int]:
        """Return the values of registers given as (block, copy, name)."""
        self._operate(
            (base + offset, OpCode.READ, 0)
            for block, copy, name in keys
            for base in (address(block, name, copy),)
            for offset in range(register(block, name).words)
        )
        return [self.image.value(block, name, copy) for block, copy, name in keys]

    def write(self, block: str, name: str, value: int, copy: int = 0) -> None:
        """Write a register. Raises ValueError if the value does not fit."""
        self.write_all([RegisterWrite(block, copy, name, value)])

    def write_all(self, writes: Iterable[RegisterWrite]) -> None:
        """Write registers in order, several in each frame."""
        self._operate(
            (address(block, name, copy) + offset, OpCode.WRITE, bits >> 32 * offset & 0xFFFFFFFF)
            for block, copy, name, value in writes
            for bits in (register(block, name).check(value),)
            for offset in range(register(block, name).words)
        )

    def write_once(
        self, block: str, name: str, value: int, most_wait_s: float | None = None
    ) -> bool:
        """Write a one-word register with a single try; return whether it was answered.

        `most_wait_s` bounds the wait even while bytes come.
        """
        try:
            operation = (address(block, name), OpCode.WRITE, register(block, name).check(value))
            bounded = most_wait_s is not None
            self._command([operation], self._timeouts_s[:1], most_wait_s or MOST_WAIT_S, bounded)
        except SilenceError:
            return False
        return True

    def never_carried(self) -> tuple[int, ...]:
        """Return the values of bytes that the link loses either way; none if it is not by value.

        A command's sequence has the value, and its answer repeats it.
        """
        lost: list[int] = []
        for value in range(1, 256):
            if not any(self._carries(value | upper_bits << 8) for upper_bits in _RESTS):
                lost.append(value)
                if len(lost) > MOST_NOT_CARRIED:
                    return ()
        return tuple(lost)

    def pump(self, timeout_s: float) -> bool:
        """Wait for bytes and handle all that have come; return whether any came.

        Raises LinkError when the link has ended and everything that came is handled.
        """
        data = self._reader.take(timeout_s)
        if not data:
            return False
        data = self._speech.received(data)
        if self._tap is not None:
            try:
                self._tap.write(data)
            except OSError as error:
                path = getattr(self._tap, "name", "raw bytes")
                raise StoreError(f"{path}: cannot write: {error.strerror or error}") from error
        self._heard.take(data)
        for decoded in self.decoder.feed(data):
            if isinstance(decoded, Frame):
                self.image.hear(decoded)
                self._heard.rejected += (decoded.type, decoded.tag) == (
                    FrameType.LOG,
                    LogCode.REJECTED,
                )
            if isinstance(decoded, Frame) and decoded.type == FrameType.RESPONSE:
                # An answer to an earlier try is as good.
                if (decoded.index - self._first) % (1 << 32) <= self._sequence - self._first:
                    self._responses.append(decoded)
            elif self.consumer is not None:
                self.consumer.take(decoded)
        return True

    def waiting(self, most_bytes: int = 0) -> Wait:
        """Begin a wait for what is at most so many bytes, of an instrument that was just asked."""
        return Wait(self._reader, self._in_flight_bytes + most_bytes)

    def _operate(self, operations: Iterable[tuple[int, OpCode, int]]) -> None:
        groups = grouped(operations)
        while together := tuple(islice(groups, self._most_together)):
            answered = self._together(together) if len(together) > 1 else 0
            for group in together[answered:]:
                self._command(group, self._timeouts_s, MOST_WAIT_S, again=len(together) > 1)

    @property
    def _most_together(self) -> int:
        """Number of commands that may be on their way at once."""
        if not self._may_go_together:
            return 1
        return max(TOGETHER_BYTES // (_COMMAND_BYTES * (2 if self.row else 1)), 1)

    def _together(self, groups: Sequence[tuple[tuple[int, OpCode, int], ...]]) -> int:
        """Send commands one behind the other; return how many were answered, up to the first gap.

        So a link that is slow to turn costs its time once. What was not answered can be sent again,
        and all behind it in its order: reads and writes can be repeated. Raises InstrumentError for
        one that was rejected.
        """
        first = self._first = (self._sequence + 1) % (1 << 32)
        self._responses.clear()
        self._heard.command = b"".join(map(self._next_command, groups))
        self._speech.send(self._heard.command, again=False)
        wait, answered = self.waiting(), 0
        most_s = min(self._timeouts_s[0] * self.patience, MOST_WAIT_S)
        while answered < len(groups) and (left_s := wait.left_s(most_s, False)) > 0:
            self.pump(left_s)
            while self._responses:
                response = self._responses.popleft()
                is_next = response.index == (first + answered) % (1 << 32)
                if not is_next or not self._answered(groups[answered], response, True):
                    self.retries += 1
                    return answered
                answered += 1
        self.retries += answered < len(groups)
        return answered

    def _next_command(self, operations: Sequence[tuple[int, OpCode, int]]) -> bytes:
        """Return the next command as it goes over the link."""
        self._sequence = (self._sequence + 1) % (1 << 32)
        payload = b"".join(
            OPERATION.pack({"address": word_address, "code": code, "status": 0, "value": value})
            for word_address, code, value in operations
        )
        return to_stream(Frame(FrameType.COMMAND, 0, 0, self._sequence, 0, 0, payload))

    def _command(
        self,
        operations: Sequence[tuple[int, OpCode, int]],
        tries_s: Sequence[float],
        most_wait_s: float,
        bounded: bool = False,
        must_be: bool = True,
        again: bool = False,
    ) -> None:
        """Send operations until they are answered. Reads and writes can be repeated safely.

        Silence counts from the last byte that came, unless the wait is `bounded`. `again`: they, or
        some before them, were sent and not answered. Raises InstrumentError for one that was
        rejected, if they `must_be` executed.
        """
        self._first = (self._sequence + 1) % (1 << 32)
        for attempt, timeout_s in enumerate(tries_s):
            self.retries += attempt > 0
            self._responses.clear()
            self._heard.command = self._next_command(operations)
            self._speech.send(self._heard.command, again=again or attempt > 0)
            wait = self.waiting()
            # A simulated board may not have announced itself before.
            while (left_s := wait.left_s(min(timeout_s * self.patience, most_wait_s), bounded)) > 0:
                self.pump(left_s)
                while self._responses:
                    if self._answered(operations, self._responses.popleft(), must_be):
                        return
        waited_s = sum(min(each * self.patience, most_wait_s) for each in tries_s)
        raise SilenceError(
            f"{self.name}: no answer from the instrument in {waited_s:g} s "
            f"({counted(len(tries_s), 'try')})"
        )

    def _answered(
        self, operations: Sequence[tuple[int, OpCode, int]], response: Frame, must_be: bool
    ) -> bool:
        """Return whether a response repeats the operations; raise if one was rejected."""
        answers = operations_of(response)
        if [(a["address"], a["code"]) for a in answers] != [(p, c) for p, c, _ in operations]:
            return False
        if not must_be:
            return True
        for answer, (word_address, code, value) in zip(answers, operations, strict=True):
            if answer["status"] != OpStatus.OK:
                known = answer["status"] in set(OpStatus)
                text = _STATUS_TEXTS[OpStatus(answer["status"])] if known else "rejects it"
                raise InstrumentError(
                    f"{self.name}: register word {word_address:#06x}: the instrument {text}"
                    f" (status {answer['status']})"
                )
            if code == OpCode.WRITE and answer["value"] != value:
                raise InstrumentError(
                    f"{self.name}: register word {word_address:#06x}: the instrument stored "
                    f"{answer['value']:#x} instead of the {value:#x} that was written"
                )
        self.image.update(response)
        return True

    def _find_identity(self) -> Identity:
        """Return the identity, over bytes as they are or in a row that the link carries.

        Raises SilenceError with its cause if the instrument answers in neither way.
        """
        lost, timeouts_s = self._lost_by_board(), self._timeouts_s
        # Where bytes are lost, waiting is of no use.
        self._timeouts_s = timeouts_s[:1] if lost else timeouts_s
        try:
            identity = self._read_identity()
        except SilenceError as error:
            silence = error
        else:
            sound = self._carries_every_value(identity)
            return identity if sound else self._in_a_row(lost) or identity
        finally:
            self._timeouts_s = timeouts_s
        heard, self._heard = self._what_came(), LineExchange()
        identity = self._in_a_row(lost)
        if identity is None and lost:
            with contextlib.suppress(SilenceError):
                identity = self._read_identity()
        if identity is not None:
            return identity
        try:
            reason = self._why_silent(heard)
        finally:
            self.close()
        raise SilenceError(f"{silence}: {reason}") from silence

    def _lost_by_board(self) -> tuple[int, ...]:
        """Return the values of bytes that the board's USB bridge is said to lose."""
        return self._link.loses if isinstance(self._link, SerialLink) else ()

    def _carries_every_value(self, identity: Identity) -> bool:
        """Return whether the link carries every value of a byte both ways.

        Tried only of a serial link, and of an instrument that can do with fewer.
        """
        minor = identity.protocol_version & 0xFFFF
        if not isinstance(self._link, SerialLink) or minor < ROWS_SINCE:
            return True
        return self._echoes(_EVERY_VALUE, self._timeouts_s[:2])

    def _in_a_row(self, lost: Sequence[int]) -> Identity | None:
        """Return the identity in the first row of bytes that the link carries both ways.

        None: it answers in none. Then bytes go as they are again. Rows without `lost` come first.
        """
        if isinstance(self._link, DatagramLink | SimulatedLink):
            return None
        wait_s = min(ROW_S, self._timeouts_s[0])
        timeouts_s, self._timeouts_s = self._timeouts_s, (wait_s,)
        try:
            for row in rows_without(lost):
                self._speech.change(row)
                self.decoder = Decoder()
                # Its request has every value of the row, and so have these answers.
                with contextlib.suppress(SilenceError):
                    if self._echoes(_EVERY_DIGIT, (wait_s,), bounded=True):
                        return self._read_identity()
            self._speech.change(0)
        finally:
            self._timeouts_s, self.retries = timeouts_s, 0
        return None

    def _echoes(
        self, addresses: Sequence[int], tries_s: Sequence[float], bounded: bool = False
    ) -> bool:
        """Return whether reads of register words are answered, whether there are such or not.

        With `bounded` other bytes that come do not make the wait longer.
        """
        for group in grouped((word, OpCode.READ, 0) for word in addresses):
            try:
                self._command(group, tries_s, MOST_WAIT_S, bounded, must_be=False)
            except SilenceError:
                return False
        return True

    def _what_came(self) -> LineExchange:
        """Return what was sent and what came so far."""
        heard = self._heard
        heard.frames, heard.faults = self.decoder.frames_received, self.decoder.fault_counts
        return heard

    def _why_silent(self, heard: LineExchange) -> str:
        """Return why the identity is not answered, and what to do next. A serial port is closed."""
        if heard.cause in (Cause.DAMAGED, Cause.REJECTED):
            heard.dropped = self.never_carried()
        link = self._link
        reason = advice(heard, serial=isinstance(link, SerialLink))
        if not isinstance(link, SerialLink) or heard.cause not in (Cause.NOTHING, Cause.GARBLED):
            return reason
        self.close()
        other_rates = tuple(rate for rate in RATES if rate != link.baud)
        for rate in answering(link.port, other_rates):
            return f"it answers at another rate: --link 'serial:{link.port}?baud={rate}'"
        return f"{reason}; at {rates_text(other_rates)} baud nothing answers either"

    def _carries(self, sequence: int) -> bool:
        self._sequence = sequence - 1
        read = (address("identity", "magic"), OpCode.READ, 0)
        try:
            self._command([read], (PROBE_S,), PROBE_S, bounded=True)
        except SilenceError:
            return False
        return True

    def _read_identity(self) -> Identity:
        """Return the identity. Raises IdentityError if this host cannot work with it."""
        magic, version = self.read_all(
            [("identity", 0, "magic"), ("identity", 0, "protocol_version")]
        )
        if magic != MAGIC:
            raise IdentityError(
                f"{self.name}: not a Plexor: its magic is {magic:#010x}, must be {MAGIC:#010x}"
            )
        if version >> 16 != PROTOCOL_MAJOR:
            raise IdentityError(
                f"{self.name}: the instrument speaks protocol {version >> 16}.{version & 0xFFFF}, "
                f"this host {PROTOCOL_MAJOR}.{PROTOCOL_MINOR}; the major versions must be equal"
            )
        self.read_all(identity_registers(version))
        try:
            return identity_of(self.image)
        except ValueError as error:
            raise IdentityError(f"{self.name}: impossible identity: {error}") from error


class Wait:
    """A wait for the answer to a command that was just sent, by what comes meanwhile.

    While nothing comes, time counts. While bytes come, the answer may be behind others: behind what
    the host has not yet handled, which takes a slow host long. So a wait ends if what came later
    than it lasts has been handled. If the host let the link wait, what came may itself be late:
    then it ends after all bytes that can have been before the answer.
    """

    def __init__(self, reader: Reader, most_bytes: int) -> None:
        self._reader = reader
        self._began_s = time.monotonic()
        self._most_bytes = reader.received_bytes + most_bytes

    def is_over(self, wait_s: float) -> bool:
        """Return whether all that can have been sent within the wait has been handled."""
        late = self._reader.heard_s > self._began_s + wait_s
        waited = self._reader.full_s >= self._began_s
        return late and (not waited or self._reader.taken_bytes > self._most_bytes)

    def left_s(self, wait_s: float, bounded: bool) -> float:
        """Return how long to wait for the next bytes; 0 or less at the end of the wait."""
        now_s = time.monotonic()
        if bounded:
            return self._began_s + wait_s - now_s
        heard_s = max(self._reader.heard_s, self._began_s)
        if self._reader.received_bytes > self._reader.taken_bytes:
            heard_s = now_s  # the next bytes are there
        return 0.0 if self.is_over(wait_s) else heard_s + wait_s - now_s


class SilenceError(LinkError):
    """The link is open, but the instrument does not answer."""


def grouped(
    operations: Iterable[tuple[int, OpCode, int]],
) -> Iterator[tuple[tuple[int, OpCode, int], ...]]:
    """Yield operations in groups that fit into one command frame."""
    remaining = iter(operations)
    while group := tuple(islice(remaining, MAX_OPERATIONS)):
        yield group


def operations_of(frame: Frame) -> list[dict[str, int]]:
    """Return the operations of a COMMAND or RESPONSE frame."""
    size = OPERATION.size_bytes
    size_bytes = len(frame.payload) // size * size
    return [OPERATION.unpack(frame.payload[n : n + size]) for n in range(0, size_bytes, size)]


def identity_registers(version: int) -> list[RegisterKey]:
    """Return the registers that form the identity in a version of the protocol."""
    minor = version & 0xFFFF
    return [
        ("identity", 0, register.name) for register in IDENTITY.registers if register.since <= minor
    ]


def identity_of(image: RegisterImage) -> Identity:
    """Return the identity from register values; fields that its protocol lacks are 0.

    A simulated board's report of itself is included, because its gateware does not know it. Raises
    ValueError for an impossible identity.
    """
    value = {
        register.name: image.value("identity", register.name)
        if image.has("identity", register.name)
        else 0
        for register in IDENTITY.registers
    }
    board = value["board"].to_bytes(BOARD_BYTES, "little").rstrip(b"\0")
    if not (board.isascii() and board.decode("latin-1").isprintable()):
        raise ValueError(f"board: {board!r}; must be printable ASCII")
    geometry = Geometry(
        **{
            name: value[name]
            for name in (
                "channels",
                "strikes",
                "samples",
                "tick_fs",
                "latency_mantissa_bits",
                "fall_mantissa_bits",
                "interval_mantissa_bits",
                "zoom_bits",
                "queue_depth",
                "word_fifo_depth",
                "upload_depth",
                "ring_depth",
                "phases",
                "deep_depth",
                "table_steps",
                "code_bits",
                "timecode_bits",
                "lamps",
            )
        },
        features=_features(value["features"], value["protocol_version"]),
        board=board.decode("ascii"),
    )
    if image.simulated_bytes_s is not None:
        geometry = replace(geometry, features=geometry.features | Feature.SIMULATED)
    return Identity(geometry, value["gateware_hash"], value["protocol_version"], value["build_id"])


def _features(value: int, version: int) -> Feature:
    """Return the features in an identity, by the protocol's version."""
    known = Feature(value) & (ALL_FEATURES | Feature.CODES)
    minor = version & 0xFFFF
    known |= Feature.EVENTS if minor < EVENTS_SINCE else Feature(0)
    return known | (Feature.MATCH if minor < MATCH_SINCE else Feature(0))
