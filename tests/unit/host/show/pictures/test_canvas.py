# SPDX-License-Identifier: Apache-2.0
"""A picture as data: marks as they were put, and what was planted is found by its own axis."""

import re
import xml.etree.ElementTree as ET

import pytest

from plexor.figures.analyse.analyse import analyse
from plexor.show.pictures.burst import burst_plot
from plexor.show.pictures.canvas import (
    Box,
    Canvas,
    Group,
    Outline,
    Stroke,
    Text,
    stack,
    text_width,
)
from plexor.show.pictures.latency import course, histogram, tail
from plexor.show.pictures.phase import phase_plot
from plexor.show.pictures.scale import Axis
from plexor.show.pictures.scope import scope
from plexor.show.pictures.svg import svg_picture
from plexor.show.pictures.sweep import frontier

from ...pictures import SVG
from ...sweeps import swept
from ..scans_to_draw import MASKS, burst_result, limit, phase_result


def test_no_rectangle_has_a_size_below_0():
    canvas = Canvas(10, 10, "t")
    canvas.rect(1, 2, -3, -4, "panel")
    assert canvas.marks == [Box(1, 2, 0, 0, "panel")]


def test_pictures_are_stacked_a_gap_apart_on_paper_as_wide_as_the_widest():
    one, other = Canvas(100, 50, "a"), Canvas(80, 30, "b")
    sheet = stack("both", [one, other], gap=7)
    assert (sheet.width, sheet.height) == (100, 87)
    root = ET.fromstring(svg_picture(sheet, style=False))
    places = [group.get("transform") for group in root.findall(f"{SVG}g")]
    assert places == ["translate(0 0)", "translate(0 57)"]


def test_a_text_is_wider_with_each_letter_its_size_and_in_bold():
    assert text_width("", 12) == 0
    assert text_width("WW", 12) == 2 * text_width("W", 12)
    assert text_width("i", 12) < text_width("a", 12) < text_width("A", 12) < text_width("W", 12)
    assert text_width("abc", 24) == pytest.approx(2 * text_width("abc", 12))
    assert text_width("abc", 12, bold=True) > text_width("abc", 12)


def test_a_picture_in_another_keeps_its_marks_and_its_heading_moved():
    inner = Canvas(10, 10, "inner")
    inner.text(1, 2, "head")
    inner.head, inner.marks = inner.marks, []
    inner.line(0, 0, 1, 1)
    outer = Canvas(30, 30, "outer")
    outer.put(5, 7, inner)
    assert outer.marks == [Group(5, 7, (*inner.head, *inner.marks))]


def test_a_dot_and_a_ring_are_as_wide_as_their_radius_says():
    canvas = Canvas(10, 10, "t")
    canvas.dot(5, 6, 2, "f0 s0", Stroke(1.5))
    canvas.ring(5, 6, 2, "s0")
    dot, ring = canvas.marks
    assert dot.data == ring.data == "M3.0 6.0a2 2 0 1 0 4 0a2 2 0 1 0-4 0z"
    assert (dot.filled, ring.filled) == (True, False)
    assert dot.stroke == Stroke(1.5)


def axis_of(canvas):
    """Return the picture's axis from left to right."""
    own = canvas.axes[-1]
    return Axis(own.low, own.high, own.start, own.end, own.log)


def lines(canvas, style):
    """Return the outlines of a style: their paths."""
    return [mark.data for mark in canvas.marks if isinstance(mark, Outline) and mark.style == style]


def uprights(canvas, style):
    """Return the values at which lines of a style stand upright."""
    found = [re.fullmatch(r"M(\S+) \S+L(\S+) \S+", data) for data in lines(canvas, style)]
    return [axis_of(canvas).value(float(m[1])) for m in found if m and m[1] == m[2]]


PLANTED_NS = [2000, 2400, 2400, 7000]


@pytest.fixture
def report(run_of):
    return analyse(run_of([PLANTED_NS, [9000] * 4]))


