# SPDX-License-Identifier: Apache-2.0
"""Rebuilds a run from a recording of the link's raw bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from plexor.base.counts import counted
from plexor.base.errors import IdentityError
from plexor.model.identity import Identity
from plexor.model.on_host import COMPUTED
from plexor.model.results import RunResult
from plexor.model.settings import RegisterWrite, Settings
from plexor.protocol.frames import Frame, FrameType, LogCode, OpCode
from plexor.protocol.geometry import MAGIC, PROTOCOL_MAJOR, PROTOCOL_MINOR
from plexor.protocol.registers import (
    CHANNEL,
    CONTROL,
    LONG_FILTER,
    MATCHER,
    STEP,
    STIMULUS,
    Access,
    address,
    register,
)
from plexor.run.plan.from_registers import registers_in, settings_in, wrong_in
from plexor.run.session.follow import Listeners
from plexor.run.session.snapshots import Snapshots, SnapshotSource
from plexor.run.session.stop import Stop
from plexor.wire.decode.assemble import Circumstances, assemble
from plexor.wire.decode.channels import matching_of
from plexor.wire.decode.collect import Collector
from plexor.wire.decode.decoder import Decoded, Decoder
from plexor.wire.decode.register_image import (
    RegisterImage,
    common_registers,
    end_registers,
    named,
    setup_keys,
)
from plexor.wire.device.device import identity_of, identity_registers, operations_of
from plexor.wire.link.base import LinkEndError
from plexor.wire.link.file import FileLink

_PIECE_BYTES = 1 << 20
_SMALL_BYTES = 1 << 12
"""Bytes that are read at once where somebody watches."""
_SET_UP = [
    place
    for block in (STIMULUS, CHANNEL, LONG_FILTER, STEP, MATCHER, CONTROL)
    for copy in range(block.count)
    for place in setup_keys(block, copy)
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

    def take(self, part: Decoded) -> None:
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
        if self.identity is None or self.image.unknown(end_registers(self.identity)):
            return "the recording ends before the end of a run"
        asked = self.image.unknown(common_registers(self.identity.geometry))
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
            self.image.forget(end_registers(self.identity))
        if code == LogCode.STARTED:
            if self._asked_before:
                self.image.forget(_SET_UP)
            self._asked_before = True

    def _identify(self) -> None:
        if self.image.unknown([("identity", 0, "protocol_version")]):
            return
        version = self.image.value("identity", "protocol_version")
        if self.image.unknown(identity_registers(version)):
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
        geometry = self.identity.geometry
        self.collector = Collector(geometry)
        if COMPUTED & ~geometry.features:
            self.collector.matches = partial(matching_of, geometry, self.image)


@dataclass(frozen=True, slots=True)
class ReplayQuery:
    """What is wanted of a replay, beside its result."""

    listeners: Listeners = field(default_factory=Listeners)
    """Told of snapshots and events; progress is left out."""
    stop: Stop | None = None
    """Ends the replay early. The run is then interrupted, and its end was never seen."""
    names: Mapping[int, str] = field(default_factory=dict[int, str])
    """Names of channels. A recording has none."""
    check: Callable[[tuple[RegisterWrite, ...]], None] = lambda registers: None
    """Called with the registers of each run that begins. What it raises ends the replay."""


def identity_in(path: Path) -> Identity:
    """Return the identity of the instrument that a file of raw bytes was recorded from.

    Raises LinkError if the file cannot be read, IdentityError if it has no identity.
    """
    link, decoder = FileLink(path), Decoder()
    state = _Replay(link.name)
    try:
        while state.identity is None:
            for part in decoder.feed(link.read(_SMALL_BYTES, 0.0)):
                state.take(part)
    except LinkEndError:
        raise _no_identity(link.name, decoder) from None
    finally:
        link.close()
    return state.identity


def replay(
    path: Path, description: Mapping[str, str] | None = None, asked: ReplayQuery | None = None
) -> RunResult:
    """Return the result of the last run in a file of raw bytes (a run's `wire.bin`).

    Raises LinkError if the file cannot be read, and IdentityError if it lacks the identity, which
    every session reads first.
    """
    asked = asked or ReplayQuery()
    link = FileLink(path)
    decoder, state = Decoder(), _Replay(link.name)
    watch = _Watch(state, asked)
    stopped = False
    try:
        while not (stopped := asked.stop is not None and asked.stop.asked):
            for part in decoder.feed(link.read(watch.piece_bytes, 0.0)):
                state.take(part)
                if watch.watched:
                    # A snapshot is whole until the next one's frames come.
                    watch.look()
            watch.look()
    except LinkEndError:
        decoder.finish()
        watch.look()
    finally:
        link.close()
    if state.identity is None or state.collector is None:
        raise _no_identity(link.name, decoder)
    return assemble(
        state.identity,
        state.image,
        state.collector,
        (decoder.frames_received, decoder.frames_lost),
        {str(kind): count for kind, count in decoder.fault_counts.items()},
        Circumstances(
            _named(settings_in(state.image, state.identity.geometry), asked.names),
            registers_in(state.image, state.identity.geometry),
            device=dict(description or {}),
            wrong=tuple(wrong_in(state.image, state.identity.geometry)),
            disorder={str(kind): count for kind, count in decoder.disorder.items()},
            interrupted=stopped,
        ),
        "the replay was stopped" if stopped else state.broken,
    )


class _Watch:
    """Tells the listeners of a replay what comes."""

    def __init__(self, state: _Replay, asked: ReplayQuery) -> None:
        self._state = state
        self._asked = asked
        self._snapshots: Snapshots | None = None
        self._started: int | None = None
        listeners = asked.listeners
        self.watched = bool(listeners.on_snapshot or listeners.on_events)
        self.piece_bytes = _SMALL_BYTES if self.watched else _PIECE_BYTES

    def look(self) -> None:
        """Tell of what came since the last look."""
        state, asked = self._state, self._asked
        if state.identity is None or state.collector is None:
            return
        state.collector.on_events = asked.listeners.on_events
        started = state.collector.started_ticks
        if started is None or state.image.unknown(common_registers(state.identity.geometry)):
            return
        if started != self._started:
            self._started = started
            asked.check(registers_in(state.image, state.identity.geometry))
            settings = _named(settings_in(state.image, state.identity.geometry), asked.names)
            self._snapshots = Snapshots(
                SnapshotSource(state.identity, state.image, state.collector, settings)
            )
        if self._snapshots is not None and asked.listeners.on_snapshot is not None:
            dumped = self._snapshots.dumped()
            if dumped is not None:
                asked.listeners.on_snapshot(dumped)


def _named(settings: Settings, names: Mapping[int, str]) -> Settings:
    channels = tuple(
        replace(channel, name=names.get(channel.number, channel.name))
        for channel in settings.channels
    )
    return replace(settings, channels=channels)


def _no_identity(name: str, decoder: Decoder) -> IdentityError:
    if not decoder.frames_received:
        number = decoder.bytes_received
        why = f"none of its {counted(number, 'byte')} is in a frame" if number else "it is empty"
        return IdentityError(
            f"{name.removeprefix('file:')}: is no run and no recording: {why}; must be a folder of "
            "--out, its .json file, or raw bytes of a link (wire.bin)"
        )
    return IdentityError(
        f"{name}: no identity in {counted(decoder.bytes_received, 'byte')}"
        f" ({counted(decoder.frames_received, 'frame')}, {decoder.fault_counts.total()} faults)"
    )
