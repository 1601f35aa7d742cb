# SPDX-License-Identifier: Apache-2.0
"""Pictures of latencies: what they say, and that it fits."""

import pytest

from plexor.figures.analyse.analyse import analyse
from plexor.show.html import WIDTHS
from plexor.show.pictures.canvas import Outline
from plexor.show.pictures.frame import WIDTH
from plexor.show.pictures.latency import course, histogram, shares, tail
from plexor.show.pictures.scope import scope
from plexor.show.pictures.svg import svg_picture
from plexor.show.pictures.trace import trace

from ...pictures import assert_no_texts_touch, assert_texts_lie_within
from ..runs_to_draw import KINDS, TRACES

EACH_WIDTH = pytest.mark.parametrize(
    "width",
    [
        pytest.param(width, marks=pytest.mark.full if name == "middle" else ())
        for name, width in WIDTHS.items()
    ],
)


@pytest.mark.parametrize("kind", KINDS)
@EACH_WIDTH
@pytest.mark.parametrize("draw", [scope, histogram, tail, shares, course, trace])
def test_every_picture_is_well_formed_and_holds_its_texts(runs, kind, width, draw):
    canvas = draw(analyse(runs[kind]), width=width)
    # Elsewhere than on a page pictures are wide, and have a heading.
    if canvas is not None and (canvas.marks or width == WIDTH):
        assert_texts_lie_within(canvas, heading=width == WIDTH)


@pytest.mark.parametrize(
    "kind", ["usual", "bins", "wide", "one", "early", "board", "two strikes", *TRACES]
)
@EACH_WIDTH
@pytest.mark.parametrize("draw", [scope, histogram, tail, shares, course, trace])
def test_no_two_texts_of_a_picture_touch(runs, kind, width, draw):
    canvas = draw(analyse(runs[kind]), width=width)
    if canvas is not None:
        assert_no_texts_touch(canvas, heading=width == WIDTH)


@pytest.mark.parametrize("draw", [scope, histogram, tail, shares, course])
def test_every_picture_says_where_its_figures_come_from(runs, draw):
    assert ">simulated<" in svg_picture(draw(analyse(runs["usual"])))
    assert ">measured on ulx3s<" in svg_picture(draw(analyse(runs["board"])))
    assert "simulated" not in svg_picture(draw(analyse(runs["board"])), style=False)


@pytest.mark.parametrize(("channels", "said"), [(2, 2), (8, 0)])
def test_labels_are_written_out_where_there_is_room(run_of, channels, said):
    run = run_of([[2000, 2010]] * channels, names=[f"pin number {n}" for n in range(channels)])
    assert svg_picture(histogram(analyse(run))).count(" max seen ") == said


@pytest.mark.parametrize("draw", [scope, histogram, tail, course])
@pytest.mark.parametrize(
    ("kind", "said", "not_said"),
    [
        ("none", "no response", "those of other strikes"),
        ("ambiguous", "those of other strikes", "no response"),
    ],
)
def test_a_picture_without_latencies_says_why(runs, draw, kind, said, not_said):
    drawn = svg_picture(draw(analyse(runs[kind])))
    assert said in drawn.replace("No response", "no response")
    assert not_said not in drawn
    assert "Needs every event" not in drawn
    assert ">0 strikes" not in drawn


def test_a_tail_falls_to_the_bottom_at_the_greatest_latency_however_near_the_next_one(run_of):
    canvas = tail(analyse(run_of([[100] * 9 + [5000, 5001]])))
    (path,) = [
        m for m in canvas.marks if isinstance(m, Outline) and m.style == "s0" and "H" in m.data
    ]
    assert float(path.data.rpartition("V")[2]) == canvas.axes[0].bottom