def test_the_latest_responses_stand_at_their_times_on_the_axis_of_the_histogram(report):
    canvas = histogram(report)
    for style, planted_ns in (("s0", 7000), ("s1", 9000)):
        assert uprights(canvas, style) == pytest.approx([planted_ns * 1e-9], abs=10e-9)
    texts = [mark.content for mark in canvas.marks if isinstance(mark, Text)]
    assert "ISR max seen 7 µs" in texts
    assert "TASK max seen 9 µs" in texts


def test_columns_of_the_histogram_are_where_samples_are_as_high_as_their_number(report):
    canvas = histogram(report)
    (area,) = lines(canvas, "f0")
    (bottom,) = {float(y) for y in re.findall(r"M\S+ (\S+?)V", area)}
    labels = {m.content: m.y - 4 for m in canvas.marks if isinstance(m, Text) and m.x < 72}
    counts = Axis(1, 10, labels["1"], labels["10"], True)
    for left, top, right in re.findall(r"M(\S+) \S+?V(\S+?)H(\S+?)V", area):
        low, high = (axis_of(canvas).value(float(x)) * 1e9 for x in (left, right))
        inside = sum(low <= value < high for value in PLANTED_NS)
        assert counts.value(float(top)) == pytest.approx(inside, rel=0.02)
        assert float(top) < bottom


def test_the_tail_steps_down_at_each_sample_by_its_share(report):
    canvas = tail(report)
    (line,) = (data for data in lines(canvas, "s0") if "V" in data)
    steps = [axis_of(canvas).value(float(x)) * 1e9 for x in re.findall(r"H([\d.]+)", line)]
    assert steps == pytest.approx([2000, 2400, 7000], abs=10)


def test_the_worst_response_of_the_course_has_a_ring_at_its_time_and_latency(report):
    canvas = course(report)
    rings = [data for data in lines(canvas, "s0") if "a5.5" in data]
    (x,) = (float(re.match(r"M(\S+)", data)[1]) + 5.5 for data in rings)
    assert axis_of(canvas).value(x) == pytest.approx(3 * 50e-6 + 7e-6, abs=0.5e-6)


def test_the_worst_trace_of_the_persistence_view_rises_at_its_latency(report):
    canvas = scope(report)
    found = [re.search(r"H([\d.]+)V", data)[1] for data in lines(canvas, "worst") if "V" in data]
    times = [axis_of(canvas).value(float(x)) * 1e9 for x in found]
    assert times == pytest.approx([7000, 9000], abs=20)


def test_the_bracket_of_a_sweep_is_shaded_between_its_rates():
    canvas = frontier(swept({"none": 100_000}), "IST")
    boxes = [mark for mark in canvas.marks if isinstance(mark, Box) and mark.style == "f0"]
    assert len(boxes) == 2
    for box in boxes:
        ends = [axis_of(canvas).value(x) for x in (box.x, box.x + box.width)]
        assert ends == pytest.approx([100_000, 160_000], rel=0.01)


def test_masked_phases_are_shaded_where_the_device_was_deaf():
    result = phase_result(MASKS["missed"])
    (area,) = lines(phase_plot(result, result.scans[0]), "alarm")
    canvas = phase_plot(result, result.scans[0])
    ends = re.match(r"M(\S+) \S+?H(\S+?)V", area).groups()
    phases = [axis_of(canvas).value(float(x)) * 1e9 for x in ends]
    assert phases == pytest.approx([200, 400], abs=10)


def test_a_burst_that_no_longer_one_followed_is_hollow_at_its_spacing():
    canvas = burst_plot(burst_result(limit(2, 4, max_ticks=900), limit(4, 64)))
    dots = [m for m in canvas.marks if isinstance(m, Outline) and m.filled and "a4" in m.data]
    places = [float(re.match(r"M(\S+)", dot.data)[1]) + 4 for dot in dots]
    spacings = [axis_of(canvas).value(x) * 1e6 for x in places]
    assert spacings == pytest.approx([2, 4], rel=0.01)
