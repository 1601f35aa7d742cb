# SPDX-License-Identifier: Apache-2.0
"""Lanes as files: each is read back by the reader of its format, to the tick."""

import csv
from dataclasses import replace

import pytest
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent
from vcd.reader import TokenKind, tokenize

from plexor.base.errors import StoreError
from plexor.library.run import Run
from plexor.model.codes import CodeName
from plexor.show.export.lanes import export_lanes

from ...coded import coded_run

NAMES = (CodeName(1, 3, "motor"), CodeName(6, 0, "strike"))
PLANTED = [(1000, 6, 0), (3000, 7, 0), (5000, 1, 3), (7001, 3, 3), (9000, 1, 3)]
END = 12_000
TRUTH = {
    "strike": [(0, "unknown"), (1000, "active"), (3000, "idle")],
    "motor": [(0, "unknown"), (5000, "running"), (7001, "blocked"), (9000, "running")],
}


def written(path, tick_fs=10**6, names=NAMES):
    result = coded_run(PLANTED, END, names)
    geometry = replace(result.identity.geometry, tick_fs=tick_fs)
    result = replace(result, identity=replace(result.identity, geometry=geometry))
    export_lanes(Run(result).timeline().view, path)
    return path


def test_a_csv_has_each_span_to_the_tick_and_in_exact_nanoseconds(tmp_path):
    path = written(tmp_path / "a.csv", 500_000)
    found = {}
    for row in csv.DictReader(path.read_text().splitlines()):
        ticks = int(row["start_ticks"])
        assert float(row["start_ns"]) == ticks / 2
        found.setdefault(row["name"], []).append((ticks, row["state"]))
    assert found == TRUTH


def test_a_name_is_no_formula_of_a_spreadsheet(tmp_path):
    names = (CodeName(1, 3, "=motor()"), CodeName(6, 0, "@strike"))
    path = written(tmp_path / "a.csv", names=names)
    rows = csv.DictReader(path.read_text().splitlines())
    assert {row["name"] for row in rows} == {"_motor()", "_strike"}


@pytest.mark.parametrize("tick_fs", [10**6, 500_000, 1_041_667])
def test_a_vcd_has_each_state_at_its_exact_time(tick_fs, tmp_path):
    names, found, time, unit = {}, {}, 0, 0
    fs = {"s": 10**15, "ms": 10**12, "us": 10**9, "ns": 10**6, "ps": 10**3, "fs": 1}
    with written(tmp_path / "a.vcd", tick_fs).open("rb") as file:
        for token in tokenize(file):
            if token.kind is TokenKind.TIMESCALE:
                unit = int(str(token.timescale).split()[0]) * fs[token.timescale.unit.value]
            elif token.kind is TokenKind.VAR:
                names[token.var.id_code] = token.var.ref_str
            elif token.kind is TokenKind.CHANGE_TIME:
                time = token.time_change * unit
            elif token.kind is TokenKind.CHANGE_STRING:
                change = token.string_change
                found.setdefault(names[change.id_code], []).append((time, change.value))
    assert time == END * tick_fs
    assert found == {
        name: [(ticks * tick_fs, state) for ticks, state in spans] for name, spans in TRUTH.items()
    }


def test_a_perfetto_trace_has_each_span_that_is_not_idle_in_nanoseconds(tmp_path):
    trace = Trace()
    trace.ParseFromString(written(tmp_path / "a.pftrace", 500_000).read_bytes())
    tracks = {
        p.track_descriptor.uuid: p.track_descriptor.name
        for p in trace.packet
        if p.HasField("track_descriptor")
    }
    found, opened = {}, {}
    for packet in trace.packet:
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        name = tracks[event.track_uuid]
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            opened[name] = (packet.timestamp, event.name)
        else:
            begin, state = opened.pop(name)
            found.setdefault(name, []).append((begin, packet.timestamp, state))
    assert not opened
    # A tick is half a nanosecond: 3500.5 ns are rounded up.
    assert found == {
        "strike": [(0, 500, "unknown"), (500, 1500, "active")],
        "motor": [
            (0, 2500, "unknown"),
            (2500, 3501, "running"),
            (3501, 4500, "blocked"),
            (4500, 6000, "running"),
        ],
    }


def test_a_file_that_cannot_be_written_is_one_clear_line_and_leaves_nothing(tmp_path):
    with pytest.raises(StoreError, match="cannot write"):
        written(tmp_path / "none" / "a.csv")
    assert list(tmp_path.iterdir()) == []
