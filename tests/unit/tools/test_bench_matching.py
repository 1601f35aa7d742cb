# SPDX-License-Identifier: Apache-2.0
"""The bench of matching: each way is as exact as the golden model, and what is lost is unknown."""

import pytest
from tools import bench_matching
from tools.bench_files import events_of
from tools.bench_matching import WAYS, batches, matching_speeds


def test_each_way_is_timed_and_agrees_with_the_golden_model():
    said = []
    speeds = {speed.name: speed for speed in matching_speeds(30_000, said.append)}
    assert list(speeds) == list(WAYS)
    assert len(said) == len(WAYS)
    assert all(speed.events == 30_000 for speed in speeds.values())
    lossy = {name for name, (_, one_in) in WAYS.items() if one_in}
    unknown = {name for name, speed in speeds.items() if speed.unknown}
    assert "one frame in 50 lost" in unknown
    assert unknown <= lossy


def test_a_class_that_is_counted_otherwise_is_an_error(monkeypatch):
    taken, one_in = WAYS["answered in order"]
    other = bench_matching.replace(taken, timeout_ticks=100)
    right = bench_matching.golden
    monkeypatch.setattr(bench_matching, "golden", lambda rows, rules: right(rows, other))
    monkeypatch.setattr(bench_matching, "WAYS", {"some": (taken, one_in)})
    with pytest.raises(ValueError, match=r"some: .* answered; must be"):
        matching_speeds(600, lambda line: None)


def test_frames_hold_all_events_but_those_of_the_lost_ones():
    rows = events_of(60_000)
    for one_in in (0, 50):
        kept = missing = 0
        for batch, before in batches(rows, one_in):
            kept, missing = kept + len(batch), missing + int(before.sum())
        assert kept + missing in range(len(rows) - 250, len(rows) + 1)
        assert (missing > 0) == bool(one_in)
