# SPDX-License-Identifier: Apache-2.0
"""The golden memories against plexor.protocol.memory and exact arithmetic."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.memory import (
    STATISTICS,
    STATISTICS_SETS,
    Space,
    bin_bounds,
    bin_of,
    entries,
    over_bin,
    under_bin,
)
from plexor_sim.golden import memory
from plexor_sim.golden.matcher import Samples

TOP = 2**31 - 1
values = st.one_of(
    st.integers(-(2**31), 2**31),
    st.integers(0, 300),
    st.builds(lambda bit, by: (1 << bit) + by, st.integers(2, 30), st.integers(-2, 2)),
)


def samples(*pairs, start=100):
    """Return samples with indices counting from `start` and times ten times the index."""
    index = np.arange(start, start + len(pairs), dtype=np.int64)
    return Samples(np.array(pairs, np.int64), index, index * 10)


@pytest.mark.parametrize("mantissa_bits", range(2, 9))
@given(st.lists(values, max_size=50))
@settings(max_examples=60)
def test_bins_are_those_of_the_contract(mantissa_bits, wanted):
    made = memory.bins_of(np.array(wanted, np.int64), mantissa_bits)
    assert made.tolist() == [bin_of(value, mantissa_bits) for value in wanted]


@pytest.mark.parametrize("mantissa_bits", range(2, 9))
def test_the_bounds_of_every_bin_lie_in_it(mantissa_bits):
    last = bin_of(TOP - 1, mantissa_bits)
    bounds = np.array([bin_bounds(number, mantissa_bits) for number in range(last + 1)])
    assert memory.bins_of(bounds[:, 0], mantissa_bits).tolist() == list(range(last + 1))
    assert memory.bins_of(bounds[:, 1] - 1, mantissa_bits).tolist() == list(range(last + 1))


def test_hand_worked_bins_of_6_mantissa_bits():
    # 63 and 64 have bins of their own, 128 and 129 share one: 2**6 bins an octave.
    made = memory.bins_of(np.array([0, 63, 64, 127, 128, 129, 130, 256, TOP], np.int64), 6)
    assert made.tolist() == [0, 63, 64, 127, 128, 128, 129, 192, 2046]


def test_only_the_greatest_value_is_over():
    counts = memory.log_counts(samples(TOP - 1, TOP), 6)
    assert (counts[1663], counts[over_bin(6)]) == (1, 1)


def test_negative_latencies_are_in_the_under_bin():
    assert memory.log_counts(samples(-1, -(2**31)), 4)[under_bin(4)] == 2


def test_the_zoom_window_has_under_and_over_bins_at_its_ends():
    # z = 4, first bin 100: bins 1 to 14 hold 100 to 113.
    window = memory.zoom_counts(samples(-5, 99, 100, 101, 113, 114, TOP), 100, 4)
    assert window.tolist() == [2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2]


def test_a_zoom_window_may_start_below_0():
    window = memory.zoom_counts(samples(-11, -10, -9, 3, 4), -10, 4)
    assert window.tolist() == [1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]


def test_extremes_are_those_of_the_first_least_and_first_greatest_sample():
    stats = memory.statistics(samples(5, -2, 9, -2, 9), ALL_FEATURES)
    assert stats == memory.Statistics(5, 19, 25 + 4 + 81 + 4 + 81, -2, 9, 101, 102, 1010, 1020)


def test_what_a_build_leaves_out_is_0():
    stats = memory.statistics(samples(5, 7), Feature(0))
    assert stats == memory.Statistics(2, 12, 0, 5, 7)


def test_sums_of_squares_are_exact_at_the_ends_of_the_range():
    most = [-(2**31), TOP] * 5000
    stats = memory.statistics(samples(*most), ALL_FEATURES)
    assert stats.sum_sq_ticks2 == 5000 * (2**62 + TOP**2)
    assert stats.sum_ticks == -5000


@given(st.lists(st.integers(-(2**31), TOP), max_size=60), st.integers(1, 5))
@settings(max_examples=100)
def test_folding_sets_gives_the_statistics_of_all_samples(wanted, sets):
    whole = samples(*wanted)
    parts = [
        memory.statistics(
            Samples(whole.value_ticks[n::sets], whole.index[n::sets], whole.time_ticks[n::sets]),
            ALL_FEATURES,
        )
        for n in range(sets)
    ]
    folded = memory.folded(parts)
    assert folded == memory.statistics(whole, ALL_FEATURES)
    assert (folded.count, folded.sum_ticks) == (len(wanted), sum(wanted))
    assert folded.sum_sq_ticks2 == sum(value * value for value in wanted)


def test_a_statistics_space_lies_set_by_set_and_is_folded_by_key():
    geometry = Geometry(channels=2)
    keys = 4
    assert entries(geometry, Space.LATENCY_STATISTICS) == keys * STATISTICS_SETS
    parts = [memory.Statistics()] * (keys * STATISTICS_SETS)
    for number in range(STATISTICS_SETS):
        parts[number * keys + 1] = memory.Statistics(1, 3, 9, 3, 3, 7 + number, 7 + number, 70, 70)
    dump = b"".join(memory.pack_statistics(part) for part in parts)
    result = memory.statistics_of_space(geometry, Space.LATENCY_STATISTICS, dump)
    assert (result[1].count, result[1].sum_ticks) == (STATISTICS_SETS, 3 * STATISTICS_SETS)
    assert (result[1].min_index, result[1].max_index) == (7, 7)
    assert result[0] == result[2] == result[3] == memory.Statistics()
    with pytest.raises(ValueError, match="LATENCY_STATISTICS"):
        memory.statistics_of_space(geometry, Space.LATENCY_STATISTICS, dump[8:])


def test_squares_over_64_bits_lie_in_two_fields():
    packed = memory.pack_statistics(memory.Statistics(sum_sq_ticks2=(5 << 64) + 6))
    record = STATISTICS.unpack(packed)
    assert (record["sum_sq_low_ticks2"], record["sum_sq_high_ticks2"]) == (6, 5)
    assert memory.unpack_statistics(packed).sum_sq_ticks2 == (5 << 64) + 6
