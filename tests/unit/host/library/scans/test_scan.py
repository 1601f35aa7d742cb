# SPDX-License-Identifier: Apache-2.0
"""What all scans have in common."""

import pytest

from plexor.base.errors import ExitCode, InvalidRunError, StoreError
from plexor.library.scans.burst import BurstScan
from plexor.library.scans.phase import PhaseScan
from plexor.library.scans.scan import Ended, Scan
from plexor.library.scans.sweep import Sweep

from ...kept_scans import BURST, PHASE
from ...plain_text import columns_and_colour
from ...sweeps import swept

SCANS = {Sweep: swept({"none": 100_000}), PhaseScan: PHASE, BurstScan: BURST}


@pytest.mark.parametrize("kind", SCANS, ids=lambda kind: kind.__name__)
def test_a_scan_says_what_it_is_and_shows_itself(kind):
    scan = kind(SCANS[kind])
    result = SCANS[kind]
    assert isinstance(scan, Scan)
    assert (scan.simulated, scan.interrupted) == (result.simulated, result.interrupted)
    assert (scan.tick_fs, scan.device) == (result.tick_fs, result.device)
    assert (scan.valid, scan.invalid_reasons, scan.exit_code()) == (True, (), ExitCode.PASS)
    assert max(map(len, scan.text(width=60).splitlines())) <= 60
    assert "\x1b[" in scan.text(colour=True)
    assert "<html" in scan.page()
    assert scan.picture().startswith("<svg")
    assert isinstance(scan.document(), dict)
    assert repr(scan).startswith(f"<plexor.{kind.__name__} ")
    if scan.simulated:
        assert "simulated" in repr(scan)
        assert "simulated" in scan.text()


def test_why_a_scan_ended_early_and_is_not_kept_is_in_it():
    error, unsaved = InvalidRunError("x"), StoreError("y")
    scan = Sweep(SCANS[Sweep], error, unsaved)
    assert (scan.error, scan.unsaved) == (error, unsaved)


def test_a_scan_must_say_how_it_is_shown():
    class Silent(Scan):
        what = "silent scan"

    with pytest.raises(TypeError, match="abstract"):
        Silent(SCANS[Sweep])


def test_its_text_is_plain_and_of_100_columns_unless_it_is_asked_for_otherwise():
    assert columns_and_colour(Ended.text) == (100, False)
