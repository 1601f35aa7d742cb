# SPDX-License-Identifier: Apache-2.0
"""The parts of a self-test, in their order: each is judged, left out, or told why it is not."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from plexor.experiments.calibration.density import BATCHES
from plexor.experiments.calibration.observation import FreeEdges, Looped
from plexor.experiments.selftest import memory, run
from plexor.experiments.selftest.by_bins import BinWitness
from plexor.experiments.selftest.by_events import EventWitness
from plexor.experiments.selftest.model import Finding, SelftestPart
from plexor.experiments.selftest.run import SelftestGoal, link_check, selftest, witness_of
from plexor.experiments.selftest.witness import LinkLoad, Recount
from plexor.model.identity import Identity
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry

GEOMETRY = Geometry(channels=3, strikes=1)


class Planted:
    """A witness of what is planted; each part that is asked is noted."""

    def __init__(self):
        self.carried = LinkLoad(Fraction(1_000_000), True)
        self.counted = Recount("their events", 10, 5)
        self.loop = Looped({8: 4}, 4, {}, lost=0)
        self.recounted = None

    def load(self, nominal_bytes_s):
        return self.carried

    def looped(self, output):
        return self.loop

    def source(self, edges):
        counts = np.tile(np.full(4, 500), (BATCHES, 1))
        return FreeEdges({(c, way): counts for c in range(3) for way in (1, 0)}, 413_000_000)

    def recount(self, channels):
        self.recounted = list(channels)
        return self.counted


class Device:
    """An instrument whose decoder counts what it is told to, a read at a time."""

    name, serial, retries, nominal_bytes_s = "sim:", "S1", 0, None

    def __init__(self, **counts):
        self.identity = Identity(GEOMETRY, 7)
        self.decoder = SimpleNamespace(bytes_received=0, frames_lost=5, fault_counts=Counter())
        self.counts = counts

    def read_all(self, places):
        self.decoder.bytes_received += 100
        self.retries += self.counts.pop("retries", 0)
        self.decoder.frames_lost += self.counts.pop("lost", 0)
        self.decoder.fault_counts["crc"] += self.counts.pop("faults", 0)


@pytest.fixture
def witness(monkeypatch):
    found = Planted()
    monkeypatch.setattr(run, "witness_of", lambda device: found)
    return found


@pytest.fixture
def parts(monkeypatch, run_of):
    """Plant what takes runs, and what loopback and source are judged to be."""
    monkeypatch.setattr(memory, "registers", lambda device: SelftestPart("registers", ""))
    monkeypatch.setattr(run, "whole_run", lambda device, settings: run_of([]))
    for name in ("loopback_findings", "source_findings"):
        monkeypatch.setattr(run, name, lambda *judged: ())
    return monkeypatch


def test_a_link_without_an_error_passes_with_what_it_carried(witness):
    found = link_check(Device())
    assert found.passed
    carried = "4,000 bytes received, 0 errors; carried 1 MB/s, with more to send"
    assert carried in found.summary


@pytest.mark.parametrize(
    ("counts", "says"),
    [
        ({"faults": 1}, "loses data: 1 faulty stretches, 0 frames lost, 0 commands repeated"),
        ({"lost": 2, "retries": 1}, "loses data: 0 faulty stretches, 2 frames lost, 1 command"),
        ({"retries": 3}, "answers late: 0 faulty stretches, 0 frames lost, 3 commands repeated"),
    ],
)
def test_what_a_link_loses_is_told_apart_from_what_comes_late(witness, counts, says):
    (finding,) = link_check(Device(**counts)).findings
    assert finding.subject == "link"
    assert finding.text.startswith(says)


@pytest.mark.parametrize(
    ("nominal", "more", "slow"),
    [(2_000_000, True, False), (2_000_002, True, True), (2_000_002, False, False)],
)
def test_a_link_is_slow_below_half_of_what_it_must_carry(witness, nominal, more, slow):
    witness.carried = LinkLoad(Fraction(1_000_000), more)
    found = link_check(Device(), Fraction(nominal))
    assert [finding.text for finding in found.findings] == (
        ["slow: 1 MB/s with more to send; nominal is 2 MB/s"] if slow else []
    )


def test_the_parts_come_in_order_and_jumpers_only_where_there_are_some(witness, parts):
    said = []
    found = selftest(Device(), SelftestGoal({}), said.append)
    assert [check.name for check in found.checks] == [
        *("link", "registers", "idle inputs", "loopback", "phases", "memory")
    ]
    assert found.passed
    assert len(said) == 6
    parts.setattr(run, "jumper_findings", lambda *judged: ())
    assert selftest(Device(), SelftestGoal({0: (1,)})).checks[-1].name == "jumpers"


def test_a_pin_that_is_not_there_is_refused_before_anything_is_done(witness, parts):
    for wiring, says in (({1: (0,)}, "strike1: "), ({0: (3,)}, "ch3: ")):
        said = []
        with pytest.raises(ValueError, match=f"^{says}this instrument has"):
            selftest(Device(), SelftestGoal(wiring), said.append)
        assert said == []


def test_channels_with_a_defect_are_not_judged_by_their_memories(witness, parts):
    parts.setattr(run, "source_findings", lambda *judged: (Finding("ch1", "is stuck"),))
    found = selftest(Device(), SelftestGoal({}))
    assert witness.recounted == [0, 2]
    assert found.findings == (Finding("ch1", "is stuck"),)


@pytest.mark.parametrize(
    ("counted", "says"),
    [
        (Recount("x", 10, 5, lost=3), "memory: not judged, 3 events were lost on the link in each"),
        (Recount("x", 0), "not judged: no channel without a defect whose edges were all counted"),
    ],
)
def test_memories_that_could_not_be_counted_are_not_said_to_pass(witness, parts, counted, says):
    witness.counted = counted
    (finding,) = selftest(Device(), SelftestGoal({})).findings
    assert finding.text.startswith(says)


def test_strikes_lost_on_the_link_are_not_held_against_the_pins(witness, parts):
    witness.loop = Looped({8: 4}, 3, {}, lost=1)
    (finding,) = selftest(Device(), SelftestGoal({})).findings
    assert (finding.subject, finding.text[:20]) == ("link", "loopback: not judged")


def test_a_channel_that_moves_while_it_is_held_low_is_told(witness, parts, run_of):
    parts.setattr(run, "whole_run", lambda device, settings: run_of([[1000, 2000]]))
    found = selftest(Device(), SelftestGoal({})).findings
    assert Finding("ch0", "4 edges while its input is held low") in found


def test_an_instrument_without_events_is_tested_by_its_bins():
    silent = Geometry(features=ALL_FEATURES & ~Feature.EVENTS)
    device = SimpleNamespace(identity=Identity(silent, 1), name="sim:")
    assert isinstance(witness_of(device), BinWitness)
    assert isinstance(witness_of(Device()), EventWitness)


@pytest.mark.parametrize(("lamps", "last"), [(0, "memory"), (3, "lamps")])
def test_lamps_are_looked_at_where_there_are_some(witness, parts, lamps, last):
    parts.setattr(run, "lamps", lambda device: SelftestPart("lamps", ""))
    device = Device()
    device.identity = Identity(replace(GEOMETRY, lamps=lamps), 7)
    said = []
    assert selftest(device, SelftestGoal({}), said.append).checks[-1].name == last
    assert ("lamps" in said) == bool(lamps)
