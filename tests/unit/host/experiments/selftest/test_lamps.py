# SPDX-License-Identifier: Apache-2.0
"""The self-test's part about lamps, on an instrument that says what it is told to."""

from types import SimpleNamespace

import pytest

from plexor.experiments.selftest import lamps as part
from plexor.experiments.selftest.model import Finding
from plexor.protocol.geometry import Feature


class Told:
    """A device whose status is a list of values, one for each read."""

    def __init__(self, *values, count=8):
        self.values = list(values)
        self.identity = SimpleNamespace(
            geometry=SimpleNamespace(lamps=count, features=Feature.MATCH)
        )

    def read(self, block, name):
        assert (block, name) == ("status", "lamp_faults")
        return self.values.pop(0)


@pytest.fixture(name="runs", autouse=True)
def counted_runs(monkeypatch):
    runs = []
    monkeypatch.setattr(part, "whole_run", lambda device, settings: runs.append(settings))
    return runs


def test_lamps_that_were_tried_need_no_run(runs):
    assert part.lamps(Told(0x100)).findings == ()
    assert runs == []


def test_a_walk_under_way_is_waited_for(runs):
    found = part.lamps(Told(0, 0x124))
    assert [entry.time_s for entry in runs] == [part.WALK_S]
    assert [finding.subject for finding in found.findings] == ["lamp2", "lamp5"]


def test_lamps_that_are_never_tried_are_a_defect():
    assert part.lamps(Told(0x03, 0x03)).findings == (
        Finding("lamps", "not tried within 0.3 s of a run"),
    )


def test_lamps_that_a_board_lacks_are_not_named():
    assert [f.subject for f in part.lamps(Told(0x1FF, count=3)).findings] == [
        "lamp0",
        "lamp1",
        "lamp2",
    ]
