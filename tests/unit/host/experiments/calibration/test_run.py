# SPDX-License-Identifier: Apache-2.0
"""A calibration of a planted instrument: bins and delays come back, or what is wrong is told."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from plexor.base.errors import InstrumentError
from plexor.experiments.calibration import run
from plexor.experiments.calibration.density import BATCHES
from plexor.experiments.calibration.from_bins import BinObserver
from plexor.experiments.calibration.from_events import EventObserver
from plexor.experiments.calibration.observation import FreeEdges, Looped, LoopedEdges
from plexor.experiments.calibration.reference import Reference
from plexor.experiments.calibration.run import CalibrationGoal, calibrate, carried, observer_of
from plexor.experiments.calibration.ways import Detours
from plexor.model.calibration import Detour, PinDelay, Scale
from plexor.model.identity import Identity
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry

GEOMETRY = Geometry(channels=2, strikes=2, phases=4)
DEVICE = SimpleNamespace(identity=Identity(GEOMETRY, 7, build_id=9), name="sim:", serial="S1")
WIDTHS = {1: np.array([1200, 800, 1100, 900]), 0: np.array([1000, 1000, 700, 1300])}
DELAY_TICKS = {1: 30, 0: 50}
WAYS = [(channel, way) for channel in (0, 1) for way in (1, 0)]


class Planted:
    """An instrument of planted bins, whose loopback takes DELAY_TICKS, up and down."""

    def __init__(self):
        self.asked = []
        self.counts = {place: np.tile(WIDTHS[place[1]], (BATCHES, 1)) for place in WAYS}
        strikes = np.arange(0, 4000, 101)
        count = len(strikes)
        echoes = {
            place: LoopedEdges(count, count, strikes, strikes + DELAY_TICKS[place[1]])
            for place in WAYS
        }
        self.loop = Looped({8: 4}, 4, echoes)
        # Through a wire, two ticks later on channel 0 and five on channel 1.
        self.wires = Looped(
            {8: 4},
            4,
            {
                (channel, way): replace(echo, seen_ticks=echo.seen_ticks + (2, 5)[channel])
                for (channel, way), echo in echoes.items()
            },
        )

    def source(self, edges):
        self.asked.append(edges)
        return FreeEdges(self.counts, 413_000_000)

    def behind(self, channels):
        return {way: [0.0] * len(channels) for way in (1, 0)}

    def looped(self, output):
        self.asked.append(f"strike{output}")
        return self.loop

    def wired(self, output, channels):
        self.asked.append((output, tuple(channels)))
        return self.wires


@pytest.fixture
def planted(monkeypatch):
    found = Planted()
    monkeypatch.setattr(run, "observer_of", lambda device: found)
    return found


def test_the_planted_bins_and_delays_come_back(planted):
    said = []
    found = calibrate(DEVICE, CalibrationGoal(5000), said.append)
    assert (found.serial, found.gateware_hash, found.build_id) == ("S1", 7, 9)
    assert (found.source_fs, found.simulated) == (413_000_000, True)
    assert planted.asked == [5000, "strike0", "strike1"]
    assert [entry.number for entry in found.channels] == [0, 1]
    for entry in found.channels:
        assert entry.rise.widths_ps(10**6) == pytest.approx(WIDTHS[1], abs=2)
        assert entry.fall.widths_ps(10**6) == pytest.approx(WIDTHS[0], abs=2)
    assert [(entry.output, entry.channel) for entry in found.delays] == [
        (output, channel) for output in (0, 1) for channel in (0, 1)
    ]
    for entry in found.delays:
        # An edge at tick k came in the bin that k ends: the delay is known to about a bin.
        assert abs(entry.rise_ps - 29_500) <= entry.rise_error_ps + 500
        assert abs(entry.fall_ps - 49_500) <= entry.fall_error_ps + 500
    assert len(said) == 3


def test_a_phase_that_never_sees_an_edge_is_told_with_its_channel_and_way(planted):
    planted.counts[1, 0] = planted.counts[1, 0] * np.array([1, 0, 1, 1])
    with pytest.raises(InstrumentError, match="sim:: ch1: asynchronous source, edges down: "):
        calibrate(DEVICE, CalibrationGoal())


def test_strikes_that_did_not_all_come_are_told(planted):
    planted.loop = replace(planted.loop, received=3)
    with pytest.raises(InstrumentError, match="strike0 looped back: 3 of 4 events arrived"):
        calibrate(DEVICE, CalibrationGoal())


@pytest.mark.parametrize(("struck", "seen"), [(40, 39), (40, 41), (0, 0)])
def test_a_channel_that_sees_other_edges_than_were_struck_is_told(planted, struck, seen):
    echo = replace(planted.loop.echoes[1, 0], struck=struck, seen=seen)
    planted.loop = replace(planted.loop, echoes=planted.loop.echoes | {(1, 0): echo})
    says = f"ch1 saw {seen} edges of {struck} of strike0 looped back"
    with pytest.raises(InstrumentError, match=says):
        calibrate(DEVICE, CalibrationGoal())


def test_an_instrument_without_events_is_observed_by_its_bins():
    silent = replace(GEOMETRY, features=ALL_FEATURES & ~Feature.EVENTS)
    device = SimpleNamespace(identity=Identity(silent, 1), name="sim:")
    assert isinstance(observer_of(DEVICE), EventObserver)
    assert isinstance(observer_of(device), BinObserver)


WIRED = {1: [0, 1]}


def test_a_tee_of_wires_gives_the_way_over_each_pin_less_the_wires_own_delay(planted):
    said = []
    found = calibrate(DEVICE, CalibrationGoal(5000, WIRED, (400, 1000)), said.append)
    assert planted.asked[-1] == (1, (0, 1))
    assert said[-1] == "strike1 through its jumper to ch0, ch1"
    exact = calibrate(DEVICE, CalibrationGoal(5000, WIRED, (700, 700)))
    loops = {entry.channel: entry for entry in found.delays if entry.output == 1}
    for entry, known in zip(found.jumpers, exact.jumpers, strict=True):
        loop, late_ps = loops[entry.channel], (2000, 5000)[entry.channel]
        # Uneven bins may leave a few ps of difference.
        assert entry.rise_ps == known.rise_ps == pytest.approx(loop.rise_ps + late_ps - 700, abs=2)
        assert entry.fall_ps == pytest.approx(loop.fall_ps + late_ps - 700, abs=2)
        assert entry.rise_error_ps == known.rise_error_ps + 300
        assert entry.made == found.made
        assert (entry.output, entry) == (1, found.pins(1, entry.channel))
    assert [entry.channel for entry in found.jumpers] == [0, 1]


def test_a_channel_that_does_not_see_its_wire_is_told(planted):
    echo = replace(planted.wires.echoes[1, 1], seen=0)
    planted.wires = replace(planted.wires, echoes=planted.wires.echoes | {(1, 1): echo})
    says = "ch1 saw 0 edges of 40 of strike1 through its jumper; `plexor board selftest --jumper` "
    with pytest.raises(InstrumentError, match=says):
        calibrate(DEVICE, CalibrationGoal(5000, WIRED))
    planted.wires = replace(planted.wires, received=0)
    with pytest.raises(InstrumentError, match="strike1 through its jumper: 0 of 4 events arrived"):
        calibrate(DEVICE, CalibrationGoal(5000, WIRED))


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        (CalibrationGoal(5000, {2: [0]}), "strike2: this instrument has strike0 to strike1"),
        (CalibrationGoal(5000, {0: [2]}), "ch2: this instrument has ch0 to ch1"),
        (CalibrationGoal(5000, reference=Reference(3)), "ch3: this instrument has ch0 to ch1"),
    ],
)
def test_a_pin_that_there_is_not_is_told_before_the_first_edge(planted, wanted, says):
    with pytest.raises(ValueError, match=says):
        calibrate(DEVICE, wanted)
    assert planted.asked == []


def test_what_place_and_route_says_of_this_build_and_a_reference_go_into_it(planted, monkeypatch):
    detour, scale = Detour(0, 1, 100, 900), Scale(7, 2001, "1 PPS on ch1", "2026")
    board = replace(GEOMETRY, features=ALL_FEATURES & ~Feature.SIMULATED, board="here")
    device = SimpleNamespace(identity=Identity(board, 7, build_id=9), name="x", serial="S1")
    known = {(9, "here"): Detours((detour,), True), (8, "here"): Detours((detour,), False)}
    monkeypatch.setattr(run, "detours_of", lambda *asked: known.get(asked, Detours((), False)))
    monkeypatch.setattr(run, "measured_scale", lambda device, reference, made: scale)
    said = []
    found = calibrate(device, CalibrationGoal(5000, reference=Reference(1)), said.append)
    assert (found.detours, found.scale) == ((detour,), scale)
    assert said[-1] == "1 PPS on ch1 for 10 s"
    assert calibrate(device, CalibrationGoal(5000)).scale is None
    assert not any("place and route" in line for line in said)
    # A simulation has no place and route.
    assert calibrate(DEVICE, CalibrationGoal(5000), said.append).detours == ()
    assert not any("place and route" in line for line in said)
    for named, bounds, whose in ((8, (detour,), "other builds of this board"), (7, (), "boards")):
        other = SimpleNamespace(identity=Identity(board, 7, build_id=named), name="x", serial="S1")
        assert calibrate(other, CalibrationGoal(5000), said.append).detours == bounds
        assert "place and route of this build is not known: " in said[-1]
        assert whose in said[-1]


def test_jumpers_and_a_clock_of_before_are_kept_unless_they_were_measured_again(planted):
    old = PinDelay(0, 1, 1, 2, 3, 4, "2025")
    again = PinDelay(1, 0, 5, 6, 7, 8, "2025")
    scale = Scale(7, 2001, "1 PPS on ch1", "2025")
    found = calibrate(DEVICE, CalibrationGoal(5000, WIRED))
    before = replace(found, jumpers=(old, again), scale=scale)
    whole = carried(found, before)
    assert whole.jumpers == (old, *found.jumpers)
    assert whole.scale == scale
    newer = replace(found, scale=replace(scale, fast_ppb=9))
    assert carried(newer, before).scale.fast_ppb == 9
    assert carried(found, found) == found
