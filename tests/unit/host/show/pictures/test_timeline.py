# SPDX-License-Identifier: Apache-2.0
"""A timeline as a picture and a page."""

import re

import pytest

from plexor.library.run import Run
from plexor.show.html import WIDTHS
from plexor.show.pictures.canvas import Outline, Text
from plexor.show.pictures.timeline import timeline_plot

from ...coded import coded_run
from ...library.explain.test_coded import NAMES
from ...pictures import assert_no_texts_touch, assert_texts_lie_within
from ..test_timeline import PLANTED


def test_the_picture_has_each_lane_and_the_time_between_cursors():
    drawn = Run(coded_run(PLANTED, 20_000, NAMES)).timeline(cursors=("3us", "5us"))
    picture = drawn.picture()
    for text in (
        "motor",
        "task 0",
        "Δ .000002 seconds (2 µs)",
        "waits for something",
        "0 s to 20 µs",
    ):
        assert text in picture
    assert "NaN" not in picture


def running(run):
    """Return left and right of each span in which the second lane ran."""
    marks = timeline_plot(run.timeline().view).marks
    (own,) = (m for m in marks if isinstance(m, Outline) and m.style == "f1" and m.opacity == 1)
    return re.findall(r"M([\d.]+) [\d.]+H([\d.]+)", own.data)


def test_a_span_is_drawn_where_it_was():
    spans = running(Run(coded_run(PLANTED, 20_000, NAMES)))
    left, right = 72.0, 976.0
    at = [left + time / 20_000 * (right - left) for time in (3000, 5000, 11_000, 15_000)]
    assert [float(x) for span in spans for x in span] == [round(x, 2) for x in at]


def test_each_span_is_a_pixel_wide_at_least():
    # 59 times 1 µs in 17 ms: 0.05 px each, 15 px apart.
    planted = [
        row for n in range(59) for row in ((1000 + 280_000 * n, 1, 1), (2000 + 280_000 * n, 1, 0))
    ]
    spans = running(Run(coded_run(planted, 17_000_000)))
    assert len(spans) == 59
    assert min(float(right) - float(left) for left, right in spans) >= 0.99
    assert max(float(right) for _, right in spans) <= 976


def test_many_spans_make_a_picture_of_bounded_size():
    planted = [(1000 + 800 * n, 1, n % 2) for n in range(20_000)]
    picture = Run(coded_run(planted, 17_000_000)).timeline().picture()
    assert len(picture) < 300_000


def test_the_page_has_the_tables_and_fetches_nothing():
    page = Run(coded_run(PLANTED, 20_000, NAMES)).timeline(cursors=("3us", "5us")).page()
    for text in ("Time in each state", "Instances", "Interactions", "delta .000002 seconds"):
        assert text in page
    assert "http://" not in page.replace("http://www.w3.org", "")


@pytest.mark.parametrize("width", WIDTHS.values())
@pytest.mark.parametrize(
    "cursors",
    [("3us", "5us"), ("3us", "3.1us"), ("5us", "3us"), ("0", "20us"), ("19.9us", "20us")],
)
def test_the_names_of_cursors_and_the_time_between_them_lie_apart(cursors, width):
    view = Run(coded_run(PLANTED, 20_000, NAMES)).timeline(cursors=cursors).view
    canvas = timeline_plot(view, width)
    assert_texts_lie_within(canvas)
    assert_no_texts_touch(canvas)
    texts = [mark.content for mark in canvas.marks if isinstance(mark, Text)]
    assert {"A", "B"} <= set(texts)
    assert any(text.startswith("Δ ") for text in texts)
