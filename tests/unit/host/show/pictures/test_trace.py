# SPDX-License-Identifier: Apache-2.0
"""The events around a trigger, as they are drawn."""

import re

from plexor.base.units import format_ticks
from plexor.figures.analyse.analyse import analyse
from plexor.protocol.frames import SOURCE_CODE
from plexor.show.page import page
from plexor.show.pictures.canvas import Outline
from plexor.show.pictures.svg import svg_picture
from plexor.show.pictures.trace import trace


def test_the_events_around_the_trigger_are_drawn_and_it_is_marked(runs):
    drawn = svg_picture(trace(analyse(runs["trace"])))
    own = runs["trace"].trigger_ticks - runs["trace"].start_ticks
    name = {0: "ISR", 1: "TASK", 8: "strike0"}[int(runs["trace"].events["source"][3000])]
    assert f">{name} at {format_ticks(own, 10**6)}<" in drawn
    assert "A latency above 9 µs ended the run; the instrument kept 512 events" in drawn
    assert drawn.count('class="worst"') == 2  # in all that was kept, and in detail
    assert svg_picture(trace(analyse(runs["short trace"]))).count('class="worst"') == 1
    assert "A missed strike ended" in page(analyse(runs["trace of a missed strike"]))


def test_levels_before_the_first_edge_of_a_trace_are_its_opposite(runs):
    run = runs["short trace"]
    canvas = trace(analyse(run))
    paths = [mark for mark in canvas.marks if isinstance(mark, Outline)]
    pins = [path.data for path in paths if path.stroke.width == 1.8]
    for data, source in zip(pins, (8, 0, 1), strict=True):
        own = run.trace[run.trace["source"] == source]
        start, first = re.match(r"M\S+ (\S+?)H[\d.]+V([\d.]+)", data).groups()
        assert (float(first) < float(start)) == bool(own["polarity"][0])
        assert data.count("V") == len(own)


def test_codes_are_moments_and_their_values_are_no_pin(runs):
    run = runs["trace of codes"]
    canvas = trace(analyse(run))
    assert "A code ended the run" in canvas.heading[2]
    assert "code value" not in svg_picture(canvas)
    codes = run.trace["time_ticks"][run.trace["source"] == SOURCE_CODE]
    paths = [mark.data for mark in canvas.marks if isinstance(mark, Outline)]
    thin = [data for data in paths if "H" not in data and "L" not in data]
    assert thin[0].count("M") == thin[0].count("V") == len(codes)


def test_a_run_that_nothing_stopped_has_no_trace(runs):
    assert trace(analyse(runs["usual"])) is None
    assert "Around the trigger" not in page(analyse(runs["usual"]))
