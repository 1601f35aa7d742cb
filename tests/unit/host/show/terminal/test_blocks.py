# SPDX-License-Identifier: Apache-2.0
"""Bars of eighths of a line, and the axis below them."""

import re

import pytest

from plexor.show.pictures.scale import Axis
from plexor.show.terminal.blocks import MARGIN, MOST_COLUMNS, axis_line, bars, columns_of
from plexor.show.terminal.columns import Paint

PLAIN = Paint(False)


def test_a_bar_fills_its_lines_from_below_an_eighth_at_a_time():
    lines = list(bars([0, 1, 8, 9, 16, 99], ["high", "low"], PLAIN, "good"))
    assert lines == [
        "   high    ▁██",
        "    low " + " ▁████",
    ]


def test_a_line_of_nothing_has_no_blanks_at_its_end():
    assert list(bars([0, 0], [""], PLAIN, "good")) == [""]


@pytest.mark.parametrize(("width", "columns"), [(40, 32), (128, 120), (500, MOST_COLUMNS)])
def test_bars_take_what_the_margin_leaves_up_to_their_most(width, columns):
    assert columns_of(width) == columns


@pytest.mark.parametrize("columns", [12, 40, 100, 120])
def test_values_of_an_axis_stand_where_they_lie_and_apart(columns):
    axis = Axis(0, 5e-3, 0, columns)
    line = axis_line(axis, 1e-3, "ms", PLAIN)
    assert line[: MARGIN - 1] == "     ms"
    shown = line[MARGIN:]
    assert len(shown) <= columns
    words = list(re.finditer(r"\S+", shown))
    for word in words:
        at = round(columns * float(word[0]) / 5)
        assert word.start() == min(at, columns - len(word[0]))
    assert len(words) >= 2
