# SPDX-License-Identifier: Apache-2.0
"""A timeline on the terminal."""

import re

import pytest

from plexor.library.run import Run
from plexor.show.terminal.timeline import _short, timeline_text

from ...coded import coded_run
from ...library.explain.test_coded import NAMES
from ..test_timeline import PLANTED


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_no_line_is_wider_than_the_terminal(width):
    view = Run(coded_run(PLANTED, 20_000, NAMES)).timeline().view
    lines = timeline_text(view, width=width, colour=False).splitlines()
    assert max(map(len, lines)) <= max(width, 40)


def test_each_column_shows_what_the_lane_did():
    view = Run(coded_run(PLANTED, 20_000, NAMES)).timeline(start=0, end="20us").view
    text = timeline_text(view, width=7 + 2 + 40, colour=False)
    motor = next(line for line in text.splitlines() if line.strip().startswith("motor"))
    # 40 columns of 500 ticks: unknown to 3 µs, runs to 5, waits to 11, runs to 15, waits.
    assert motor.split("motor ")[1] == "?" * 6 + "█" * 4 + "·" * 12 + "█" * 8 + "·" * 10
    assert "█ runs" in text


def test_a_run_whose_device_names_nothing_says_so():
    view = Run(coded_run([(1000, 8, 1)], 20_000)).timeline().view
    assert "The device sent no codes of tasks" in timeline_text(view, width=100, colour=False)


def test_lanes_that_stand_together_differ_in_colour():
    view = Run(coded_run(PLANTED, 20_000, NAMES)).timeline().view
    lines = [
        line for line in timeline_text(view, colour=True, width=100).splitlines() if "█" in line
    ]
    lanes = [line for line in lines if "runs" not in line]
    assert len(lanes) > 1
    colours = [re.search(r"\x1b\[[\d;]+m", line)[0] for line in lanes]
    assert len(set(colours)) == len(colours)


def test_a_name_is_whole_up_to_14_characters_and_no_longer_if_it_is_cut():
    assert _short("x" * 14) == "x" * 14
    assert _short("x" * 15) == "x" * 13 + "…"
