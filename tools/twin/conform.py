# SPDX-License-Identifier: Apache-2.0
"""Takes the same measurement on two simulators, and says where they differ."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plexor.base.errors import ExitCode
from plexor.figures.analyse.analyse import analyse
from plexor.files.store.document import document
from plexor.protocol.frames import (
    SOURCE_STEP,
    SPACE_MASK,
    Frame,
    FrameType,
    LogCode,
    MemoryFlag,
    cobs_decode,
    split_event_word,
)
from plexor.protocol.geometry import STEP_CLOCKS, Feature, Geometry
from plexor.protocol.memory import Space, banks
from plexor.protocol.registers import BLOCKS, InputSelect
from plexor.run.session.run import LiveRun
from plexor.run.session.session import measure
from plexor.wire.device.device import Device
from plexor.wire.link import open_link
from plexor_hdl.build import boards
from plexor_sim.front_end import front_end_options
from plexor_sim.packages import default_cache
from plexor_sim.serve import GATEWARE, TWIN, Prepared, prepare
from plexor_sim.server import Server
from tools.twin.draw import Measurement
from tools.twin.words import answers

TRUTH = np.dtype([("time_ps", "<i8"), ("source", "u1"), ("level", "u1"), ("pad", "V6")])
_OWN = ("started", "wall_seconds", "instrument", "command")
"""Parts of a document that are a run's own."""
_BY_POLLS = {"accounting", "channels", "doubts", "invalid_reasons", "valid", "windows"}
"""Those that depend on what the link's FIFO took."""
_BEFORE_CLOCKS = 58
"""Up to so long before a snapshot, single clocks decide whether an event is in it, and its time."""
_LOOK_CLOCKS, _RECORD_CLOCKS = 10, 110
"""Of each channel at the end of a step: the matcher looks at it, then its record is written."""
_WAITED_CLOCKS = STEP_CLOCKS + 512
"""So long behind the end of a step, what has waited for its record has been matched."""
_END_S = 10.0
_TAKES = 8
"""Runs on the gateware, at most, where events were dropped."""
_PATIENCE_S = (60.0,)
"""A command that is sent again on a busy machine would shift a run on one of both."""
_STATUS = {"status", "channel_status", "source", "long_filter_status"}
_AT_POLLS = {"snapshot", "time_ticks", "link_dropped"}
"""Registers that depend on when they are read, or on how long a dump lasts."""
_AT_TICKS = {"start_ticks", "end_ticks", "trigger_ticks"}
_AT_LINK = {"upload_dropped", "dropped", "removed", "events", "generated", "flags", "pending"}
"""Registers that depend on what the link's FIFO took."""


@dataclass(frozen=True)
class Taken:
    """A run: its document, its frames by content, its events, and the edges of its pins."""

    document: dict[str, Any]
    frames: list[tuple[int | bytes, ...]]
    snapshots: dict[int, list[tuple[int | bytes, ...]]]
    """Frames of snapshots, by number."""
    banks: dict[int, list[tuple[int | bytes, ...]]]
    """Frames of the final dump that say in which bank things were counted, by the time of the last
    snapshot; -1: there was none. Nothing if single clocks decide it."""
    events: list[bytes]
    truth: bytes
    cpu_s: float
    generated: int
    handed_over: str
    """Why the gateware has taken the run."""
    drops_on_link: bool
    """Whether the link's FIFO was full. What it took then depends on the host's polls, and the time
    to count the rest may fill the FIFOs before the merge: two runs on the gateware differ too."""
    drops: bool
    """Whether events were dropped on the chip."""
    answers: list[tuple[int | bytes, ...]]
    """What the instrument said to what the host said before the run."""
    status: dict[str, int]
    """Registers behind the run."""


def prepared(measurement: Measurement, core: str) -> Prepared:
    """Return the simulator of a measurement."""
    geometry = boards.simulated(measurement.board)
    return prepare(measurement.dut, geometry, default_cache(), core=core)


class _Writer:
    """Writes registers before a run that starts (plexor.run.session.follow.RunDriver)."""

    def __init__(self, measurement: Measurement) -> None:
        self._writes = measurement.writes

    def prepared(self, run: LiveRun) -> None:
        run.device.write_all(self._writes)

    def looked(self, run: LiveRun, elapsed_ticks: int) -> None:
        """Let it run."""


