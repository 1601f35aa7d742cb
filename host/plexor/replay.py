"""A run from recorded raw bytes of a link."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from plexor.assemble import Circumstances, assemble
from plexor.collect import Collector
from plexor.decode import Decoder
from plexor.device import identity_of, identity_places
from plexor.errors import IdentityError
from plexor.identity import Identity
from plexor.image import RegisterImage, end_places
from plexor.link.base import LinkEndError
from plexor.link.file import FileLink
from plexor.protocol.frames import Frame, FrameType, LogCode
from plexor.protocol.geometry import MAGIC, PROTOCOL_MAJOR, PROTOCOL_MINOR
from plexor.recorded import registers_in, settings_in
from plexor.results import RunResult

_PIECE_BYTES = 1 << 20


class _Replay:
    """The image and the last run of a recording."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.image = RegisterImage()
        self.identity: Identity | None = None
        self.collector: Collector | None = None

    def take(self, part: object) -> None:
        if isinstance(part, Frame):
            self.image.hear(part)
        if isinstance(part, Frame) and part.type == FrameType.RESPONSE:
            self.image.update(part)
            if self.identity is None:
                self._identify()
            return
        edges = (LogCode.STARTED, LogCode.STOPPED)
        if isinstance(part, Frame) and part.type == FrameType.LOG and part.tag in edges:
            # What was read before says nothing of this run, or of its end.
            self._forget_end()

    @property
    def ended(self) -> bool:
        """Whether all that a result is made of was read after the run."""
        return self.identity is not None and all(
            self.image.has(block, name, copy)
            for block, copy, name in end_places(self.identity.geometry)
        )

    def _forget_end(self) -> None:
        if self.identity is not None:
            for block, copy, name in end_places(self.identity.geometry):
                self.image.forget(block, name, copy)

    def _identify(self) -> None:
        version = self.image.get("identity", "protocol_version")
        if not all(
            self.image.has(block, name, copy) for block, copy, name in identity_places(version)
        ):
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
    """Return the result of the last run in a file of raw bytes (`wire.bin` of a run).

    Raises LinkError for a file that cannot be read, IdentityError for one without the identity,
    which is read first on every link.
    """
    link = FileLink(path)
    decoder, state = Decoder(), _Replay(link.name)
    try:
        while True:
            for part in decoder.feed(link.read(_PIECE_BYTES, 0.0)):
                state.take(part)
                response = isinstance(part, Frame) and part.type == FrameType.RESPONSE
                if state.collector is not None and not response:
                    state.collector.take(part)
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
            disorder={str(kind): count for kind, count in decoder.disorder.items()},
        ),
        None if state.ended else "the recording ends before the end of a run",
    )
