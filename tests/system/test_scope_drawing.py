# SPDX-License-Identifier: Apache-2.0
"""What the page's code computes, in a browser, against the same computed in Python."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scope_page import live_page

from plexor.base.units import format_rate, format_seconds
from plexor.figures.analyse.from_bins import of_bins
from plexor.figures.analyse.percentiles import Distribution
from plexor.figures.analyse.tail import survival
from plexor.figures.analyse.traces import average_trace, persistence
from plexor.model.results import Bins, Kind, SampleResult, Statistics
from plexor.protocol.memory import bin_bounds
from plexor.scope.wire import edges_of
from plexor.show.pictures import scale
from plexor.wire.decode.bins import bins_of

BITS = 5


@pytest.fixture(scope="module")
def page(chromium, tmp_path_factory):
    with live_page(chromium, tmp_path_factory.mktemp("kept"), channels=1) as found:
        yield found


@pytest.fixture(scope="module")
def ended(page):
    """The page at the end of a run."""
    page.run_to_end(rate="50k", count="2k")
    return page


@pytest.fixture(scope="module")
def rises():
    return of_values(np.random.default_rng(3).lognormal(7, 0.6, 3000).astype(int) + 5)


@pytest.fixture(scope="module")
def falls(rises):
    return of_values(np.repeat(rises.low_ticks, rises.counts) + 700)


def of_values(values):
    """Return the distribution that a chip's bins make of values."""
    known = Statistics(len(values), int(values.sum()), None, None, None)
    return of_bins(SampleResult(Kind.RISE, known, Bins(BITS, bins_of(values, BITS))))


def cells(found: Distribution):
    """Return the arguments of the page's Cells."""
    return [array.tolist() for array in (found.low_ticks, found.high_ticks, found.counts)]


def spread_below(found: Distribution, at):
    """Return how many values lie below, each spread evenly over its cell: by its definition."""
    low, high = found.low_ticks.astype(float), found.high_ticks.astype(float)
    return [
        float((found.counts * np.clip((ticks - low) / (high - low), 0, 1)).sum()) for ticks in at
    ]


MADE = "new m.Cells(...a[0])"
PLACES = [-5, 0, 10, 321.5, 1000, 1024, 1500.25, 4000, 90_000, 1e9]


def test_values_below_a_time_are_counted_as_they_are_spread(page, rises):
    found = page.browser.ask("cells", f"[...m.below({MADE}, a[1])]", cells(rises), PLACES)
    assert found == pytest.approx(spread_below(rises, PLACES))


@pytest.mark.parametrize(("one", "other"), [(900, 1600), (1600, 900), (0, 1e6), (77, 77)])
def test_the_share_between_two_cursors_is_what_lies_between_them(page, rises, one, other):
    found = page.browser.ask("cells", f"m.between({MADE}, a[1], a[2])", cells(rises), one, other)
    low, high = spread_below(rises, sorted((one, other)))
    assert found == pytest.approx(high - low)


def test_the_tail_is_the_analysis_own(page, rises):
    expected = survival(rises)
    values, left = page.browser.ask("cells", f"m.survival({MADE})", cells(rises))
    assert values == expected.value_ticks.tolist()
    assert left == expected.beyond.tolist()
    share = page.browser.ask("cells", f"m.beyond({MADE}, a[1])", cells(rises), 1024)
    assert share == pytest.approx(1 - spread_below(rises, [1024])[0] / rises.total)


def test_the_persistence_picture_is_the_analysis_own(page, rises, falls):
    span, columns, traces = (0, 6000), 240, 3100
    expected = persistence(rises, falls, span, columns, traces)
    bounds = np.linspace(*span, columns + 1).tolist()
    found = page.browser.ask(
        "cells",
        "(({rises, falls, high}) => [rises, falls, high].map((each) => [...each]))"
        "(m.persistence(new m.Cells(...a[0]), new m.Cells(...a[1]), a[2], a[3]))",
        cells(rises), cells(falls), traces, bounds,
    )  # fmt: skip
    assert found[0] == pytest.approx(expected.rises)
    assert found[1] == pytest.approx(expected.falls)
    # The page takes the mean of a column's two ends, the analysis that over the column.
    assert found[2] == pytest.approx(expected.high, abs=np.abs(np.diff(expected.high)).max())
    assert np.mean(found[2]) == pytest.approx(np.mean(expected.high), abs=1e-3)


def test_the_average_steps_between_levels_as_in_the_still_picture(page, rises, falls):
    expected = average_trace(rises, falls, 3100)
    times, levels = page.browser.ask(
        "cells",
        "m.stairs(new m.Cells(...a[0]), new m.Cells(...a[1]), 3100)",
        cells(rises),
        cells(falls),
    )
    assert times == expected.time_ticks.tolist()
    assert levels == pytest.approx(np.clip(expected.level, 0, 1))
    alone = page.browser.ask("cells", "m.stairs(new m.Cells(...a[0]), null, 10)",
                             [[5, 9], [6, 20], [2, 5]])  # fmt: skip
    assert alone == [[5, 19], [0.2, 0.7]]