def taken(measurement: Measurement, ready: Prepared) -> Taken:
    """Take a run.

    Raises LinkError or SimulatorError if the instrument does not answer, or ends.
    """
    driver = _Writer(measurement) if measurement.writes else None
    with tempfile.TemporaryDirectory() as folder:
        truth, figures, tap = Path(folder) / "truth", Path(folder) / "figures", BytesIO()
        arguments = (*ready.arguments, *measurement.simulation, "--once")
        arguments += ("--truth", str(truth), "--figures", str(figures))
        if measurement.front_end:
            geometry = boards.simulated(measurement.board)
            arguments += ("--front-end", front_end_options(measurement.front_end, geometry))
        options = ready.options
        if measurement.codes:
            codes = Path(folder) / "codes"
            codes.write_text("".join(f"{time} {value}\n" for time, value in measurement.codes))
            options += f",codes={codes}"
        with Server(ready.executable, options, arguments) as server:
            link = open_link(f"tcp://127.0.0.1:{server.port}")
            said = answers(link, measurement.words)
            with Device(link, tap, _PATIENCE_S) as device:
                for settings in measurement.before:
                    measure(device, settings)
                result = measure(device, measurement.settings, driver=driver)
                status = _status(device, measurement)
            server.wait(_END_S)
            handed_over = server.handed_over()
        # Without a matcher a drop on the link is told with the others.
        matches = Feature.MATCH in result.identity.geometry.features
        end_ps = result.end_ticks * result.tick_fs // 1000
        edges = np.fromfile(truth, TRUTH)
        found = document(analyse(result), None, ExitCode.PASS)
        cpu_s = float(dict(line.split() for line in figures.read_text().splitlines())["cpu_s"])
        frames = list(_frames(tap.getvalue()))
    if measurement.is_later:
        frames, edges = [], edges[:0]
    is_hidden = measurement.settings.input_select == InputSelect.ASYNCHRONOUS
    if is_hidden:
        # Its edges are at no pin, so any of them may be right before a snapshot.
        frames = [frame for frame in frames if not _is_of_snapshot(frame)]
    dumped = [frame for frame in frames if _is(frame, LogCode.DUMPED)][:-1]
    apart = [frame for frame in frames if _is_of_snapshot(frame)] + dumped
    geometry = boards.simulated(measurement.board)
    in_banks = [frame for frame in frames if _is_in_banks(frame, geometry)]
    last_ticks = max((frame.base_ticks for frame in apart), default=-1)
    clear = _Clear(edges["time_ps"], frames, geometry)
    is_clear = not apart or (not is_hidden and clear.at(last_ticks))
    return Taken(
        {name: value for name, value in found.items() if name not in _OWN},
        [
            _content(frame)
            for frame in frames
            if frame.type != FrameType.EVENTS and frame not in apart and frame not in in_banks
        ],
        _snapshots(apart, clear),
        {last_ticks: [*map(_content, in_banks)]} if is_clear else {},
        [event for frame in frames if frame.type == FrameType.EVENTS for event in _events(frame)],
        edges[edges["time_ps"] < end_ps].tobytes(),
        cpu_s,
        result.accounting.generated,
        handed_over,
        any(
            entry.upload_dropped or (entry.dropped and not matches)
            for entry in result.accounting.sources
        ),
        result.accounting.dropped_on_chip > 0,
        said,
        status,
    )


def _status(device: Device, measurement: Measurement) -> dict[str, int]:
    """Return the registers that say how a run ended, of all parts that the build has."""
    geometry = device.identity.geometry
    copies = {"channel_status": range(geometry.channels), "source": geometry.sources}
    copies["long_filter_status"] = range(Feature.LONG_FILTER in geometry.features)
    left_out = _AT_POLLS | _AT_TICKS if measurement.is_later else _AT_POLLS
    keys = [
        (block.name, copy, register.name)
        for block in BLOCKS
        if block.name in _STATUS
        for copy in copies.get(block.name, (0,))
        for register in block.registers
        if register.name not in left_out
    ]
    values = device.read_all(keys)
    return {
        f"{block} {copy} {name}": value
        for (block, copy, name), value in zip(keys, values, strict=True)
    }


def differences(one: Taken, other: Taken) -> list[str]:
    """Return what differs, in words; nothing if the runs are identical."""
    found: list[str] = []
    if one.answers != other.answers:
        found.append("answers")
    if one.truth != other.truth:
        found.append("edges at the pins")
    polls_count = one.drops_on_link or other.drops_on_link
    if one.events != other.events and not polls_count:
        found.append("events on the link")
    if one.frames != other.frames and not polls_count:
        found.append("results and news on the link")
    shared = one.snapshots.keys() & other.snapshots.keys()
    if any(one.snapshots[number] != other.snapshots[number] for number in shared):
        found.append("snapshots")
    last = one.banks.keys() & other.banks.keys()
    if not polls_count and any(one.banks[ticks] != other.banks[ticks] for ticks in last):
        found.append("banks at the end")
    found += [
        f"the register {name}"
        for name, value in one.status.items()
        if value != other.status[name] and not (polls_count and name.split()[2] in _AT_LINK)
    ]
    names = one.document.keys() | other.document.keys()
    names -= _BY_POLLS if polls_count else set()
    found += [
        f"the document's {name}"
        for name in sorted(names)
        if one.document.get(name) != other.document.get(name)
    ]
    return found


