# SPDX-License-Identifier: Apache-2.0
"""Phase scans from Python: what is asked of the instrument, and what is kept."""

import json

import pytest

import plexor
from plexor.base.errors import InvalidRunError, StoreError, UsageError
from plexor.library.scans import phase as module
from plexor.library.scans.phase import PhaseScan
from plexor.library.scans.phase_spec import PhaseSpec
from plexor.library.specs.options import Target
from plexor.run.session.stop import Stop

from ...kept_scans import PHASE
from ...plain_text import columns_and_colour

DEVICE = object()


def phase(**options):
    """Return a phase scan of what stands for a device."""
    return module.scanned(DEVICE, PhaseSpec.of(options), Target())


@pytest.fixture
def taken(monkeypatch, run_of):
    """Have the instrument bring back a planted scan; return what it was asked."""
    asked = []
    monkeypatch.setattr(
        module, "run", lambda *given: asked.append(given) or (PHASE, run_of([[1000, 2000]]))
    )
    return asked


def test_options_a_description_a_listener_and_a_stop_reach_the_instrument(taken):
    stop, heard = Stop(), []
    phase(
        against="ch2",
        rate="5k",
        device={"os": "x"},
        on_progress=heard.append,
        stop=stop,
    )
    ((device, wanted, on_progress, description, stopped),) = taken
    assert device is DEVICE
    assert (wanted.against, wanted.rate_hz) == ("ch2", 5000)
    assert (description, stopped) == ({"os": "x"}, stop)
    on_progress("told")
    assert heard == ["told"]


@pytest.mark.usefixtures("taken")
def test_a_scan_has_its_run_and_shows_itself():
    scan = phase(against="ch2", rate="5k")
    assert scan.result == PHASE
    assert scan.run.result.strikes == 2
    assert [channel.channel for channel in scan.channels] == [
        entry.channel for entry in PHASE.scans
    ]
    assert scan.document()["schema"] == "plexor.phase/2"
    assert "masked windows" in repr(scan)


@pytest.mark.usefixtures("taken")
def test_a_scan_its_run_and_its_page_are_kept(tmp_path):
    out = tmp_path / "p"
    scan = phase(against="ch2", rate="5k", out=str(out))
    assert scan.unsaved is None
    kept = plexor.load(out)
    assert (kept.result, kept.run) == (PHASE, None)
    assert plexor.load(out / "run.json").result == scan.run.result
    kept = json.loads((out / "phase.json").read_text())
    assert len(kept.pop("sha256")) == 64
    assert kept == json.loads(json.dumps(scan.document()))
    assert (out / "phase.html").read_text() == scan.page()


def test_a_folder_that_holds_something_is_refused_before_the_run(taken, tmp_path):
    (tmp_path / "mine").touch()
    with pytest.raises(UsageError, match=f"^out {tmp_path}: already exists; name a new folder"):
        phase(against="ch2", rate="5k", out=tmp_path)
    assert taken == []


@pytest.mark.usefixtures("taken")
def test_a_scan_that_cannot_be_kept_is_returned_with_the_reason(tmp_path, monkeypatch):
    def full(result, place, more):
        raise StoreError(f"{place.path}: cannot write: No space left on device")

    monkeypatch.setattr(module, "put_run", full)
    scan = phase(against="ch2", rate="5k", out=tmp_path / "p")
    assert "No space left" in str(scan.unsaved)
    assert scan.result == PHASE


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"against": "ch2"}, "rate: is missing; it must be given"),
        ({"against": "ch2", "rate": 1, "lag": 3}, "lag: no such option; must be one of against"),
        ({"against": "strike1", "rate": 1}, "against strike1: give its period too"),
    ],
)
def test_what_cannot_be_scanned_is_refused_before_the_run(taken, options, message):
    with pytest.raises(UsageError, match=f"^{message}"):
        phase(**options)
    assert taken == []


def test_what_the_scan_raises_is_raised(monkeypatch):
    def silent(*_):
        raise InvalidRunError("ch2: no edges")

    monkeypatch.setattr(module, "run", silent)
    with pytest.raises(InvalidRunError, match="no edges"):
        phase(against="ch2", rate="5k")


def test_its_text_is_plain_and_of_100_columns_unless_it_is_asked_for_otherwise():
    assert columns_and_colour(PhaseScan.text) == (100, False)
