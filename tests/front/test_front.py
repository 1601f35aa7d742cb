"""Every sample is of its time, every bit on its tick, in a front-end with behavioural primitives.

The front-end is the one that boards have. What its words must be is a matter of the planted
times alone.
"""

import bisect
import math

import pytest

from plexor_hdl.front.phases import LOOP_CLOCKS, RATIO

from .fronts import FAMILIES, built, played, random_edges, samples


@pytest.fixture(scope="module", params=FAMILIES)
def bench(request, tmp_path_factory):
    """Return a family's test bench."""
    return built(FAMILIES[request.param], tmp_path_factory.mktemp("front"))


def wrong(family, words, edges_ps, lag_ps):
    """Return how many samples there are, and how many are not the level at their time."""
    count = errors = 0
    for time_ps, level in samples(family, words, lag_ps):
        before = bisect.bisect_left(edges_ps, time_ps)
        near = edges_ps[max(before - 1, 0) : before + 1]
        if any(abs(edge - time_ps) < 1 for edge in near):
            continue
        count += 1
        errors += level != before & 1
    return count, errors


def check(bench, folder, count, lag_ps=3600.0):
    """Check that each sample of so many edges is the level at its time."""
    edges = random_edges(count, seed=int(lag_ps), shortest_ps=1100)
    words = played(bench, folder, edges, lag_ps)
    seen, errors = wrong(bench.family, words, edges, lag_ps)
    # But for those beside an edge, there is one each tick.
    tick_ps = RATIO * bench.family.fast_ps / bench.family.width
    assert seen > 0.99 * (edges[-1] - edges[0]) / tick_ps - count / 100
    assert errors == 0


def test_each_sample_is_the_pins_level_at_its_time(bench, tmp_path):
    check(bench, tmp_path, 10_000)


@pytest.mark.full
def test_each_sample_is_the_pins_level_at_its_time_over_100_thousand_edges(bench, tmp_path):
    check(bench, tmp_path, 100_000)


# The core clock may lag by anything but the last of its period: limits.py has the room that delays
# take.
@pytest.mark.parametrize("lag_ps", [100.0, 1500.0, 5500.0, 6900.0])
def test_no_lag_of_the_core_clock_changes_a_sample(bench, tmp_path, lag_ps):
    check(bench, tmp_path, 500, lag_ps)


# In ticks, and to which side of that: the phases of iCE40s are not quite even.
@pytest.mark.parametrize(("about", "side"), [(0, 1), (0.5, 0), (1, -1), (1, 1), (40.5, 0)])
def test_an_output_looped_to_a_channel_has_the_latency_of_the_loop(bench, tmp_path, about, side):
    width = bench.family.width
    loop_ticks = about + side * bench.family.uneven_ticks
    tick_ps = RATIO * bench.family.fast_ps / width
    loop_ps, ticks = loop_ticks * tick_ps, math.ceil(loop_ticks)
    words = played(bench, tmp_path, random_edges(500, seed=2), loop_ps=loop_ps)
    mask = (1 << width) - 1
    sent = seen = 0
    # A clock's edge takes over what was there before it.
    for number, word in enumerate(words):
        sent |= (word.drives & mask) << width * number
        seen |= (word.samples >> width) << width * number
    end = len(words) * width
    assert sent.bit_count() > 1000
    late = sent << LOOP_CLOCKS * width + ticks
    assert seen & (1 << end) - 1 == late & (1 << end) - 1
