# SPDX-License-Identifier: Apache-2.0
"""Events as a Perfetto trace: pins and latencies as tracks, with flows from strikes to responses.

Messages are those of perfetto.protos, `protos/perfetto/trace/track_event/track_event.proto`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from plexor.model.results import EventArray
from plexor.model.settings import parse_reference
from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.memory import ResponseClass
from plexor.show import facts
from plexor.show.export.about import about
from plexor.show.export.source import CHUNK, ExportSource
from plexor.show.export.target import needed
from plexor.wire.decode.outcomes import NONE, PENDING, Outcomes

_FS_PER_NS = 10**6
_PROCESS, _RUN = 1, 2
"""Tracks of the whole run. Those of pins and of latencies follow."""
_SEQUENCE = 1
_CLEARED, _NEEDS = 1, 2
"""TracePacket.SequenceFlags."""
_BEGIN, _END, _INSTANT = 1, 2, 3
"""TrackEvent.Type."""
_CLASSES = (
    ResponseClass.ANSWERED,
    ResponseClass.LATE,
    ResponseClass.MISSED,
    ResponseClass.DUPLICATE,
    ResponseClass.SPURIOUS,
)
_NAMES = {
    **{kind.name.lower(): int(kind) + 1 for kind in _CLASSES},
    "pending": PENDING + 1,
    "strike": PENDING + 2,
    "edge": PENDING + 3,
}
"""Names of slices, by the number under which packets give them: that of a class is one above it."""
_TIME, _INDEX, _LATENCY, _OF = range(1, 5)
_ANNOTATIONS = ("time_ticks", "index", "latency_ticks", "strike_index")

Ticks = npt.NDArray[np.int64]


def nanoseconds(ticks: Ticks, tick_fs: int) -> Ticks:
    """Return times in ticks as nanoseconds, rounded half up, as the format has them."""
    millions, remainder = np.divmod(ticks, _FS_PER_NS)
    return millions * tick_fs + (remainder * tick_fs + _FS_PER_NS // 2) // _FS_PER_NS


def write_perfetto(source: ExportSource, path: Path, name: Path) -> None:
    """Write a slice for each pulse of a pin, and one for each latency, named by its class.

    Times are nanoseconds; ticks, which are exact, are in each latency's arguments, and in each
    pulse's if a tick is not a whole nanosecond. Raises UsageError, with `name`, if the run kept no
    events.
    """
    events = source.events(name)
    library = needed("perfetto.protos.perfetto.trace.perfetto_trace_pb2", "perfetto", name)
    with path.open("wb") as file:
        _Writer(source, library, file).write(events)


@dataclass(frozen=True, slots=True, eq=False)
class _Latencies:
    """The latency track of one channel, with as many lanes as latencies overlap."""

    outcomes: Outcomes
    number: int
    first_track: int
    lanes: int
    from_pulse: bool
    """Whether a strike is the begin of a pulse, which flows leave from; else the latency's."""

    def flows(self, numbers: npt.NDArray[np.int32]) -> Ticks:
        """Return the flow of each response, by number; 0 where there is none."""
        ids = (np.int64(self.number) << 32) + numbers + 1
        return np.where(numbers == NONE, 0, ids)


