# SPDX-License-Identifier: Apache-2.0
"""Columns of a histogram: each sample in the column that holds it, each column as high as it."""

import re

import numpy as np
import pytest

from plexor.figures.analyse.percentiles import Distribution
from plexor.show.pictures.canvas import Canvas, Text
from plexor.show.pictures.columns import (
    count_axis,
    draw_columns,
    samples_below,
    samples_in_columns,
)
from plexor.show.pictures.scale import Axis

TICK_FS = 10**6
AXIS = Axis(0, 1000e-9, 100, 150)
"""Ten columns of 100 ns."""


def distribution(low, high, counts):
    return Distribution(*(np.array(values, dtype=np.int64) for values in (low, high, counts)))


def test_a_value_known_to_the_tick_counts_whole_in_the_column_that_holds_it():
    known = distribution([1, 99, 101, 950], [2, 100, 102, 951], [1, 2, 4, 8])
    assert samples_in_columns(known, AXIS, TICK_FS).tolist() == [3, 4, *[0] * 7, 8]


def test_samples_of_a_wide_cell_are_spread_evenly_over_it():
    wide = distribution([150], [350], [8])
    assert samples_in_columns(wide, AXIS, TICK_FS)[:5] == pytest.approx([0, 2, 4, 2, 0])
    assert samples_below(wide, np.array([150e-9, 200e-9, 350e-9]), TICK_FS) == pytest.approx(
        [0, 2, 8]
    )


@pytest.mark.parametrize(
    ("most", "names"), [(1, ["1", "10"]), (6, ["1", "10"]), (700, ["1", "10", "10²", "10³"])]
)
def test_the_axis_of_counts_names_the_powers_of_ten_that_it_holds(most, names):
    canvas = Canvas(1000, 300, "t")
    axis = count_axis(canvas, most, 250, 50)
    texts = [mark for mark in canvas.marks if isinstance(mark, Text)]
    said, *texts = texts
    assert said.content == "responses in a column, log"
    assert [text.content for text in texts] == names
    heights = [axis.value(text.y - 4) for text in texts]
    assert heights == pytest.approx([10.0**n for n in range(len(names))])
    assert axis.high >= most


def test_each_column_is_as_high_as_its_samples_and_an_empty_one_is_not_drawn():
    canvas = Canvas(1000, 300, "t")
    counts = count_axis(canvas, 50, 250, 50)
    draw_columns(canvas, AXIS, counts, np.array([1.0, 0, 30, *[0] * 7]), "f3")
    area = canvas.marks[-1]
    assert (area.style, area.filled, area.crisp) == ("f3", True, True)
    bars = [tuple(map(float, bar)) for bar in re.findall(r"M(\S+) \S+?V(\S+?)H(\S+?)V", area.data)]
    assert [(left, right) for left, _, right in bars] == [(100, 105), (110, 115)]
    assert [counts.value(top) for _, top, _ in bars] == pytest.approx([1, 30], rel=0.01)
