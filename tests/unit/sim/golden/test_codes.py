# SPDX-License-Identifier: Apache-2.0
"""The golden tables of codes, against figures worked out by hand."""

import numpy as np

from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import CODE_FIGURES, VALUE_MOST
from plexor_sim.golden.codes import Figures, latencies_by_code, times_by_code, words
from plexor_sim.golden.matcher import Samples

GEOMETRY = Geometry(code_bits=8, features=Feature.EVENTS | Feature.CODES)
WIDE = Geometry(code_bits=16, features=Feature.EVENTS | Feature.CODES)
TIMES, CODES = [100, 130, 150, 1000], [7, 9, 7, 8]


def rises(*samples):
    """Return samples of (latency, time of the event that completed it)."""
    values, times = np.array(samples, np.int64).T
    return Samples(values, np.zeros_like(values), times)


def some(table):
    return {code: each for code, each in enumerate(table) if each.count}


def test_a_code_lasts_until_the_next_one_and_the_last_one_has_no_time():
    found = times_by_code(GEOMETRY, TIMES, CODES)
    assert some(found) == {7: Figures(2, 880, 30, 850), 9: Figures(1, 20, 20, 20)}


def test_a_time_that_is_too_long_is_whole_in_the_sum_only():
    found = times_by_code(GEOMETRY, [0, VALUE_MOST + 9], [3, 4])
    assert found[3] == Figures(1, VALUE_MOST + 9, VALUE_MOST, VALUE_MOST)


def test_a_strike_in_the_tick_of_a_code_comes_before_it():
    found = latencies_by_code(GEOMETRY, TIMES, CODES, rises((5, 105), (6, 137), (7, 137)))
    assert some(found) == {0: Figures(1, 5, 5, 5), 9: Figures(1, 6, 6, 6), 7: Figures(1, 7, 7, 7)}


def test_an_early_response_counts_with_the_code_at_its_strike():
    found = latencies_by_code(GEOMETRY, TIMES, CODES, rises((-40, 140)))
    assert some(found) == {9: Figures(1, -40, -40, -40)}


def test_of_a_long_code_the_upper_eight_bits_count():
    found = times_by_code(WIDE, [0, 1, 3], [0x1ABF, 0x1A80, 0x1AC0])
    assert some(found) == {0x1A80 >> 8: Figures(2, 3, 1, 2)}


def test_a_space_holds_a_record_for_each_code():
    packed = words(times_by_code(GEOMETRY, TIMES, CODES))
    size = CODE_FIGURES.size_bytes
    assert len(packed) == size << 8
    assert CODE_FIGURES.unpack(packed[7 * size : 8 * size])["sum_ticks"] == 880