def test_no_slope_is_drawn_that_was_not_measured(page):
    """A cell of 300 ticks holds all rises: the average is low up to its end, and high then."""
    drawn = page.browser.ask(
        "persistence",
        "(() => { const lines = [], at = { x: 0, y: 0 };"
        "const context = new Proxy({}, { set: () => true, get: (_, name) => (...v) => {"
        "if (name === 'moveTo') Object.assign(at, { x: v[0], y: v[1] });"
        "if (name === 'lineTo') { lines.push([at.x, at.y, ...v]);"
        "Object.assign(at, { x: v[0], y: v[1] }); } } });"
        "const box = { x: 0, y: 0, w: 1000, h: 100 }, own = (...v) => { const [l, h, n] = v;"
        "return { low: [l], high: [h], counts: [n], from: 0, to: 1 }; };"
        "m.average(context, { base: 90, top: 10, channel: { rise: own(200, 501, 8),"
        "fall: own(600, 651, 4), traces: 10 } }, box, { at: (ticks) => ticks });"
        "return lines; })()",
    )
    assert all(x0 == x1 or y0 == y1 for x0, y0, x1, y1 in drawn)
    level = [(x0, x1, round((90 - y0) / 80, 9)) for x0, y0, x1, y1 in drawn if y0 == y1 and x1 > x0]
    assert level == [(0, 500, 0), (500, 650, 0.8), (650, 1000, 0.4)]


def test_the_cell_of_a_time_is_the_bin_that_holds_it(page, rises):
    for ticks in (*rises.low_ticks[:20].tolist(), 999, 1000, 1001):
        cell = page.browser.ask("cells", f"{MADE}.find(a[1])", cells(rises), ticks)
        inside = np.flatnonzero((rises.low_ticks <= ticks) & (ticks < rises.high_ticks))
        assert cell == (inside[0] if len(inside) else -1)


def test_frames_become_seconds_by_the_declared_bins(ended):
    (channel,) = ended.bench.runs[-1].channels
    tick_s, first, found = ended.js(
        "[plexor.feed.tickS, plexor.feed.channels[0].rise.at, "
        "[...plexor.feed.channels[0].rise.counts]]"
    )
    assert tick_s == 1e-9
    assert sum(found) == channel.count == 2000
    edges = edges_of(6)
    numbers = np.flatnonzero(channel.rise)
    assert edges[first] == bin_bounds(int(numbers[0]), 6)[0]
    assert found == channel.rise[numbers[0] : numbers[-1] + 1].tolist()
    low, high = ended.js(
        "[plexor.feed.channels[0].rise.low, plexor.feed.channels[0].rise.high].map((e) => [...e])"
    )
    inside = list(zip(low, high, strict=True))[1:-1]
    assert inside == [bin_bounds(n, 6) for n in range(numbers[0] + 1, numbers[-1])]


def test_a_slice_of_the_waterfall_lies_between_the_extremes(page):
    """Responses from 303 to 321 ticks, in bins of 3 %, are drawn from 303 to 321."""
    ends = [303, 322]
    found = page.browser.ask(
        "waterfall",
        "((c) => [[...c.low], [...c.high], [...c.counts]])(m.within(m.slice("
        "Float64Array.from([280, 296, 304, 312, 320, 328]), 0, Float64Array.from(a[0])),"
        "{from: 0, to: 1, low: [a[1][0]], high: [a[1][1]]}))",
        [0, 5, 6, 7, 2],
        ends,
    )
    assert (min(found[0]), max(found[1])) == (303, 322)
    assert found[0][1:] == [303, 304, 312, 320]
    assert found[1][1:] == [304, 312, 320, 322]
    assert found[2] == [0, 5, 6, 7, 2]


def test_all_responses_lie_between_the_extremes(ended):
    (channel,) = ended.bench.runs[-1].channels
    ends = [channel.least, channel.most + 1]
    ended.browser.run("globalThis.own = plexor.feed.channels[0].rise")
    found = ended.browser.ask("cells", "[...m.below(own, a[0])]", ends)
    assert found == [0, channel.count]
    assert ended.browser.ask("cells", "m.between(own, ...a[0])", ends) == channel.count


