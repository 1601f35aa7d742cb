# SPDX-License-Identifier: Apache-2.0
"""Histories as pictures: readable at every width, and true."""

import dataclasses
import re
from datetime import timedelta

import pytest

from plexor.files.archive.trend import GroupedBy
from plexor.show.archive.picture import HEIGHT, course, plots
from plexor.show.html import WIDTHS
from plexor.show.pictures.canvas import Box, Outline, Text
from plexor.show.pictures.svg import svg_plot

from ...files.archive.trends import KEPT, TRENDS, history, level, trend
from ...files.archive.trends import course as made
from ...pictures import assert_no_texts_touch, assert_texts_lie_within, element

DOTS = re.compile(r"M([\d.]+) ([\d.]+)h0")


def drawn(name, width=1000.0):
    return [canvas for plot in plots(TRENDS[name]) if (canvas := course(plot, width)) is not None]


@pytest.mark.parametrize("width", WIDTHS.values())
@pytest.mark.parametrize("name", TRENDS)
def test_texts_lie_within_and_do_not_touch(name, width):
    canvases = drawn(name, width)
    assert canvases
    for canvas in canvases:
        for heading in (True, False) if width == WIDTHS["wide"] else (False,):
            assert_texts_lie_within(canvas, heading)
            assert_no_texts_touch(canvas, heading)


def test_by_commit_each_history_is_alone_and_by_load_they_share_axes():
    assert len(plots(TRENDS["two loads by commit"])) == 4
    assert len(plots(TRENDS["two loads by load"])) == 2
    assert len(plots(TRENDS["nine boards"])) == 1


def paths(canvas, style=""):
    return [mark.data for mark in canvas.marks if isinstance(mark, Outline) and style in mark.style]


def dots(canvas):
    return [(float(x), float(y)) for x, y in DOTS.findall("".join(paths(canvas)))]


def test_each_run_is_a_dot_higher_where_its_figure_is_greater():
    found = TRENDS["one history"]
    canvas = drawn("one history")[0]
    values = found.histories[0].courses[0].values.tolist()
    places = dots(canvas)
    assert len(places) == len(values)
    assert [x for x, _ in places] == sorted(x for x, _ in places)
    by_height = sorted(range(len(values)), key=lambda n: -places[n][1])
    assert [values[n] for n in by_height] == pytest.approx(sorted(values), rel=2e-3)


def test_runs_that_do_not_know_a_figure_have_no_dot_and_one_that_none_knows_no_plot():
    (canvas,) = drawn("gaps")
    assert len(dots(canvas)) == 10


def test_a_change_stands_between_the_runs_that_it_parts():
    canvas = drawn("one history")[0]
    xs = [x for x, _ in dots(canvas)]
    change = paths(canvas, "worst")[0]
    x, x2 = re.match(r"M([\d.]+) [\d.]+L([\d.]+)", change).groups()
    assert x == x2
    assert xs[29] < float(x) < xs[30]
    assert "+6." in svg_plot(canvas)
    assert "at 006ffffff" in svg_plot(canvas)


def test_dots_lie_within_the_panel():
    for name in TRENDS:
        for canvas in drawn(name):
            (panel,) = (m for m in canvas.marks if isinstance(m, Box) and m.style == "panel")
            for x, y in dots(canvas):
                assert panel.x <= x <= panel.x + panel.width
                assert panel.y <= y <= panel.y + HEIGHT


def test_a_picture_says_where_its_figures_come_from():
    for name, source in (("one history", "simulated"), ("measured too", "measured")):
        assert drawn(name)[-1].heading[1] == source


def test_loads_have_colours_and_names():
    body = svg_plot(drawn("two loads by load")[0])
    assert ">none</text>" in body
    assert ">stress-ng</text>" in body
    for style in ("s0", "s1"):
        assert f'class="{style}"' in body


def test_a_picture_of_a_thousand_runs_is_small():
    (canvas,) = drawn("many changes")
    assert len(svg_plot(canvas)) < 40_000
    assert element(canvas, heading=False) is not None


