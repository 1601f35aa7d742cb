# SPDX-License-Identifier: Apache-2.0
"""The picture of a sweep: brackets, marks and limits where their figures are."""

import math

import pytest

from plexor.show.html import WIDTHS
from plexor.show.pictures.frame import WIDTH
from plexor.show.pictures.sweep import channels_of, frontier

from ...pictures import SVG, assert_no_texts_touch, assert_texts_lie_within, places
from ...sweeps import RATES, figures, knee, result, step
from ..sweeps_to_draw import SWEEPS, drawn, marks


@pytest.mark.parametrize("width", WIDTHS.values())
@pytest.mark.parametrize("kind", SWEEPS)
def test_every_picture_holds_its_texts_apart(kind, width):
    for channel in channels_of(SWEEPS[kind]):
        canvas = frontier(SWEEPS[kind], channel, width)
        assert_texts_lie_within(canvas, heading=width == WIDTH)
        assert_no_texts_touch(canvas, heading=width == WIDTH)


@pytest.mark.parametrize("width", WIDTHS.values())
def test_a_bracket_lies_where_its_rates_are(width):
    svg = drawn(SWEEPS["two loads"], width)
    bands = [r for r in svg.iter(f"{SVG}rect") if r.get("fill-opacity") == "0.28"]
    start, end = 72 + 12, width - 24 - 12
    assert len(bands) == 4  # of two loads, over two panels
    for band, (low, high) in zip(bands[::2], [(100_000, 160_000), (80_000, 100_000)], strict=True):
        x, x2 = (start + (end - start) * math.log10(rate / 20_000) for rate in (low, high))
        assert float(band.get("x")) == pytest.approx(x, abs=0.06)
        assert float(band.get("width")) == pytest.approx(x2 - x, abs=0.06)
    texts = [content for content, *_ in places(svg)]
    assert "idle: passes 100 kHz, fails 160 kHz" in texts
    assert "polygons: passes 80 kHz, fails 100 kHz" in texts


def test_marks_are_full_where_a_rate_is_sustained():
    found = [style for style, *_ in marks(drawn(SWEEPS["two loads"]))]
    # Of seven rates five pass idle and four under load, each marked in both panels.
    assert {style: found.count(style) for style in found} == {
        "f0 s0": 10,
        "paper s0": 4,
        "f1 s1": 8,
        "paper s1": 6,
    }


def test_a_share_at_the_limit_is_drawn_on_the_limit():
    planted = [step("none", r, figures("IST", missed=10)) for r in (20_000, 200_000)]
    svg = drawn(result(planted, [knee("none", "IST", 200_000, None)]))
    limit = next(p for p in svg.iter(f"{SVG}path") if p.get("stroke-dasharray") == "4 3")
    y = float(limit.get("d").split("L")[0].split()[1])
    assert sorted({at for _, _, at, _ in marks(svg)})[-1] == pytest.approx(y, abs=0.06)


def test_latency_rises_by_its_logarithm():
    latencies = (1000, 10_000, 100_000)
    planted = [
        step("none", rate, figures("IST", latency=ticks))
        for rate, ticks in zip((20_000, 60_000, 200_000), latencies, strict=True)
    ]
    svg = drawn(result(planted, [knee("none", "IST", 200_000, None)]))
    first, second, third = [y for _, _, y, _ in marks(svg)][:3]
    assert first > second > third
    assert first - second == pytest.approx(second - third, abs=0.11)


def test_both_ways_of_a_scan_are_told_apart():
    found = marks(drawn(SWEEPS["up and down"]))
    rising = [shape for *_, shape in found if shape.startswith("l7.5")]
    falling = [shape for *_, shape in found if shape.startswith("l-7.5")]
    assert len(rising) == len(falling) == 2 * 2 * len(RATES)
    texts = [content for content, *_ in places(drawn(SWEEPS["up and down"]))]
    assert {"rate rises", "rate falls"} <= set(texts)
    assert "rate rises" not in [c for c, *_ in places(drawn(SWEEPS["two loads"]))]