class _Writer:
    """Packets of one run, by `library` (perfetto_trace_pb2)."""

    def __init__(self, source: ExportSource, library: Any, file: BinaryIO) -> None:
        self.source, self.library, self.file = source, library, file
        self.tick_fs = source.result.tick_fs
        self.exact = self.tick_fs % _FS_PER_NS == 0
        self.tracks = {pin.source: _RUN + 1 + n for n, pin in enumerate(source.pins)}
        self.latencies = list(self._latencies())
        self.batch = library.Trace()
        self.open: set[int] = {
            pin.source for pin in source.pins if source.level_at_start(pin.source)
        }
        """Sources whose pulse has begun."""

    def _latencies(self) -> Iterator[_Latencies]:
        track = _RUN + 1 + len(self.source.pins)
        references = {channel.number: channel.reference for channel in self.source.result.channels}
        for number, own in self.source.checked.outcomes.items():
            starts, ends = _ends(own)
            # When a latency begins, those before it that have not ended are there too.
            open_ones = np.arange(1, len(starts) + 1) - np.searchsorted(np.sort(ends), starts)
            lanes = int(open_ones.max(initial=1))
            from_pulse = bool(parse_reference(references[number])[1])
            yield _Latencies(own, number, track, lanes, from_pulse)
            track += lanes

    def write(self, events: EventArray) -> None:
        """Write the whole trace."""
        self._describe()
        for first in range(0, len(events), CHUNK):
            piece = events[first : first + CHUNK]
            self._pulses(events, first, piece)
            for latencies in self.latencies:
                self._slices(latencies, events, first, first + len(piece))
            self._flush()
        self._flush()

    def _flush(self) -> None:
        self.file.write(self.batch.SerializeToString())
        self.batch = self.library.Trace()

    def _describe(self) -> None:
        """Write names, tracks, and a slice over the whole run that says what it was."""
        texts = about(self.source)
        result = self.source.result
        first = self._packet(_CLEARED)
        for text, number in _NAMES.items():
            first.interned_data.event_names.add(iid=number, name=text)
        for number, text in enumerate(_ANNOTATIONS, 1):
            first.interned_data.debug_annotation_names.add(iid=number, name=text)
        first.track_descriptor.uuid = _PROCESS
        first.track_descriptor.process.pid = 1
        label = facts.device_name(result.device) or "Plexor"
        first.track_descriptor.process.process_name = f"{label} ({texts['source']})"
        self.batch.packet.append(first)
        self._track(_RUN, "run")
        for pin in self.source.pins:
            self._track(self.tracks[pin.source], pin.name)
        names = {channel.number: channel.name for channel in result.channels}
        for latencies in self.latencies:
            for lane in range(latencies.lanes):
                self._track(latencies.first_track + lane, f"{names[latencies.number]} latency")
        begin, end = (self._packet(_NEEDS) for _ in range(2))
        begin.track_event.type, end.track_event.type = _BEGIN, _END
        begin.track_event.track_uuid = end.track_event.track_uuid = _RUN
        reasons = self.source.invalid_reasons
        begin.track_event.name = "INVALID RUN" if reasons else f"{texts['source']} run"
        for key, text in texts.items():
            begin.track_event.debug_annotations.add(name=key, string_value=text)
        end.timestamp = int(nanoseconds(np.array([self.source.duration_ticks]), self.tick_fs)[0])
        self.batch.packet.extend((begin, end))
        for source in self.open:
            active = self._packet(_NEEDS)
            active.track_event.type, active.track_event.name = _BEGIN, "active at the start"
            active.track_event.track_uuid = self.tracks[source]
            self.batch.packet.append(active)

    def _packet(self, flags: int) -> Any:
        packet = self.library.TracePacket(trusted_packet_sequence_id=_SEQUENCE, timestamp=0)
        packet.sequence_flags = flags
        return packet

    def _track(self, uuid: int, name: str) -> None:
        packet = self._packet(_NEEDS)
        packet.track_descriptor.uuid = uuid
        packet.track_descriptor.parent_uuid = _PROCESS
        packet.track_descriptor.name = name
        packet.track_descriptor.sibling_order_rank = uuid
        self.batch.packet.append(packet)

    def _event(self, kind: int, *annotations: int) -> Any:
        """Return a packet to be filled in and copied: its event, with these annotations."""
        packet = self._packet(_NEEDS)
        packet.track_event.type = kind
        for number in annotations:
            packet.track_event.debug_annotations.add(name_iid=number)
        return packet

    def _pulses(self, events: EventArray, first: int, piece: EventArray) -> None:
        """Write an edge of a pin as the begin or the end of a slice."""
        count = len(piece)
        names = np.where(piece["source"] >= SOURCE_STRIKE, _NAMES["strike"], _NAMES["edge"])
        leaving: list[list[int]] = []
        arriving = np.zeros(count, np.int64)
        for latencies in self.latencies:
            own = latencies.outcomes
            low, high = np.searchsorted(own.responses, (first, first + count))
            names[own.responses[low:high] - first] = own.response_class[low:high] + 1
            matched = np.flatnonzero(own.strike_of[low:high] != NONE).astype(np.int32) + low
            arriving[own.responses[matched] - first] = latencies.flows(matched)
            low, high = np.searchsorted(own.strikes, (first, first + count))
            flows = np.zeros(count, np.int64)
            if latencies.from_pulse:
                flows[own.strikes[low:high] - first] = latencies.flows(own.answer_of[low:high])
            leaving.append(flows.tolist())
        ticks = self.source.times(piece)
        annotations = (_INDEX,) if self.exact else (_INDEX, _TIME)
        begin, end = self._event(_BEGIN, *annotations), self._event(_END)
        opens, closes = begin.track_event, end.track_event
        arguments = opens.debug_annotations
        append = self.batch.packet.append
        rows = zip(
            nanoseconds(ticks, self.tick_fs).tolist(),
            piece["source"].tolist(),
            piece["polarity"].tolist(),
            names.tolist(),
            piece["index"].tolist(),
            ticks.tolist(),
            arriving.tolist(),
            zip(*leaving, strict=True) if leaving else [()] * count,
            strict=True,
        )
        for time_ns, source, polarity, label, index, tick, arrives, leaves in rows:
            if source not in self.tracks:  # codes: `plexor explain --to` has what they say
                continue
            if source in self.open:
                end.timestamp, closes.track_uuid = time_ns, self.tracks[source]
                append(end)
                self.open.discard(source)
            if not polarity:
                continue
            self.open.add(source)
            begin.timestamp, opens.track_uuid, opens.name_iid = time_ns, self.tracks[source], label
            arguments[0].int_value = index
            if not self.exact:
                arguments[1].int_value = tick
            del opens.flow_ids[:]
            del opens.terminating_flow_ids[:]
            if any(leaves):
                opens.flow_ids.extend(filter(None, leaves))
            if arrives:
                opens.terminating_flow_ids.append(arrives)
            append(begin)

    def _slices(
        self, source_latencies: _Latencies, events: EventArray, first: int, stop: int
    ) -> None:
        """Write the latencies of the strikes from `first` to before `stop`."""
        own = source_latencies.outcomes
        low, high = np.searchsorted(own.strikes, (first, stop))
        positions, answers = own.strikes[low:high], own.answer_of[low:high]
        struck = self.source.times(events[positions])
        matched = answers != NONE
        latencies = np.zeros(len(answers), np.int64)
        latencies[matched] = own.latency_ticks[answers[matched]]
        # A response may come before its strike.
        starts, ends = struck + np.minimum(latencies, 0), struck + np.maximum(latencies, 0)
        answered_before = int(np.count_nonzero(own.answer_of[:low] != NONE))
        lanes = (answered_before + np.cumsum(matched) - 1) % source_latencies.lanes
        begin, end = self._event(_BEGIN, _LATENCY, _OF), self._event(_END)
        instant = self._event(_INSTANT, _OF)
        opens, closes, lost = begin.track_event, end.track_event, instant.track_event
        append = self.batch.packet.append
        rows = zip(
            nanoseconds(starts, self.tick_fs).tolist(),
            nanoseconds(ends, self.tick_fs).tolist(),
            (own.strike_class[low:high] + 1).tolist(),
            matched.tolist(),
            latencies.tolist(),
            events["index"][positions].tolist(),
            (source_latencies.first_track + lanes).tolist(),
            (source_latencies.flows(answers) * (not source_latencies.from_pulse)).tolist(),
            strict=True,
        )
        for start_ns, end_ns, label, answered, latency, index, track, flow in rows:
            if not answered:
                instant.timestamp, lost.name_iid = start_ns, label
                lost.track_uuid = source_latencies.first_track
                lost.debug_annotations[0].int_value = index
                append(instant)
                continue
            begin.timestamp, opens.track_uuid, opens.name_iid = start_ns, track, label
            opens.debug_annotations[0].int_value = latency
            opens.debug_annotations[1].int_value = index
            if flow:
                opens.flow_ids[:] = [flow]
            append(begin)
            end.timestamp, closes.track_uuid = end_ns, track
            append(end)


def _ends(own: Outcomes) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return the places at which latencies begin and end, in the order in which they begin."""
    answered = np.flatnonzero(own.answer_of != NONE)
    positions = own.strikes[answered], own.responses[own.answer_of[answered]]
    return np.minimum(*positions), np.maximum(*positions)
