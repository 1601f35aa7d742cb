# SPDX-License-Identifier: Apache-2.0
"""A timeline's lanes as files of other tools, by suffix: .csv, .vcd and .pftrace."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from plexor.base.errors import UsageError
from plexor.figures.codes.lanes import STATES, Lane, LaneState
from plexor.show import facts
from plexor.show.export.csv import no_formula
from plexor.show.export.perfetto import nanoseconds
from plexor.show.export.target import needed, replacing
from plexor.show.export.vcd import identifiers, timescale
from plexor.show.pictures.frame import provenance
from plexor.show.timeline import TimelineView

_FS_PER_NS = 10**6
_PROCESS, _SEQUENCE = 1, 1
_BEGIN, _END = 1, 2
"""TrackEvent.Type of perfetto.protos, track_event.proto."""
_CLEARED, _NEEDS = 1, 2
"""TracePacket.SequenceFlags."""


def _spans(view: TimelineView) -> Iterator[tuple[int, int, Lane, LaneState]]:
    """Yield (begin, end, lane, state) of each span, by begin, in ticks from the run's start."""
    first = view.lanes.start_ticks
    spans = [
        (int(start) - first, number, int(end) - first, STATES[int(state)])
        for number, lane in enumerate(view.lanes.lanes)
        for start, end, state in zip(lane.starts, lane.ends(), lane.states, strict=True)
    ]
    for start, number, end, state in sorted(spans):
        yield start, end, view.lanes.lanes[number], state


def write_lanes_csv(view: TimelineView, path: Path, name: Path) -> None:
    """Write a row for each span: its start in ticks and ns from the run's start, lane and state.

    Nanoseconds are exact decimals.
    """
    del name
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("start_ticks", "start_ns", "kind", "name", "state"))
        for start, _, lane, state in _spans(view):
            millions, fraction = divmod(start * view.tick_fs, _FS_PER_NS)
            exact = f"{millions}.{fraction:06d}".rstrip("0").rstrip(".")
            lane_name = no_formula(view.names[lane])
            writer.writerow((start, exact, lane.kind.value, lane_name, state.value))


def write_lanes_vcd(view: TimelineView, path: Path, name: Path) -> None:
    """Write a string for each lane: its state. Times are exact."""
    library = needed("vcd.writer", "pyvcd", name)
    size, unit, factor = timescale(view.tick_fs)
    lanes = view.lanes.lanes
    labels = identifiers([view.names[lane] for lane in lanes])
    with path.open("w", encoding="ascii") as file:
        writer = library.VCDWriter(
            file, (size, unit), comment=f"source: {provenance(view.result)}", version="Plexor"
        )
        strings: dict[Lane, Any] = {
            lane: writer.register_var("plexor", label, "string", init=LaneState.UNKNOWN.value)
            for lane, label in zip(lanes, labels, strict=True)
        }
        for start, _, lane, state in _spans(view):
            writer.change(strings[lane], start * factor, state.value)
        writer.close((view.lanes.end_ticks - view.lanes.start_ticks) * factor)


def write_lanes_perfetto(view: TimelineView, path: Path, name: Path) -> None:
    """Write a track for each lane, with a slice for each span in which it is not idle.

    Times are nanoseconds, rounded half up.
    """
    library = needed("perfetto.protos.perfetto.trace.perfetto_trace_pb2", "perfetto", name)
    trace = library.Trace()

    def packet(time_ns: int = 0, flags: int = _NEEDS) -> Any:
        added = trace.packet.add(trusted_packet_sequence_id=_SEQUENCE, timestamp=time_ns)
        added.sequence_flags = flags
        return added

    first = packet(flags=_CLEARED).track_descriptor
    first.uuid = first.process.pid = _PROCESS
    label = facts.device_name(view.result.device) or "Plexor"
    first.process.process_name = f"{label} ({provenance(view.result)})"
    tracks: dict[Lane, int] = {}
    for uuid, lane in enumerate(view.lanes.lanes, _PROCESS + 1):
        tracks[lane] = uuid
        track = packet().track_descriptor
        track.uuid, track.parent_uuid, track.sibling_order_rank = uuid, _PROCESS, uuid
        track.name = view.names[lane]
    for start, end, lane, state in _spans(view):
        if state == LaneState.IDLE or start == end:
            continue
        times_ns = nanoseconds(np.array([start, end]), view.tick_fs).tolist()
        for kind, time_ns in zip((_BEGIN, _END), times_ns, strict=True):
            event = packet(time_ns).track_event
            event.type, event.track_uuid = kind, tracks[lane]
            if kind == _BEGIN:
                event.name = state.value
    path.write_bytes(trace.SerializeToString())


_WRITERS: dict[str, Callable[[TimelineView, Path, Path], None]] = {
    ".csv": write_lanes_csv,
    ".vcd": write_lanes_vcd,
    ".pftrace": write_lanes_perfetto,
}
SUFFIXES = tuple(_WRITERS)
"""Of the files that lanes are written to."""


def export_lanes(view: TimelineView, path: Path) -> None:
    """Write lanes to a file in the format of its suffix, completely or not at all.

    Raises UsageError for any other suffix, StoreError if writing fails.
    """
    if path.suffix.lower() not in _WRITERS:
        raise UsageError(f"{path}: its suffix must be one of {', '.join(_WRITERS)}")
    with replacing(path) as unfinished:
        _WRITERS[path.suffix.lower()](view, unfinished, path)
