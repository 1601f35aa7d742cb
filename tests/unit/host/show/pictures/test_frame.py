# SPDX-License-Identifier: Apache-2.0
"""Labels beside a plot: apart from each other, and no wider than they are taken for."""

import re

import pytest

from plexor.show.pictures.canvas import Canvas, Outline, Stroke, Text, text_width
from plexor.show.pictures.frame import (
    LABEL_SIZE,
    LEFT,
    LEGEND_LINE,
    TOP,
    Label,
    legend,
    spread,
    x_axis,
    y_times,
)
from plexor.show.pictures.scale import Axis, time_unit


def test_labels_on_one_line_are_pushed_apart_and_kept_inside():
    labels = [Label(50, "back wall 10 µs", "ink"), Label(55, "back wall 11 µs", "ink")]
    first, second = spread(labels, 0, 300)
    width = text_width("back wall 10 µs", LABEL_SIZE)
    assert second - first >= width
    assert first - width / 2 >= 0


# Widths in DejaVu Sans and DejaVu Sans Bold 2.37 in ems, of the fonts' own advance widths.
@pytest.mark.parametrize(
    ("content", "plain", "bold"),
    [
        ("TASK back wall 43.31 µs", 12.240, 13.771),
        ("ISR back wall 34.56 µs", 11.279, 12.682),
        ("end of ISR to the next pin", 12.804, 14.496),
        ("channel 1 back wall 1.25 ms", 14.267, 15.898),
        ("3.33 %", 3.495, 3.817),
        ("OVERFLOW", 5.706, 6.351),
    ],
)
def test_a_text_is_never_taken_for_narrower_than_it_is(content, plain, bold):
    assert plain <= text_width(content, 1) < 1.12 * plain
    assert bold <= text_width(content, 1, bold=True) < 1.12 * bold


@pytest.mark.parametrize(("width", "lines"), [(600, 1), (150, 2)])
def test_a_legend_names_each_line_at_its_right(width, lines):
    canvas = Canvas(width, 100, "")
    legend(canvas, [("one", "s0", Stroke(3)), ("two", "s1", Stroke(3))], 80, "")
    names = [mark for mark in canvas.marks if isinstance(mark, Text)]
    strokes = [mark for mark in canvas.marks if isinstance(mark, Outline)]
    assert [name.content for name in names] == ["one", "two"]
    assert [stroke.style for stroke in strokes] == ["s0", "s1"]
    for name, stroke in zip(names, strokes, strict=True):
        start, height, end = map(float, re.match(r"M(\S+) (\S+)[LH](\S+)", stroke.data).groups())
        assert start < end < name.x < end + 10
        assert name.y - LABEL_SIZE < height < name.y
    assert len({name.y for name in names}) == lines
    assert canvas.height == 100 + LEGEND_LINE * (lines if width < 600 else 0)


@pytest.mark.parametrize(("scale", "name"), [(1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms"), (1, "s")])
def test_the_values_of_a_time_axis_stand_where_they_lie(scale, name):
    canvas, axis = Canvas(600, 200, ""), Axis(0, 9 * scale, LEFT, 560)
    x_axis(canvas, axis, 20, 150, time_unit(axis.high))
    *values, unit = (mark for mark in canvas.marks if isinstance(mark, Text))
    assert unit.content == name
    assert len(values) >= 3
    for value in values:
        assert value.x == pytest.approx(axis.at(float(value.content) * scale))
        assert value.y > 150


@pytest.mark.parametrize(("scale", "name"), [(1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms"), (1, "s")])
def test_the_values_of_times_upwards_stand_at_the_left_where_they_lie(scale, name):
    canvas, axis = Canvas(600, 200, ""), Axis(0, 9 * scale, 150, 20)
    y_times(canvas, axis, "latency")
    unit, *values = (mark for mark in canvas.marks if isinstance(mark, Text))
    assert unit.content == f"latency, {name}"
    assert unit.y < TOP
    assert len(values) >= 3
    for value in values:
        assert (value.anchor, value.x < LEFT) == ("end", True)
        assert abs(value.y - axis.at(float(value.content) * scale)) < LABEL_SIZE / 2
