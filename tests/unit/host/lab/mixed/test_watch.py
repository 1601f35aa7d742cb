# SPDX-License-Identifier: Apache-2.0
"""A schedule that is under way, on standard error."""

from types import SimpleNamespace

import pytest

from plexor.cli.measure import live as live_module
from plexor_lab.mixed.model import Mode
from plexor_lab.mixed.spec import MixedSpec
from plexor_lab.mixed.watch import Watch

from ...cli.measure.test_live import Terminal
from ...progress_told import progress
from .lists import TICK_FS
from .test_view import looked


@pytest.fixture
def seen(monkeypatch):
    """Return what is looked at, with a clock that stands until it is set."""
    held = SimpleNamespace(now=100.0)
    monkeypatch.setattr(live_module, "time", SimpleNamespace(monotonic=lambda: held.now))
    monkeypatch.setenv("COLUMNS", "90")
    found = looked(Mode.MIXED, 4, [(9, 0x12, False)])
    found.run.device = SimpleNamespace(identity=SimpleNamespace(tick_fs=TICK_FS))
    return found, held


def shown(seen, live=True):
    """Have a run looked at 51 times in a second."""
    found, held = seen
    watch = Watch(MixedSpec(), live=live)
    watch.told.on_run(2, 5, "mixed-1")
    for number in range(51):
        held.now = 100 + number * 0.02
        watch.told.on_progress(progress(strikes=number))
        watch.told.on_look(found)
    watch.close()


def test_a_terminal_shows_ten_views_a_second_and_is_left_clean(monkeypatch, seen):
    monkeypatch.setattr("sys.stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    shown(seen)
    text = live_module.sys.stderr.getvalue()
    assert 9 <= text.count("schedule: 16 to come") <= 12
    assert "mixed-1 " in text
    assert "\x1b[34m" in text
    assert text.rstrip().endswith("\x1b[2K")


def test_no_color_takes_the_colours_away(monkeypatch, seen):
    monkeypatch.setattr("sys.stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    shown(seen)
    text = live_module.sys.stderr.getvalue()
    assert "schedule: 16 to come" in text
    assert "\x1b[34m" not in text


def test_a_file_gets_a_view_every_ten_seconds_without_escapes(capsys, seen):
    found, held = seen
    watch = Watch(MixedSpec(), live=True)
    for held.now in (100.0, 104.0, 110.0, 111.0, 121.0):
        watch.told.on_look(found)
    watch.close()
    err = capsys.readouterr().err
    assert err.count("schedule: 16 to come") == 2
    assert "\x1b" not in err


def test_without_the_view_there_is_a_line_of_progress(capsys):
    watch = Watch(MixedSpec(), live=False)
    assert watch.told.on_look is None
    watch.told.on_run(1, 5, "verify")
    watch.told.on_run(2, 5, "normal")
    watch.close()
    assert capsys.readouterr().err.splitlines() == [
        "plexor: 5 runs, 37.3 s of the device's time",
        "plexor: run 1 of 5: verify",
        "plexor: run 2 of 5: normal",
    ]
