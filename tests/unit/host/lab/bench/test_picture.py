# SPDX-License-Identifier: Apache-2.0
"""The tests of a suite as lines from the shortest time to the longest."""

import pytest

from plexor.show.pictures.canvas import Text
from plexor_lab.bench.bench import Bench
from plexor_lab.bench.picture import extents

from .planted import DONE, Script, announced, suite_run


def lines_of(canvas, style):
    """Return the ends of each line of a style and width that the data has, left then right."""
    found = []
    for mark in canvas.marks:
        if getattr(mark, "style", "") == style and mark.data.startswith("M") and "L" in mark.data:
            start, end = mark.data[1:].split("L")
            found.append((float(start.split()[0]), float(end.split()[0])))
    return found


@pytest.mark.parametrize("width", [400.0, 1200.0])
def test_a_line_goes_from_min_to_max(width):
    bench = Bench(suite_run().run(), "kernel", iterations=2)
    canvas = extents(bench.figures, bench.run.tick_fs, "simulated", width)
    (axes,) = canvas.axes
    (first, last), *_ = lines_of(canvas, "s0")
    ratio = (axes.high / axes.low) ** ((last - first) / (axes.end - axes.start))
    assert ratio == pytest.approx(130 / 100, rel=0.01)
    assert axes.log
    names = [mark.content for mark in canvas.marks if isinstance(mark, Text)]
    assert "1.01" in names
    assert "0.00" not in names


def test_a_time_of_zero_is_drawn_at_the_left_and_zeros_alone_are_no_picture():
    script = Script().say(announced(3, 1)).lasts(0, 40).lasts(1, 40).lasts(1, 140)
    bench = Bench(script.say(DONE).run(), "kernel", iterations=2)
    canvas = extents(bench.figures, bench.run.tick_fs, "simulated")
    (axes,) = canvas.axes
    assert lines_of(canvas, "s0")[0][0] == pytest.approx(axes.start, abs=0.1)
    script = Script().say(announced(3, 1)).lasts(0, 40).lasts(1, 40).say(DONE)
    bench = Bench(script.run(), "kernel", iterations=1)
    assert extents(bench.figures, bench.run.tick_fs, "simulated") is None
