# SPDX-License-Identifier: Apache-2.0
"""Perfetto traces by their protobuf definitions: tracks, slices by class, flows, exact ticks."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

from plexor.show.export import perfetto as module
from plexor.show.export.perfetto import nanoseconds, write_perfetto

from . import planted


class Read:
    """A trace: slices of each track, as (name, begin ns, end ns, arguments, out, into)."""

    def __init__(self, path):
        trace = Trace()
        trace.ParseFromString(path.read_bytes())
        (first,) = [p.interned_data for p in trace.packet if p.HasField("interned_data")]
        names = {entry.iid: entry.name for entry in first.event_names}
        arguments = {entry.iid: entry.name for entry in first.debug_annotation_names}
        tracks = {
            p.track_descriptor.uuid: p.track_descriptor
            for p in trace.packet
            if p.HasField("track_descriptor")
        }
        self.tracks = tracks
        self.process = tracks[1].process.process_name
        self.slices = defaultdict(list)
        opened = defaultdict(list)
        for packet in trace.packet:
            if not packet.HasField("track_event"):
                continue
            event = packet.track_event
            assert tracks[event.track_uuid].parent_uuid == 1
            if event.type == TrackEvent.TYPE_SLICE_END:
                assert opened[event.track_uuid], "an end without its begin"
                opened[event.track_uuid].pop()[2] = packet.timestamp
                continue
            found = {}
            for entry in event.debug_annotations:
                name = entry.name or arguments[entry.name_iid]
                found[name] = entry.string_value or entry.int_value
            name = event.name or names[event.name_iid]
            flows = sorted(event.flow_ids), sorted(event.terminating_flow_ids)
            row = [name, packet.timestamp, None, found, *flows]
            self.slices[tracks[event.track_uuid].name].append(row)
            if event.type == TrackEvent.TYPE_SLICE_BEGIN:
                assert not opened[event.track_uuid], "slices of a track do not nest"
                opened[event.track_uuid].append(row)
        self.open = {tracks[uuid].name for uuid, rows in opened.items() if rows}


def read(tmp_path, run):
    return Read(planted.written(write_perfetto, tmp_path / "a.pftrace", run))


@pytest.mark.parametrize("chunk", [1, 5, 1 << 16])
def test_each_pulse_is_a_slice_and_each_response_has_its_class(chunk, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "CHUNK", chunk)
    found = read(tmp_path, planted.run())
    for source, name in planted.NAMES.items():
        rows = [(n, *row) for n, row in enumerate(planted.ROWS) if row[1] == source]
        pulses = list(zip(rows[::2], rows[1::2], strict=True))
        got = [(row[0], row[1], row[2], row[3]["index"]) for row in found.slices[name]]
        assert got == [
            (
                planted.CLASS_OF.get(up[0], "strike"),
                up[1] - planted.START,
                down[1] - planted.START,
                up[0],
            )
            for up, down in pulses
        ]


def test_each_latency_is_a_slice_from_its_strike_to_its_response(tmp_path):
    slices = read(tmp_path, planted.run()).slices
    isr = [(r[0], r[1], r[2], r[3].get("latency_ticks")) for r in slices["ISR latency"]]
    assert isr == [
        ("answered", 100, 150, 50),
        ("late", 1100, 1400, 300),
        ("answered", 2100, 2150, 50),
        ("pending", 3100, None, None),
    ]
    task = [(r[0], r[1], r[2]) for r in slices["TASK latency"]]
    assert task == [
        ("answered", 100, 300),
        ("missed", 1100, None),
        ("answered", 2100, 2100),
        ("pending", 3100, None),
    ]


def test_flows_lead_from_each_strike_to_its_responses(tmp_path):
    slices = read(tmp_path, planted.run()).slices
    into = {
        flow: row[3]["index"] for name in ("ISR", "TASK") for row in slices[name] for flow in row[5]
    }
    out = {row[3]["index"]: sorted(into[f] for f in row[4]) for row in slices["strike0"]}
    assert out == {2: [4, 6], 8: [10], 12: [13, 16], 20: []}
    assert len(into) == 5


def test_a_flow_of_a_trailing_edge_leaves_from_the_latency(tmp_path):
    slices = read(tmp_path, planted.run(references=("strike0", "ch0.fall"))).slices
    left = [row[4] for row in slices["TASK latency"] if row[4]]
    arrived = [row[5] for row in slices["TASK"] if row[5]]
    assert left == arrived
    assert len(left) == 2


def test_latencies_that_overlap_have_lanes_of_one_name(tmp_path):
    rows = [(1100, 8, 1), (1110, 8, 0), (1200, 8, 1), (1210, 8, 0)]
    rows += [(1300, 0, 1), (1310, 0, 0), (1400, 0, 1), (1410, 0, 0)]
    found = read(tmp_path, planted.run(rows=rows))
    lanes = [t.uuid for t in found.tracks.values() if t.name == "ISR latency"]
    assert len(lanes) == 2
    assert [(r[1], r[2]) for r in found.slices["ISR latency"]] == [(100, 300), (200, 400)]


@pytest.mark.parametrize("tick_fs", planted.TICKS_FS)
def test_times_are_rounded_to_nanoseconds_and_exact_in_ticks(tick_fs, tmp_path):
    found = read(tmp_path, planted.run(tick_fs))
    for name in ("strike0", "ISR", "TASK"):
        for row in found.slices[name]:
            ticks = planted.ROWS[row[3]["index"]][0] - planted.START
            assert row[1] == (ticks * tick_fs * 2 + 10**6) // (2 * 10**6)
            if tick_fs % 10**6:
                assert row[3]["time_ticks"] == ticks


def test_no_time_of_a_run_overflows():
    ticks = np.array([(1 << 61) + 1, 0])
    expected = ((int(ticks[0]) * 500_000) + 500_000) // 10**6
    assert nanoseconds(ticks, 500_000).tolist() == [expected, 0]


def test_the_run_is_a_slice_that_says_what_it_was(tmp_path):
    found = read(tmp_path, planted.run())
    ((name, start, end, texts, *_),) = found.slices["run"]
    assert (name, start, end) == ("simulated run", 0, planted.END - planted.START)
    assert texts["simulated"] == "yes"
    assert texts["tick_fs"] == "1000000"
    assert found.process == "FreeRTOS 11 on a, “board” (simulated)"
    (invalid,) = read(tmp_path, planted.lost(planted.run())).slices["run"]
    assert invalid[0] == "INVALID RUN"


def test_pulses_whose_end_was_lost_do_not_nest(tmp_path):
    run = planted.run(rows=[(1100, 0, 1), (1200, 0, 1), (1210, 0, 0)], channels=())
    found = read(tmp_path, replace(run, invalid_reasons=("lost",)))
    assert [(row[0], row[1], row[2]) for row in found.slices["ISR"]] == [
        ("edge", 100, 200),
        ("edge", 200, 210),
    ]


def test_a_pin_that_is_active_at_the_start_has_a_slice_from_there(tmp_path):
    found = read(tmp_path, planted.run(rows=[(1050, 0, 0), (1060, 0, 1), (1065, 0, 0)]))
    (first, second) = found.slices["ISR"]
    assert first[:3] == ["active at the start", 0, 50]
    assert second[1:3] == [60, 65]


def test_codes_have_no_tracks_here_and_change_no_other(tmp_path):
    plain = Read(planted.written(write_perfetto, tmp_path / "a.pftrace", planted.run()))
    coded = Read(planted.written(write_perfetto, tmp_path / "b.pftrace", planted.coded()))
    assert {t.name for t in coded.tracks.values()} == {t.name for t in plain.tracks.values()}
    assert {place: len(slices) for place, slices in coded.slices.items()} == {
        place: len(slices) for place, slices in plain.slices.items()
    }