def test_the_rows_of_the_waterfall_add_up_to_the_run_however_often_they_were_joined(ended):
    total = ended.js(
        "plexor.feed.waterfall.rows.reduce((sum, row) => sum + row.parts.get(0).total, 0)"
    )
    assert total == 2000
    joined = ended.browser.ask(
        "waterfall",
        "(() => { const w = new m.Waterfall(), edges = Float64Array.from(a[0]);"
        "for (let i = 0; i < 3000; i++)"
        " w.add(i, i + 1, [[0, m.slice(edges, i % 50, Float32Array.of(1, 2))]]);"
        "return [w.rows.length, w.rows.reduce((n, row) => n + row.parts.get(0).total, 0),"
        " w.rows[0].start, w.rows.at(-1).end, w.rows.every((row, i) => !i ||"
        " row.start === w.rows[i - 1].end)]; })()",
        list(range(100)),
    )
    assert joined[0] <= 256
    assert joined[1:] == [9000, 0, 3000, True]


def test_traces_fade_by_their_time_constant(page):
    weights = page.js(
        "(() => { const feed = new plexor.feed.constructor(); feed.takeEdges(6, arguments[0]);"
        "const classes = {strikes: 0}; const frame = (n, t) => ({run: 1, tick_fs: 1e6,"
        "elapsed_s: t, channels: [{number: 0, classes: {strikes: n}, min_ticks: 5, max_ticks: 5,"
        "rise: {bits: 6, first: 6, counts: Float64Array.of(n)},"
        "fall: {bits: 6, first: 9, counts: Float64Array.of(n)}}]});"
        "feed.setDecay(2); feed.take(frame(100, 1), 10); feed.take(frame(150, 2), 13);"
        "feed.age(14); const d = feed.channels[0].decayed;"
        "return [d.rise.total * d.factor, d.fall.total * d.factor, d.traces * d.factor]; })()",
        edges_of(6),
    )
    expected = 100 * math.exp(-4 / 2) + 50 * math.exp(-1 / 2)
    assert weights == pytest.approx([expected] * 3)


SECONDS = (0, 1e-9, 2.5e-9, 1.23456e-6, 9.999e-7, 4.2e-5, 1e-3, 0.0999999, 1, 12.5, -3.3e-6)


def test_times_rates_and_powers_read_as_in_the_terminal(page):
    found = page.browser.ask("format", "a[0].map((s) => m.formatSeconds(s))", SECONDS)
    assert found == [format_seconds(seconds) for seconds in SECONDS]
    rates = (1, 999, 20_000, 1.5e6, 123_456)
    found = page.browser.ask("format", "a[0].map(m.formatRate)", rates)
    assert found == [format_rate(hertz) for hertz in rates]
    powers = [10.0**n for n in range(-7, 8)]
    found = page.browser.ask("format", "a[0].map(m.powerOfTen)", powers)
    assert found == [scale.power_of_ten(value) for value in powers]
    counts = (0, 7, 999, 1000, 1_250_000, 10**12)
    assert page.browser.ask("format", "a[0].map(m.grouped)", counts) == [f"{n:,}" for n in counts]


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0 %"),
        (1, "100 %"),
        (0.5, "50 %"),
        (0.999999, "99.9999 %"),
        (0.99999957, "99.999957 %"),
        (2e-5, "0.002 %"),
        (3e-9, "3.0e-7 %"),
        (None, "–"),  # noqa: RUF001
    ],
)
def test_a_share_tells_rare_from_never_and_all_from_nearly_all(page, share, text):
    assert page.browser.ask("format", "m.formatShare(a[0] ?? NaN)", share) == text


@pytest.mark.parametrize(
    ("low", "high", "log"), [(0, 10, False), (-3, 17, False), (1, 1000, True), (0.3, 2, True)]
)
def test_an_axis_is_that_of_the_still_pictures(page, low, high, log):
    expected = scale.Axis(low, high, 64, 1064, log)
    values = [low, (low + high) / 2, high]
    made = "new m.Axis(a[0], a[1], 64, 1064, a[2])"
    found = page.browser.ask("axis", f"a[3].map((v) => {made}.at(v))", low, high, log, values)
    assert found == pytest.approx([expected.at(value) for value in values])
    places = [64, 500, 1064]
    found = page.browser.ask("axis", f"a[3].map((v) => {made}.value(v))", low, high, log, places)
    assert found == pytest.approx([expected.value(place) for place in places])
    found = page.browser.ask("axis", f"{made}.ticks(8)", low, high, log)
    assert found == pytest.approx(expected.ticks(8))


def test_the_cursors_difference_is_theirs_in_seconds_and_hertz(page):
    page.js("plexor.view.set({cursors: {a: 1500, b: 4000}})")
    page.until("document.getElementById('readout').textContent.includes('Δ')")
    text = page.js("document.getElementById('readout').textContent")
    for part in ("A 1.5 µs", "B 4 µs", "Δ 2.5 µs", "1/Δ 400 kHz"):
        assert part in text