@pytest.mark.parametrize(("places", "lines"), [((15, 45), 1), ((29, 31), 2)])
def test_changes_that_have_room_are_named_on_one_line(places, lines):
    first, second = places
    values = level(3, first) + level(4, second - first) + level(5, 60 - second)
    one = history({"os": "FreeRTOS"}, made("p99", values, *((n, 0.001) for n in places)))
    (plot,) = plots(trend(one))
    texts = [mark for mark in course(plot, 1000.0).marks if isinstance(mark, Text)]
    heights = [text.y for text in texts if text.style == "alarm" and text.anchor == "middle"]
    assert len(heights) == 2
    assert len(set(heights)) == lines


@pytest.mark.parametrize(
    ("days", "parts"),
    [((0, 0, 4), (0, 0, 1)), ((0, 1, 4), (0, 1 / 4, 1)), ((7, 7, 7), (0, 1 / 2, 1))],
)
def test_runs_lie_at_their_times_and_in_their_order_where_all_began_at_once(days, parts):
    began = history({"os": "FreeRTOS"}, made("p99", [3e-6, 4e-6, 5e-6]))
    runs = [
        dataclasses.replace(run, started=KEPT.started + timedelta(days=day))
        for run, day in zip(began.points, days, strict=True)
    ]
    found = trend(dataclasses.replace(began, points=tuple(runs)), by=GroupedBy.LOAD)
    ((plot,),) = (plots(found),)
    first, second, third = (x for x, _ in dots(course(plot, 1000.0)))
    assert [(x - first) / (third - first) for x in (first, second, third)] == pytest.approx(
        parts, abs=2e-3
    )


@pytest.mark.parametrize("name", TRENDS)
def test_the_labels_of_changes_stand_above_the_panel_and_below_the_heading(name):
    for canvas in drawn(name):
        panel = next(mark for mark in canvas.marks if isinstance(mark, Box))
        labels = [mark for mark in canvas.marks if isinstance(mark, Text) and mark.bold]
        for label in labels:
            assert canvas.top + label.size * 0.7 <= label.y < panel.y


def test_each_level_reaches_from_its_first_run_to_its_last_and_is_seen_beside_a_single_one():
    values = [*level(3.0, 10), *level(5.0, 1), *level(3.0, 9)]
    found = trend(history({"load": "none"}, made("p99", values, (10, 0.001), (11, 0.001))))
    (plot,) = plots(found)
    canvas = course(plot, 1000.0)
    xs = [x for x, _ in dots(canvas)]
    text = " ".join(paths(canvas, "s0"))
    lines = re.findall(r"M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)", text)
    levels = sorted((float(x), float(x2)) for x, y, x2, y2 in lines if y == y2)
    assert len(levels) == 3
    for (begin, end), (first, last) in zip(levels, [(0, 9), (10, 10), (11, 19)], strict=True):
        assert (begin, end) == (
            pytest.approx(min(xs[first], xs[last] - 2), abs=0.1),
            pytest.approx(max(xs[last], xs[first] + 2), abs=0.1),
        )


def test_a_load_has_the_same_colour_in_all_plots():
    def of(board, load):
        return history({"board": board, "load": load}, made("p99", [3e-6] * 3), series=load)

    found = trend(
        of("a", "none"), of("a", "cpu"), of("b", "cpu"), of("b", "none"), by=GroupedBy.LOAD
    )
    first, second = plots(found)
    names = [[each.series for each in plot.histories] for plot in (first, second)]
    assert names == [["none", "cpu"], ["cpu", "none"]]
    assert (first.colours, second.colours) == ([0, 1], [1, 0])
    same = trend(of("a", "none"), of("a", "none"), by=GroupedBy.LOAD)
    assert plots(same)[0].colours == [0, 1]


@pytest.mark.parametrize("apart_s", [0, 1, 3, 90, 3600, 10**6])
def test_times_below_an_axis_differ(apart_s):
    own = history({"load": "none"}, made("p99", [3e-6] * 3), series="none")
    times = (KEPT.started + timedelta(seconds=apart_s * n) for n in range(3))
    runs = (dataclasses.replace(run, started=at) for run, at in zip(own.points, times, strict=True))
    found = trend(dataclasses.replace(own, points=tuple(runs)), by=GroupedBy.LOAD)
    marks = course(plots(found)[0], 1000.0).marks
    texts = [
        mark.content
        for mark in marks
        if isinstance(mark, Text) and re.match(r"(11-|2026-)", mark.content)
    ]
    assert texts
    assert len(set(texts)) == len(texts)
