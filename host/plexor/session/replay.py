"""Rebuilds a run from a recording of the link's raw bytes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from plexor.decode.assemble import Circumstances, assemble
from plexor.decode.collect import Collector
from plexor.decode.decoder import Decoder, Part
from plexor.decode.register_image import RegisterImage, common_places, end_places, named, set_up
from plexor.device.device import identity_of, identity_places, operations_of
from plexor.errors import IdentityError
from plexor.link.base import LinkEndError
from plexor.link.file import FileLink
from plexor.model.identity import Identity
from plexor.model.results import RunResult
from plexor.plan.from_registers import registers_in, settings_in, wrong_in
from plexor.protocol.frames import Frame, FrameType, LogCode, OpCode
from plexor.protocol.geometry import MAGIC, PROTOCOL_MAJOR, PROTOCOL_MINOR
from plexor.protocol.registers import (
    CHANNEL,
    CONTROL,
    MATCHER,
    STEP,
    STIMULUS,
    Access,
    address,
    register,
)

_PIECE_BYTES = 1 << 20
_SET_UP = [
    place
    for block in (STIMULUS, CHANNEL, STEP, MATCHER, CONTROL)
    for copy in range(block.count)
    for place in set_up(block, copy)
]
_SET_UP_WORDS = frozenset(
    address(block, name, copy) + offset
    for block, copy, name in _SET_UP
    if register(block, name).access == Access.SETUP
    for offset in range(register(block, name).words)
)


class _Replay:
    """Register image and last run of a recording."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.image = RegisterImage()
        self.identity: Identity | None = None
        self.collector: Collector | None = None
        self._asked_before = False
        """Whether the image's settings belong to a run that has already begun."""

    def take(self, part: Part) -> None:
        """Take the next frames of the recording."""
        if isinstance(part, Frame) and part.type == FrameType.RESPONSE:
            self._response(part)
            return
        if isinstance(part, Frame):
            self.image.hear(part)
            if part.type == FrameType.LOG and part.tag in (LogCode.STARTED, LogCode.STOPPED):
                self._edge(part.tag)
        if self.collector is not None:
            self.collector.take(part)

    @property
    def broken(self) -> str | None:
        """Why the recording holds no complete run; None if it does."""
        if self.identity is None or self.image.unknown(end_places(self.identity)):
            return "the recording ends before the end of a run"
        asked = self.image.unknown(common_places(self.identity.geometry))
        return f"the recording has no {named(asked)}" if asked else None

    def _response(self, frame: Frame) -> None:
        written = (e["address"] for e in operations_of(frame) if e["code"] == OpCode.WRITE)
        if self._asked_before and any(place in _SET_UP_WORDS for place in written):
            # The next run is being set up, so the settings of the previous one no longer hold.
            self.image.forget(_SET_UP)
            self._asked_before = False
        self.image.update(frame)
        if self.identity is None:
            self._identify()

    def _edge(self, code: int) -> None:
        """Forget registers that do not describe this run or its end."""
        if self.identity is not None:
            self.image.forget(end_places(self.identity))
        if code == LogCode.STARTED:
            if self._asked_before:
                self.image.forget(_SET_UP)
            self._asked_before = True

    def _identify(self) -> None:
        if self.image.unknown([("identity", 0, "protocol_version")]):
            return
        version = self.image.value("identity", "protocol_version")
        if self.image.unknown(identity_places(version)):
            return
        magic = self.image.value("identity", "magic")
        major = version >> 16
        if magic != MAGIC or major != PROTOCOL_MAJOR:
            raise IdentityError(
                f"{self.name}: recorded from magic {magic:#010x}, protocol {major}; must be"
                f" {MAGIC:#010x}, protocol {PROTOCOL_MAJOR}.{PROTOCOL_MINOR}"
            )
        try:
            self.identity = identity_of(self.image)
        except ValueError as error:
            raise IdentityError(f"{self.name}: impossible identity: {error}") from error
        self.collector = Collector(self.identity.geometry)


def replay(path: Path, description: Mapping[str, str] | None = None) -> RunResult:
    """Return the result of the last run in a file of raw bytes (a run's `wire.bin`).

    Raises LinkError if the file cannot be read, and IdentityError if it lacks the identity, which
    every session reads first.
    """
    link = FileLink(path)
    decoder, state = Decoder(), _Replay(link.name)
    try:
        while True:
            for part in decoder.feed(link.read(_PIECE_BYTES, 0.0)):
                state.take(part)
    except LinkEndError:
        decoder.finish()
    finally:
        link.close()
    if state.identity is None or state.collector is None:
        raise IdentityError(
            f"{link.name}: no identity in {decoder.bytes_received} bytes"
            f" ({decoder.frames_received} frames, {decoder.fault_counts.total()} faults)"
        )
    return assemble(
        state.identity,
        state.image,
        state.collector,
        (decoder.frames_received, decoder.frames_lost),
        {str(kind): count for kind, count in decoder.fault_counts.items()},
        Circumstances(
            settings_in(state.image, state.identity.geometry),
            registers_in(state.image, state.identity.geometry),
            device=dict(description or {}),
            wrong=tuple(wrong_in(state.image, state.identity.geometry)),
            disorder={str(kind): count for kind, count in decoder.disorder.items()},
        ),
        state.broken,
    )
