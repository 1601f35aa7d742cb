# SPDX-License-Identifier: Apache-2.0
"""Each axis of each kind of picture says what it is, its unit, and whether it is logarithmic.

Where only a bound is known an arrow points on, and what was not measured leaves a gap.
"""

import math
import re

from plexor.base.units import RATE_UNITS, TIME_UNITS
from plexor.figures.analyse.analyse import analyse
from plexor.show.archive.picture import course as trend_course
from plexor.show.archive.picture import plots
from plexor.show.pictures.burst import burst_plot
from plexor.show.pictures.canvas import Outline, Text
from plexor.show.pictures.latency import course, histogram, shares, tail
from plexor.show.pictures.overlay import overlaid_latency, overlaid_scope
from plexor.show.pictures.phase import phase_plot
from plexor.show.pictures.scope import scope
from plexor.show.pictures.sweep import frontier
from plexor.show.pictures.trace import trace

from ...files.archive.trends import TRENDS
from ...sweeps import RATES, figures, knee, result, step
from ..scans_to_draw import MASKS, burst_result, limit, phase_result
from ..sweeps_to_draw import SWEEPS

UNITS = {unit for _, unit in (*TIME_UNITS, *RATE_UNITS)}
AFTER = "time after the strike"


def drawn(runs):
    """Return each kind of picture with what its axes are, across and up."""
    usual, wide = analyse(runs["usual"]), analyse(runs["wide"])
    bursts = burst_result(*(limit(n, n) for n in (1, 2, 4)))
    phases = phase_result(MASKS["missed"])
    return [
        (scope(usual), AFTER, None),
        (histogram(usual), AFTER, "responses in a column, log"),
        (histogram(wide), AFTER, "responses in a column, log"),
        (tail(usual), AFTER, "share that came later, log"),
        (course(usual), "time in the run", "latency, µs"),
        (course(wide), "time in the run", "latency, ms, log"),
        (shares(usual), AFTER, None),
        (trace(analyse(runs["trace"])), "time from the trigger", None),
        (overlaid_scope([usual, usual], ["a", "b"]), AFTER, None),
        (overlaid_latency([usual, usual], ["a", "b"], "ISR"), AFTER, "responses in a column, log"),
        (burst_plot(bursts), "spacing", "longest burst that is answered, strikes, log"),
        (phase_plot(phases, phases.scans[0]), "phase of the strike", "latency, ns"),
        (frontier(SWEEPS["one load"], "IST"), "strike rate", "latency, log"),
        (trend_course(plots(TRENDS["two loads by commit"])[0]), "commit, in order", "p99"),
    ]


def texts(canvas):
    return [mark.content for mark in canvas.marks if isinstance(mark, Text)]


def test_each_axis_is_named_with_its_unit_and_says_if_it_is_logarithmic(runs):
    for canvas, across, up in drawn(runs):
        found = texts(canvas)
        assert any(text.startswith(across) for text in found), (canvas.title, across)
        assert up is None or up in found, (canvas.title, up)
        for axis in canvas.axes:
            unit = f"{axis.unit}, log" if axis.log else axis.unit
            assert axis.unit in UNITS
            assert unit in found, (canvas.title, unit)


def test_a_burst_that_may_be_longer_has_an_arrow_upwards():
    canvas = burst_plot(burst_result(limit(1, 4), limit(2, 64)))
    arrows = [m for m in canvas.marks if isinstance(m, Outline) and "l4-5l4 5" in m.data]
    assert len(arrows) == 1
    assert burst_plot(burst_result(limit(1, 4), limit(2, 5))).marks != canvas.marks


def test_a_rate_of_which_only_one_end_is_known_points_to_where_it_may_lie():
    for bracket, said in (
        ((100_000, None), "idle: above 100 kHz \N{RIGHTWARDS ARROW}"),
        ((None, 20_000), "idle: \N{LEFTWARDS ARROW} below 20 kHz"),
    ):
        steps = [step("none", rate, figures("IST", missed=100)) for rate in RATES]
        assert said in texts(frontier(result(steps, [knee("none", "IST", *bracket)]), "IST"))


def test_a_load_under_which_nothing_is_answered_is_said_to_starve():
    assert "idle: starves, answers no strike" in texts(frontier(SWEEPS["no answer"], "IST"))


def test_a_rate_without_a_latency_leaves_a_gap_in_the_line():
    silent = 40_000
    steps = [step("none", r, figures("IST", missed=1000 * (r == silent))) for r in RATES]
    canvas = frontier(result(steps, [knee("none", "IST", 25_000, 40_000)]), "IST")
    # Of p99, in full strokes; the line of the misses below is thinner.
    lines = [
        mark.data
        for mark in canvas.marks
        if isinstance(mark, Outline) and mark.style == "s0" and mark.stroke.width == 2
    ]
    ends = [(re.match(r"M(\S+) ", data)[1], re.findall(r"L(\S+) ", data)[-1]) for data in lines]
    (axis,) = canvas.axes

    gap = axis.start + (axis.end - axis.start) * math.log10(silent / 20_000)
    assert all(not float(low) < gap < float(high) for low, high in ends)
    assert len(ends) == 2


def test_a_spacing_that_was_not_tried_on_a_channel_leaves_a_gap():
    both = [limit(n, n, channel=name) for n in (1, 2, 3, 4) for name in ("ISR", "TASK")]
    left_out = both.pop(4)
    assert (left_out.channel, left_out.spacing_s * 10**6) == ("ISR", 3)
    canvas = burst_plot(burst_result(*both))
    lines = [m for m in canvas.marks if isinstance(m, Outline) and m.stroke.width == 1.8]
    parts = {style: sum(mark.style == style for mark in lines) for style in ("s0", "s1")}
    assert parts == {"s0": 2, "s1": 1}
