# SPDX-License-Identifier: Apache-2.0
"""The line that says how far a run is, on a terminal and in a file."""

import io
import os
from types import SimpleNamespace

import pytest

from plexor.cli import progress as module
from plexor.cli.progress import ProgressLine, StepLines, error_width
from plexor.model.results import SnapshotResult

from ..progress_told import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """Return a clock that stands until it is set."""
    held = SimpleNamespace(now=100.0)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: held.now))
    return held


def test_a_terminal_shows_one_line_ten_times_a_second_and_is_left_clean(monkeypatch, clock):
    monkeypatch.setattr("sys.stderr", Terminal())
    monkeypatch.setattr(module, "error_width", lambda: 20)
    line = ProgressLine()
    for strikes, clock.now in ((10, 100.01), (20, 100.06), (30, 100.12)):
        line(progress(strikes=strikes, expected_strikes=100))
    line.close()
    line.close()
    shown = module.sys.stderr.getvalue().split("\r\x1b[K")
    assert [text[:8] for text in shown] == ["", " 10%  10", " 30%  30", ""]
    assert max(map(len, shown)) == 19  # one less than the terminal is wide, so that none wraps
    assert "\n" not in module.sys.stderr.getvalue()


def test_a_terminal_on_which_nothing_was_shown_is_left_alone(monkeypatch):
    monkeypatch.setattr("sys.stderr", Terminal())
    ProgressLine().close()
    assert module.sys.stderr.getvalue() == ""


def test_a_file_gets_a_line_every_ten_seconds_and_none_of_a_short_run(capsys, clock):
    line = ProgressLine()
    for clock.now in (100.0, 109.9, 110.0, 115.0, 120.0):
        line(progress(elapsed_s=clock.now - 99))
    line.close()
    err = capsys.readouterr().err
    assert [text[:13] for text in err.splitlines()] == ["plexor:  25% "] * 2
    assert " 11 s " in err
    assert " 21 s " in err
    assert "\x1b" not in err


def test_the_width_is_that_of_standard_error_s_own_terminal(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr("sys.stderr", SimpleNamespace(fileno=lambda: 77))
    widths = {77: os.terminal_size((132, 24))}
    monkeypatch.setattr(module.os, "get_terminal_size", widths.__getitem__)
    assert error_width() == 132
    monkeypatch.setenv("COLUMNS", "33")
    assert error_width() == 33


def test_the_line_ends_with_the_maximum_and_the_missed_strikes_of_the_last_snapshot(
    capsys, clock, run_of
):
    line = ProgressLine(1_000_000)
    for latencies in ([1000, None], [4000, None, None]):
        line.snapshot(SnapshotResult(1, 2, run_of([latencies]).channels))
    clock.now = 200.0
    line(progress())
    assert capsys.readouterr().err.rstrip().endswith("  max seen 4 µs  missed 2")


def test_each_step_says_how_long_the_rest_may_take(clock, capsys):
    lines = StepLines("step", "about ")
    clock.now += 12
    lines.say("none 20 kHz: R pass", 4, 10)
    # Four steps took 12 s, so six take 18.
    assert capsys.readouterr().err == (
        "plexor: step 4 of about 10, 18 s left: none 20 kHz: R pass\n"
    )
    lines.say("R fail", 11, 10)
    assert "step 11 of about 11, 0 s left" in capsys.readouterr().err


def test_steps_that_were_known_take_no_time_and_the_last_of_a_known_number_leaves_none(
    clock, capsys
):
    lines = StepLines("cell")
    lines.skip()
    lines.skip()
    clock.now += 10
    lines.say("left: missed 0", 3, 4)
    clock.now += 10
    lines.say("right: missed 0", 4, 4)
    assert capsys.readouterr().err == (
        "plexor: cell 3 of 4, 10 s left: left: missed 0\nplexor: cell 4 of 4: right: missed 0\n"
    )
