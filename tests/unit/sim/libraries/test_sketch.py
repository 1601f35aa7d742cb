# SPDX-License-Identifier: Apache-2.0
"""Sketches: devices in Python, and how their faults are told."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from plexor_sim.libraries.sketch import Agenda, Sketch

from .playing import EXAMPLES, of_libraries, play

HEAD = "from plexor_sim.libraries.sketch import Sketch\nclass Device(Sketch):\n"


def sketch(folder: Path, body: str, options: str = "") -> Path:
    """Return the manifest of a sketch with this body."""
    (folder / "own.py").write_text(HEAD + body)
    return of_libraries(folder, f'file = "own.py"\noptions = "{options}"')


def test_inputs_come_before_what_the_sketch_does_at_that_time_and_in_their_order() -> None:
    agenda, done = Agenda(), list[str]()
    agenda.add(5, lambda: done.append("own"))
    agenda.add(5, lambda: done.append("input"), is_input=True)
    agenda.add(4, lambda: done.append("first"))
    agenda.add(5, lambda: done.append("last"))
    assert agenda.next_ps() == 4
    agenda.advance(5)
    assert done == ["first"]
    agenda.advance(6)
    assert done == ["first", "input", "own", "last"]
    assert agenda.next_ps() == 2**63 - 1


def test_a_time_that_is_over_is_refused() -> None:
    device = Sketch()
    device.agenda.advance(10)
    device.drive(10, 0, 1)
    with pytest.raises(ValueError, match=r"^9 ps is over; must be at least 10 ps$"):
        device.drive(9, 0, 1)


def test_a_sketch_drives_when_it_said_and_hears_its_load(tmp_path: Path) -> None:
    body = """
    initial_levels = 2
    load = "busy"
    def struck(self, time_ps, number, level):
        self.call(time_ps + 100, lambda: self.drive(time_ps + 200, 3, level))
        self.drive(time_ps + number, 1, not level)
"""
    played = play(sketch(tmp_path, body), [(1000, 2), (2000, 0)])
    assert played.levels == 2
    assert played.edges == [(1001, 1, 0), (1200, 3, 1), (2001, 1, 1), (2200, 3, 0)]


def test_strikes_that_idle_high_are_no_changes(tmp_path: Path) -> None:
    body = "    def struck(self, time_ps, number, level): self.drive(time_ps, number, level)\n"
    played = play(sketch(tmp_path, body), [(-1, 3), (1000, 2), (1500, 3)])
    assert played.edges == [(1000, 0, 0), (1500, 0, 1)]


@pytest.mark.parametrize(
    ("body", "code", "told"),
    [
        ("    struck = 3\n", 3, "TypeError: 'int' object is not callable"),
        (
            "    def struck(self, time_ps, *_):\n        self.drive(time_ps - 1, 0, 1)\n",
            3,
            "line 4: 999999 ps is over; must be at least 1000000 ps",
        ),
        (
            "    def struck(self, time_ps, number, level):\n        1 / 0\n",
            3,
            "line 4: ZeroDivisionError: division by zero",
        ),
        (
            "    def struck(self, *_):\n        import os; os._exit(1)\n",
            3,
            "its Python process has ended",
        ),
        ("    def __init__(self): raise KeyError('x')\n", 2, "line 3: KeyError: 'x'"),
        (
            "  pass\nDevice = 3\n",
            2,
            "has no class Device(Sketch); plexor_sim.libraries.sketch has Sketch",
        ),
        ("import this is wrong\n", 2, "IndentationError: expected an indented block"),
    ],
)
def test_a_fault_of_a_sketch_ends_in_one_line(
    body: str, code: int, told: str, tmp_path: Path
) -> None:
    played = play(sketch(tmp_path, body), [(1_000_000, 1)])
    assert played.code == code
    assert played.said.startswith(f"own.py: {told}")
    assert played.said.count("\n") == 1


def test_an_option_that_a_sketch_lacks_is_told() -> None:
    played = play(EXAMPLES / "echo_py.toml", [], "delay=3")
    assert played.said == "echo.py: delay=3: not an option; must be one of delay_ps, width_ps\n"


def test_a_sketch_that_does_not_return_ends_with_its_simulator(tmp_path: Path) -> None:
    alive = tmp_path / "alive"
    body = f"""
    def struck(self, *_):
        while True:
            open({str(alive)!r}, "a").write("x")
"""
    played = play(sketch(tmp_path, body), [(1_000_000, 1)], "patience=5")
    assert played.code == 3
    assert "own.py: has not returned from advance at " in played.said
    end_s = time.monotonic() + 30
    before = -1
    while (now := alive.stat().st_size) != before:
        assert time.monotonic() < end_s
        before = now
        time.sleep(1.0)
