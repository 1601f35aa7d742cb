# SPDX-License-Identifier: Apache-2.0
"""Calibrations from Python: taken, kept, and shown."""

import json
import re
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest

from plexor.base.errors import StoreError, UsageError
from plexor.experiments.calibration.reference import Reference
from plexor.experiments.calibration.store import default_path, load, save
from plexor.library.upkeep import calibrate as module
from plexor.library.upkeep.calibrate import Calibrated, calibrated, target_of
from plexor.model.calibration import Calibration, ChannelInstants, Instants, PinDelay
from plexor.model.identity import Identity
from plexor.protocol.geometry import Geometry

from ...plain_text import columns_and_colour

CHANNEL = ChannelInstants(0, *[Instants((10, -20, 5, 5), (3, 3, 3, 3), 20_000)] * 2)
FOUND = Calibration("S1", 7, "ulx3s", False, 10**6, "2026", 1, (CHANNEL,), ())
GEOMETRY = Geometry(phases=4, tick_fs=10**6)
DEVICE = SimpleNamespace(serial="S1", identity=SimpleNamespace(placement=9, geometry=GEOMETRY))
BUILT = SimpleNamespace(serial="S1", identity=Identity(GEOMETRY, 7))
ASKED = SimpleNamespace(wanted=None)
"""What the instrument was last asked for."""


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """Have the instrument find a planted calibration; return how many edges it was asked for."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    edges = []

    def calibrate(device, wanted, report):
        edges.append(wanted.edges)
        report("strike0 looped back")
        if 7 in wanted.wiring:
            raise ValueError("strike7: this instrument has strike0 alone")
        ASKED.wanted = wanted
        return FOUND

    monkeypatch.setattr(module, "calibrate", calibrate)
    return edges


def test_a_calibration_is_kept_for_its_board_and_build(asked):
    lines = []
    found = calibrated(DEVICE, edges="2k", on_line=lines.append)
    assert (asked, lines) == ([2000], ["strike0 looped back"])
    assert found.path == default_path("S1", 9)
    assert load(found.path) == found.calibration == FOUND
    assert found.unsaved is None


def test_it_is_kept_in_a_file_that_is_named(asked, tmp_path):
    found = calibrated(DEVICE, path=str(tmp_path / "c.json"))
    assert asked == [20_000]
    assert load(tmp_path / "c.json") == FOUND
    assert target_of(DEVICE, tmp_path / "c.json") == found.path


def test_one_that_cannot_be_kept_is_returned_with_the_reason(asked, tmp_path):
    (tmp_path / "file").write_text("mine")
    found = calibrated(DEVICE, path=tmp_path / "file" / "c.json")
    assert isinstance(found.unsaved, StoreError)
    assert found.calibration == FOUND


@pytest.mark.usefixtures("asked")
def test_it_shows_itself():
    found = calibrated(DEVICE)
    assert "ulx3s" in found.text()
    assert max(map(len, found.text(width=60).splitlines())) <= 60
    assert json.loads(json.dumps(found.document()))["serial"] == "S1"


@pytest.mark.parametrize(
    ("edges", "message"),
    [(999, "edges: 999; must be at least 1000"), ("many", "edges: 'many'; must be a whole number")],
)
def test_too_few_edges_are_refused_before_the_first(asked, edges, message):
    with pytest.raises(UsageError, match=f"^{message}"):
        calibrated(DEVICE, edges=edges)
    assert asked == []
    with pytest.raises(UsageError, match=r"^--edges: 999"):
        calibrated(DEVICE, edges=999, naming=lambda name: f"--{name}")


def test_jumpers_their_delay_and_a_clock_reach_the_instrument(asked):
    calibrated(BUILT, jumpers=["strike0=ch0,strike0=ch1", (1, 2)], wire="480ps", pps="ch7")
    given = ASKED.wanted
    assert (given.wiring, given.wire_ps) == ({0: [0, 1], 1: [2]}, (470, 489))
    assert given.reference == Reference(7, Fraction(1), Fraction(10))
    calibrated(BUILT, pps=(3, Fraction(10**7)), pps_time=4)
    assert ASKED.wanted.reference == Reference(3, Fraction(10**7), Fraction(4))
    # Up to 20 cm of wire, if nothing is said of it.
    assert (ASKED.wanted.wiring, ASKED.wanted.wire_ps) == ({}, (0, 1000))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"jumpers": "strike0"}, "jumpers: jumper: 'strike0'; must be strikeN=chM"),
        ({"jumpers": "strike0=ch1,strike1=ch1"}, "jumpers: ch1 is given twice"),
        ({"wire": "101ns"}, "wire: '101ns': 103020 ps; must be 0 to 100000 ps"),
        ({"pps": "7"}, "pps: reference: '7'; must be ch0 to ch7 for 1 PPS"),
        ({"pps": "ch7=50"}, "pps: 50 Hz; must be 1 Hz, or 1 MHz or more"),
        ({"pps": "ch7", "pps_time": "2s"}, "pps_time 2 s; must be 3 to 3600 s"),
    ],
)
def test_what_cannot_be_is_refused_before_the_first_edge(asked, options, says):
    with pytest.raises(UsageError, match=f"^{re.escape(says)}"):
        calibrated(DEVICE, **options)
    assert asked == []


@pytest.mark.usefixtures("asked")
def test_a_pin_that_the_instrument_does_not_have_is_a_wrong_option():
    with pytest.raises(UsageError, match=r"^--jumper: strike7: this instrument has strike0 alone"):
        calibrated(DEVICE, jumpers="strike7=ch0", naming=lambda name: "--jumper")


@pytest.mark.usefixtures("asked")
def test_what_a_jumper_gave_is_kept_with_the_next_calibration_of_this_build_alone(tmp_path):
    path, lines = tmp_path / "c.json", []
    jumper = PinDelay(0, 0, 40, 50, 6, 7, "2025")
    save(replace(FOUND, jumpers=(jumper,)), path)
    found = calibrated(BUILT, path=path, on_line=lines.append)
    assert found.calibration.jumpers == load(path).jumpers == (jumper,)
    assert lines[1:] == ["strike0 to ch0: its jumper's of 2025 is kept"]
    # Of another board, or damaged: nothing of it is kept.
    for text in (json.dumps(json.loads(path.read_text())).replace("S1", "S2"), "{"):
        path.write_text(text)
        assert calibrated(BUILT, path=path).calibration == FOUND


def test_its_text_is_plain_and_of_100_columns_unless_it_is_asked_for_otherwise():
    assert columns_and_colour(Calibrated.text) == (100, False)
