"""A calibration of a planted instrument: bins and delays come back, or what is wrong is told."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from plexor.calibration import run
from plexor.calibration.density import BATCHES
from plexor.calibration.from_bins import BinObserver
from plexor.calibration.from_events import EventObserver
from plexor.calibration.observation import Echo, Looped, Source
from plexor.calibration.run import Wanted, calibrate, observer_of
from plexor.errors import InstrumentError
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
            place: Echo(count, count, strikes, strikes + DELAY_TICKS[place[1]]) for place in WAYS
        }
        self.loop = Looped({8: 4}, 4, echoes)

    def source(self, edges):
        self.asked.append(edges)
        return Source(self.counts, 413_000_000)

    def behind(self, channels):
        return {way: [0.0] * len(channels) for way in (1, 0)}

    def looped(self, output):
        self.asked.append(f"strike{output}")
        return self.loop


@pytest.fixture
def planted(monkeypatch):
    found = Planted()
    monkeypatch.setattr(run, "observer_of", lambda device: found)
    return found


def test_the_planted_bins_and_delays_come_back(planted):
    said = []
    found = calibrate(DEVICE, Wanted(5000), said.append)
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
        calibrate(DEVICE, Wanted())


def test_strikes_that_did_not_all_come_are_told(planted):
    planted.loop = replace(planted.loop, received=3)
    with pytest.raises(InstrumentError, match="strike0 looped back: 3 of 4 events arrived"):
        calibrate(DEVICE, Wanted())


@pytest.mark.parametrize(("struck", "seen"), [(40, 39), (40, 41), (0, 0)])
def test_a_channel_that_sees_other_edges_than_were_struck_is_told(planted, struck, seen):
    echo = replace(planted.loop.echoes[1, 0], struck=struck, seen=seen)
    planted.loop = replace(planted.loop, echoes=planted.loop.echoes | {(1, 0): echo})
    says = f"ch1 saw {seen} edges of {struck} of strike0 looped back"
    with pytest.raises(InstrumentError, match=says):
        calibrate(DEVICE, Wanted())


def test_an_instrument_without_events_is_observed_by_its_bins():
    silent = replace(GEOMETRY, features=ALL_FEATURES & ~Feature.EVENTS)
    device = SimpleNamespace(identity=Identity(silent, 1), name="sim:")
    assert isinstance(observer_of(DEVICE), EventObserver)
    assert isinstance(observer_of(device), BinObserver)