def compared(measurement: Measurement) -> tuple[Taken, Taken, list[str]]:
    """Take a measurement on both; return what the twin and the gateware made of it, and what
    differs.

    What a full FIFO drops may depend on a clock in which the host reads a register. Then the
    gateware differs from itself: one of its runs must be the twin's.
    """
    found, gateware = (
        taken(measurement, prepared(measurement, TWIN)),
        prepared(measurement, GATEWARE),
    )
    takes = 1
    while True:
        expected = taken(measurement, gateware)
        what = differences(found, expected)
        if not what or not expected.drops or takes == _TAKES:
            return found, expected, what
        takes += 1


def _frames(wire: bytes) -> Iterator[Frame]:
    """Yield frames that answer no command: those depend on the host's time."""
    for part in wire.split(b"\0"):
        if part:
            frame = Frame.decode(cobs_decode(part))
            if frame.type != FrameType.RESPONSE:
                yield frame


def _is(frame: Frame, code: LogCode) -> bool:
    return frame.type == FrameType.LOG and frame.tag == code


def _is_of_snapshot(frame: Frame) -> bool:
    is_memory = frame.type in {FrameType.HISTOGRAM, FrameType.STATISTICS}
    return is_memory and not frame.flags & MemoryFlag.FINAL


def _is_in_banks(frame: Frame, geometry: Geometry) -> bool:
    is_memory = frame.type in {FrameType.HISTOGRAM, FrameType.STATISTICS}
    is_final = is_memory and frame.flags & MemoryFlag.FINAL
    return bool(is_final) and banks(geometry, Space(frame.flags & SPACE_MASK)) > 1


class _Clear:
    """Tells whether it is clear which event is the last before a time: none is right before it."""

    def __init__(
        self, times_ps: NDArray[np.int64], frames: list[Frame], geometry: Geometry
    ) -> None:
        self._before_ticks = _BEFORE_CLOCKS * geometry.samples
        self._ticks = np.sort(times_ps) * 1000 // geometry.tick_fs
        looked = _LOOK_CLOCKS * geometry.channels + _BEFORE_CLOCKS
        recorded = _RECORD_CLOCKS * geometry.channels
        self._doubts = [
            (ticks + first * geometry.samples, ticks + end * geometry.samples)
            for ticks in _step_ticks(frames)
            for first, end in ((0, looked), (recorded, _WAITED_CLOCKS))
        ]

    def at(self, ticks: int) -> bool:
        """Return whether it is clear at that time."""
        first, last = np.searchsorted(self._ticks, (ticks - self._before_ticks, ticks))
        return first == last and not any(begin <= ticks < end for begin, end in self._doubts)


def _step_ticks(frames: list[Frame]) -> Iterator[int]:
    """Yield the time of each end of a step that was sent."""
    for frame in frames:
        if frame.type == FrameType.EVENTS:
            for word in np.frombuffer(frame.payload, "<u4").tolist():
                delta_ticks, source, _ = split_event_word(word)
                if source == SOURCE_STEP:
                    yield frame.base_ticks + delta_ticks


def _snapshots(frames: list[Frame], clear: _Clear) -> dict[int, list[tuple[int | bytes, ...]]]:
    """Return the frames of each snapshot whose last event is clear."""
    found: dict[int, list[tuple[int | bytes, ...]]] = {}
    for frame in frames:
        number = frame.index if _is(frame, LogCode.DUMPED) else frame.tag
        if clear.at(frame.base_ticks):
            found.setdefault(number, []).append(_content(frame))
    return found


def _content(frame: Frame) -> tuple[int | bytes, ...]:
    # How many snapshots there were depends on how long a dump lasts.
    tag = frame.tag if frame.type == FrameType.LOG else 0
    index = 0 if _is(frame, LogCode.DUMPED) else frame.index
    return (frame.type, frame.flags, tag, index, frame.base_ticks, frame.payload)


def _events(frame: Frame) -> Iterator[bytes]:
    """Yield each event with its index and base. Where a frame ends depends on the host's time."""
    for place in range(0, len(frame.payload), 4):
        word = frame.payload[place : place + 4]
        yield b"%d %d " % (frame.index + place // 4, frame.base_ticks) + word
