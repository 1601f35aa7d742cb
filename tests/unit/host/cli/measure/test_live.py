# SPDX-License-Identifier: Apache-2.0
"""`plexor measure --live`: drawn in place on a terminal, in a file at intervals."""

import io
from types import SimpleNamespace

import pytest

from plexor.cli.measure import live as module
from plexor.cli.measure.live import LiveView
from plexor.model.results import SnapshotResult

from ...progress_told import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """Return a clock that stands until it is set."""
    held = SimpleNamespace(now=100.0)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: held.now))
    monkeypatch.setenv("COLUMNS", "70")
    return held


def told(view, clock, run, times):
    for number, clock.now in enumerate(times):
        view(progress(strikes=number))
        view.snapshot(SnapshotResult(number, 2, run.channels))
    view.close()
    view.close()


def test_a_terminal_shows_ten_views_a_second_and_is_left_clean(monkeypatch, clock, run_of):
    monkeypatch.setattr("sys.stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    times = [100 + n * 0.02 for n in range(51)]
    told(LiveView(1_000_000, True), clock, run_of([[1000, None]]), times)
    shown = module.sys.stderr.getvalue()
    assert 9 <= shown.count("p50 ") <= 11
    assert "simulated" in shown
    # The last view is erased line by line.
    assert shown.rstrip().endswith("\x1b[2K")


def test_a_file_gets_a_view_every_ten_seconds_without_colour(capsys, clock, run_of):
    times = (100.0, 104.0, 110.0, 111.0, 121.0)
    told(LiveView(1_000_000, False), clock, run_of([[1000, None]]), times)
    err = capsys.readouterr().err
    assert err.count("ch0:") + err.count("ISR:") == 2
    assert "simulated" not in err
    assert "\x1b" not in err


def test_before_the_first_snapshot_there_is_only_how_far_the_run_is(capsys, clock):
    view = LiveView(1_000_000, False)
    clock.now = 200.0
    view(progress())
    assert "2,500 of 10,000 strikes" in capsys.readouterr().err
