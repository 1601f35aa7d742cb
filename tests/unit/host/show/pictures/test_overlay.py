# SPDX-License-Identifier: Apache-2.0
"""Runs on top of each other: each stands where it was planted, in its own colour."""

import math
import re

import numpy as np
import pytest

from plexor.figures.analyse.analyse import analyse
from plexor.show.html import WIDTHS
from plexor.show.pictures.canvas import Outline, Text
from plexor.show.pictures.overlay import (
    overlaid_channels,
    overlaid_latency,
    overlaid_scope,
)
from plexor.show.pictures.scale import Axis

from ...pictures import assert_no_texts_touch, assert_texts_lie_within

TICK_S = 1e-9
NAMES = ["idle", "loaded", "a branch of much work"]


@pytest.fixture
def reports(run_of):
    random = np.random.default_rng(5)
    idle = (2000 + random.geometric(0.02, 900)).tolist()
    loaded = (2500 + random.lognormal(7, 1, 900)).astype(int).tolist()
    return [analyse(run_of([own, own])) for own in (idle, loaded, idle)]


def texts(canvas):
    return {mark.content: mark for mark in canvas.marks if isinstance(mark, Text)}


def placed(canvas):
    found = canvas.axes[0]
    return Axis(found.low, found.high, found.start, found.end, found.log)


def test_each_maximum_is_marked_at_its_time_in_the_colour_of_its_run(run_of):
    runs = [analyse(run_of([[1000] * 50 + [most]])) for most in (4000, 9000)]
    canvas = overlaid_latency(runs, ["idle", "loaded"], "ISR")
    axis = placed(canvas)
    for name, most, colour in (("idle", 4000, 0), ("loaded", 9000, 1)):
        label = texts(canvas)[f"{name} max seen {most // 1000} µs"]
        assert label.style == f"f{colour}"
        dashed = [
            mark for mark in canvas.marks
            if isinstance(mark, Outline) and mark.style == f"s{colour}" and mark.stroke.dash
        ]  # fmt: skip
        (x,) = {float(re.match(r"M(\S+) ", mark.data)[1]) for mark in dashed}
        assert x == pytest.approx(axis.at(most * TICK_S), abs=0.06)


def test_the_tail_of_a_run_falls_at_its_median_below_a_half(run_of):
    # Half of the responses take 1000 ns, half 3000 ns: from 1000 ns on, one half is later.
    runs = [analyse(run_of([[1000, 3000] * 200])), analyse(run_of([[1000] * 400]))]
    canvas = overlaid_latency(runs, ["a", "b"], "ISR")
    lines = [m for m in canvas.marks if isinstance(m, Outline) and m.stroke.width == 2]
    assert [line.style for line in lines] == ["s0", "s1"]
    axis = placed(canvas)
    steps = [(float(x), float(y)) for x, y in re.findall(r"H(\S+?)V([\d.]+)", lines[0].data)]
    x, y = steps[0]
    assert x == pytest.approx(axis.at(1000 * TICK_S), abs=0.06)
    labels = texts(canvas)
    top, p90 = labels["all"].y - 4, labels["p90"].y - 4
    assert y - top == pytest.approx((p90 - top) * math.log10(2), abs=0.2)


@pytest.mark.parametrize("width", WIDTHS.values())
def test_texts_lie_within_the_pictures_and_apart(reports, width):
    for canvas in (
        overlaid_scope(reports, NAMES, width),
        overlaid_latency(reports, NAMES, "ISR", width),
    ):
        assert_texts_lie_within(canvas, heading=False)
        assert_no_texts_touch(canvas, heading=False)


def test_only_channels_of_two_runs_or_more_are_laid_over_each_other(run_of):
    first = analyse(run_of([[1000] * 9, [2000] * 9], names=["ISR", "TASK"]))
    other = analyse(run_of([[1000] * 9, [2000] * 9], names=["ISR", "LOG"]))
    assert overlaid_channels([first, other]) == ["ISR"]
    none = analyse(run_of([[None] * 9], names=["ISR"]))
    assert overlaid_channels([first, none]) == []
    assert overlaid_scope([first, none], ["a", "b"]) is None
