"""Calibrations from Python: taken, kept, and shown."""

import json
from types import SimpleNamespace

import pytest

from plexor.calibration.store import default_path, load
from plexor.errors import StoreError, UsageError
from plexor.library.upkeep import calibrate as module
from plexor.library.upkeep.calibrate import calibrated, edges_of, target_of
from plexor.model.calibration import Calibration, ChannelInstants, Instants

CHANNEL = ChannelInstants(0, *[Instants((10, -20, 5, 5), (3, 3, 3, 3), 20_000)] * 2)
FOUND = Calibration("S1", 7, "ulx3s", False, 10**6, "2026", 1, (CHANNEL,), ())
DEVICE = SimpleNamespace(serial="S1", identity=SimpleNamespace(placement=9))


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """Have the instrument find a planted calibration; return how many edges it was asked for."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    edges = []

    def calibrate(device, wanted, report):
        edges.append(wanted.edges)
        report("strike0 looped back")
        return FOUND

    monkeypatch.setattr(module, "calibrate", calibrate)
    return edges


def test_a_calibration_is_kept_for_its_board_and_build(asked):
    lines = []
    found = calibrated(DEVICE, "2k", on_line=lines.append)
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
    [(999, "edges 999; must be at least 1000"), ("many", "edges: count: 'many'")],
)
def test_too_few_edges_are_refused_before_the_first(asked, edges, message):
    with pytest.raises(UsageError, match=f"^{message}"):
        calibrated(DEVICE, edges)
    assert asked == []
    with pytest.raises(UsageError, match=r"^--edges 999"):
        edges_of(999, lambda name: f"--{name}")
