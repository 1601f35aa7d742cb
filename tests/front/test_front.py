# SPDX-License-Identifier: Apache-2.0
"""Every sample is of its time, every bit on its tick, in a front-end with behavioural primitives.

The front-end is the one that boards have. What its words must be is a matter of the planted
times alone.
"""

import math

import pytest

from plexor_hdl.front.phases import LOOP_CLOCKS, RATIO

from .fronts import FAMILIES, bits, built, check, played, random_edges


@pytest.fixture(
    scope="module",
    params=[pytest.param(n, marks=() if n == "ecp5" else pytest.mark.full) for n in FAMILIES],
)
def bench(request, tmp_path_factory):
    """Return a family's test bench."""
    return built(FAMILIES[request.param], tmp_path_factory.mktemp("front"))


def test_each_sample_is_the_pins_level_at_its_time(bench, tmp_path):
    check(bench, tmp_path, 2_000)


@pytest.mark.full
def test_each_sample_is_the_pins_level_at_its_time_over_100_thousand_edges(bench, tmp_path):
    check(bench, tmp_path, 100_000)


# The core clock may lag by anything but the last of its period: limits.py has the room that delays
# take.
@pytest.mark.parametrize(
    "lag_ps", [100.0, *(pytest.param(n, marks=pytest.mark.full) for n in (1500.0, 5500.0)), 6900.0]
)
def test_no_lag_of_the_core_clock_changes_a_sample(bench, tmp_path, lag_ps):
    check(bench, tmp_path, 500, lag_ps)


# In ticks, and to which side of that: the phases of iCE40s are not quite even.
@pytest.mark.parametrize(
    ("about", "side"),
    [
        *(pytest.param(*case, marks=pytest.mark.full) for case in ((0, 1), (0.5, 0))),
        *((1, -1), (1, 1)),
        pytest.param(40.5, 0, marks=pytest.mark.full),
    ],
)
def test_an_output_looped_to_a_channel_has_the_latency_of_the_loop(bench, tmp_path, about, side):
    width = bench.family.width
    loop_ticks = about + side * bench.family.uneven_ticks
    tick_ps = RATIO * bench.family.fast_ps / width
    loop_ps, ticks = loop_ticks * tick_ps, math.ceil(loop_ticks)
    words = played(bench, tmp_path, random_edges(500, seed=2), loop_ps=loop_ps)
    mask = (1 << width) - 1
    # A clock's edge takes over what was there before it.
    sent = bits((word.drives & mask for word in words), width)
    seen = bits((word.samples >> width for word in words), width)
    end = len(words) * width
    assert sent.bit_count() > 1000
    late = sent << LOOP_CLOCKS * width + ticks
    assert seen & (1 << end) - 1 == late & (1 << end) - 1
