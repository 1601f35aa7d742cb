# SPDX-License-Identifier: Apache-2.0
"""Bins of a calibration: their widths by hand, their error by chance."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plexor.model.calibration import (
    Calibration,
    ChannelInstants,
    Detour,
    Instants,
    PadDelay,
    PinDelay,
)

TICK_FS = 1_000_000
LATE = (100, -300, 250, -50)
WAY = Instants(LATE, (5,) * 4, 20_000)


def test_a_bin_ends_at_its_own_instant_and_begins_at_the_one_before():
    # 1000 + 100 + 50, 1000 - 300 - 100, 1000 + 250 + 300, 1000 - 50 - 250.
    assert WAY.widths_ps(TICK_FS) == (1150, 600, 1550, 700)


@given(st.lists(st.integers(-10_000, 10_000), min_size=1, max_size=16))
def test_the_bins_of_all_phases_take_as_many_ticks(late):
    widths = Instants(tuple(late), (0,) * len(late), 1).widths_ps(500_500)
    assert sum(widths) == pytest.approx(len(late) * 500.5)


def test_the_error_of_an_edge_is_that_of_edges_drawn_at_random():
    random = np.random.default_rng(1)
    edges = random.uniform(0, 4000, 400_000)
    ends = np.cumsum(WAY.widths_ps(TICK_FS))
    middles = ends - np.array(WAY.widths_ps(TICK_FS)) / 2
    error = edges - middles[np.searchsorted(ends, edges)]
    assert WAY.rms_ps(TICK_FS) == pytest.approx(float(np.sqrt(np.mean(error**2))), rel=0.01)


def test_an_even_bin_has_a_twelfth_of_its_square():
    even = Instants((0,) * 4, (0,) * 4, 1)
    assert even.rms_ps(TICK_FS) == pytest.approx(1000 / 12**0.5)


CALIBRATION = Calibration(
    *("sim", 7, "sim", True, TICK_FS, "2026-11-22T12:00:00+00:00", 413_000_000),
    channels=(ChannelInstants(0, WAY, WAY), ChannelInstants(2, WAY, WAY)),
    delays=(PadDelay(0, 2, 1, 2, 3, 4), PadDelay(1, 0, 5, 6, 7, 8)),
)


def test_channels_and_delays_are_found_by_their_pins_and_by_no_other():
    assert CALIBRATION.channel(2) is CALIBRATION.channels[1]
    assert CALIBRATION.channel(1) is None
    assert CALIBRATION.delay(0, 2) is CALIBRATION.delays[0]
    assert CALIBRATION.delay(2, 0) is None
    assert CALIBRATION.delay(1, 2) is None


def test_it_is_kept_by_the_build_and_by_the_gateware_where_that_is_not_known():
    assert CALIBRATION.placement == 7
    assert replace(CALIBRATION, build_id=9).placement == 9


WIRED = PinDelay(1, 0, 40, 50, 6, 7, "2026")


@pytest.mark.parametrize(
    ("changes", "pins"),
    [
        # 5000 ps either way of none, of a simulation; -4000 to 13,000 of a board.
        ({}, PinDelay(1, 0, 5, 6, 5007, 5008)),
        ({"simulated": False}, PinDelay(1, 0, 5 - 4500, 6 - 4500, 8507, 8508)),
        (
            {"detours": (Detour(1, 0, 100, 301), Detour(0, 2, 9, 9))},
            PinDelay(1, 0, -195, -194, 108, 109),
        ),
        ({"jumpers": (replace(WIRED, output=0), WIRED)}, WIRED),
        ({"delays": ()}, None),
        ({"delays": (), "jumpers": (WIRED,)}, WIRED),
    ],
)
def test_the_way_over_pins_is_a_jumpers_or_the_loop_less_its_detour(changes, pins):
    assert replace(CALIBRATION, **changes).pins(1, 0) == pins
