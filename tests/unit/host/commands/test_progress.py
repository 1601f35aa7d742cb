"""The line that says how far a run is, on a terminal and in a file."""

import io
import os
from types import SimpleNamespace

import pytest

from plexor.commands import progress as module
from plexor.commands.progress import ProgressLine, progress_text
from plexor.protocol.registers import RunState
from plexor.session.progress import Progress


def progress(**given):
    """Return the progress of a run a quarter of which is done, save for what is given."""
    told = {
        "strikes": 2500,
        "expected_strikes": 10_000,
        "elapsed_s": 0.125,
        "expected_s": None,
        "wall_s": 1.0,
        "remaining_wall_s": 3.4,
        "events_received": 9,
        "dropped": 0,
        "frames_lost": 0,
        "decode_faults": 0,
        "state": RunState.RUNNING,
    }
    return Progress(**told | given)


def test_the_text_has_part_strikes_rate_time_and_what_is_left():
    pieces = progress_text(progress()).strip().split("  ")
    values = ["25%", "2,500 of 10,000", "20 kHz", "125 ms", "3 s"]
    assert [piece[: len(value)] for piece, value in zip(pieces, values, strict=True)] == values


def test_what_is_not_known_is_left_out():
    text = progress_text(
        progress(strikes=0, expected_strikes=None, elapsed_s=0.0, remaining_wall_s=None)
    )
    assert text.startswith("0 strikes  0 s")
    assert not [word for word in ("%", "Hz", "left", "dropped", " of 1") if word in text]


@pytest.mark.parametrize(("dropped", "lost"), [(1200, 0), (0, 3), (1200, 3)])
def test_losses_are_told_as_soon_as_there_are_any(dropped, lost):
    text = progress_text(progress(dropped=dropped, frames_lost=lost))
    told = text.split("  ")[-1]
    assert f"{dropped:,} " in told
    assert f"{lost} " in told


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
    width = os.terminal_size((20, 24))
    monkeypatch.setattr(module.shutil, "get_terminal_size", lambda _: width)
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
