# SPDX-License-Identifier: Apache-2.0
"""Pins in picoseconds to the merged stream, against cases worked by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plexor_sim.golden.edges import (
    PinEdges,
    TickEdges,
    collapsed,
    filtered,
    inverted,
    leading,
    mended,
    merged,
    pins_of,
    sampled,
    windowed,
)


def ticks(*times, initial=False):
    """Return edges at `times`, alternating from the level opposite to `initial`."""
    level = [bool(n % 2) ^ (not initial) for n in range(len(times))]
    return TickEdges(np.array(times, np.int64), np.array(level, np.bool_), initial)


def pairs(edges):
    return list(zip(edges.time_ticks.tolist(), edges.level.tolist(), strict=True))


def levels(edges, count):
    """Return the level of each of the first `count` samples."""
    sample, level, result = dict(pairs(edges)), edges.initial, []
    for number in range(count):
        level = sample.get(number, level)
        result.append(level)
    return result


def test_an_edge_is_at_the_first_sample_with_the_new_level():
    # 0.5 ns ticks: samples at 0, 500, 1000 ps.
    edges = sampled(PinEdges.of((499, 1), (1000, 0), (1001, 1)), 500_000)
    assert pairs(edges) == [(1, True), (2, False), (3, True)]


def test_a_tick_of_no_whole_picoseconds_is_exact():
    # 120 MHz, 8 samples: tick 1041666 fs; sample 1000 is at 1041666000 fs.
    edges = sampled(PinEdges.of((1_041_666, 1), (1_041_667, 0)), 1_041_666)
    assert pairs(edges) == [(1000, True), (1001, False)]


def test_a_pulse_between_two_samples_vanishes():
    assert pairs(sampled(PinEdges.of((1001, 1), (1999, 0)), 1_000_000)) == []


def test_a_pulse_of_a_picosecond_over_a_sample_is_seen():
    assert pairs(sampled(PinEdges.of((2000, 1), (2001, 0)), 1_000_000)) == [(2, True), (3, False)]


def test_the_last_level_in_a_tick_holds():
    edges = sampled(PinEdges.of((1100, 1), (1200, 0), (1300, 1), (2100, 0), (2200, 1)), 1_000_000)
    assert pairs(edges) == [(2, True)]


def test_a_change_to_the_standing_level_is_no_edge():
    assert pairs(sampled(PinEdges.of((1000, 0), (3000, 1), (5000, 1)), 1_000_000)) == [(3, True)]


def test_a_devices_log_is_parted_by_channel():
    made = pins_of(
        np.array([5, 6, 6], np.int64),
        np.array([1, 0, 1], np.uint8),
        np.array([False, True, True]),
        0b10,
    )
    assert (made[1].time_ps.tolist(), made[1].level.tolist()) == ([5, 6], [False, True])
    assert (made[1].initial, made[0].initial, len(made[7].time_ps)) == (True, False, 0)


def test_invert_makes_the_low_level_active():
    edges = inverted(sampled(PinEdges.of((1000, 0), (3000, 1), initial=True), 1_000_000))
    assert (edges.initial, pairs(edges)) == (False, [(1, True), (3, False)])


@pytest.mark.parametrize("times", [[-1], [5, 4]])
def test_times_that_fall_or_are_negative_are_refused(times):
    with pytest.raises(ValueError, match="time_ps"):
        PinEdges(np.array(times, np.int64), np.zeros(len(times), np.bool_))


def test_the_filter_removes_pulses_shorter_than_it_and_keeps_edge_times():
    edges = ticks(10, 12, 20, 23, 40)
    assert pairs(filtered(edges, 3, 8)) == [(20, True), (23, False), (40, True)]
    assert pairs(filtered(edges, 4, 8)) == [(40, True)]


def test_a_bounce_delays_the_edge_to_the_first_lasting_sample():
    edges = ticks(10, 11, 12, 13, 14, 30)
    assert pairs(filtered(edges, 4, 8)) == [(14, True), (30, False)]


@pytest.mark.parametrize("least", [0, 1])
def test_a_filter_of_0_or_1_ticks_removes_nothing(least):
    assert pairs(filtered(ticks(10, 11), least, 8)) == [(10, True), (11, False)]


def test_a_filter_over_w_acts_as_w():
    assert pairs(filtered(ticks(10, 18, 30, 37), 20, 8)) == [(10, True), (18, False)]


def literal_filter(samples, least):
    """Return what the filter's sentence says, sample by sample, edges at the first of the run."""
    output, edges, run_level, run_start = samples[0], [], samples[0], 0
    for number, level in enumerate(samples):
        if level != run_level:
            run_level, run_start = level, number
        if number - run_start + 1 >= least and run_level != output:
            output = run_level
            edges.append((run_start, output))
    return edges


@given(st.lists(st.booleans(), min_size=1, max_size=80), st.integers(2, 8))
@settings(max_examples=200)
def test_the_filter_agrees_with_its_sentence_sample_by_sample(samples, least):
    padded = samples + [samples[-1]] * 8
    edges = collapsed(
        np.arange(len(padded), dtype=np.int64), np.array(padded, np.bool_), samples[0]
    )
    assert pairs(filtered(edges, least, 8)) == literal_filter(padded, least)


@given(
    st.lists(st.tuples(st.integers(0, 30_000), st.booleans()), max_size=40).map(sorted),
    st.sampled_from([500_000, 1_000_000, 1_041_666]),
)
@settings(max_examples=200)
def test_each_sample_is_the_level_at_its_instant(changes, tick_fs):
    edges = sampled(PinEdges.of(*changes), tick_fs)
    for number, level in enumerate(levels(edges, 70)):
        before = [value for time, value in changes if time * 1000 <= number * tick_fs]
        assert level == (before[-1] if before else False)


def test_a_level_that_stands_at_the_start_is_no_edge():
    run = windowed(ticks(10, 20, 32), 16, 32)
    assert (run.initial, pairs(run)) == (True, [(20, False)])


def test_a_change_at_the_first_sample_is_an_edge():
    run = windowed(ticks(10, 16, 20, 32), 16, 32)
    assert (run.initial, pairs(run)) == (True, [(16, False), (20, True)])


def test_a_run_ends_before_its_end_tick():
    assert pairs(windowed(ticks(17, 31, 32), 16, 32)) == [(17, True), (31, False)]


def test_one_tick_holds_strikes_then_channels_then_the_load():
    edge = ticks(5)
    events = merged({16: edge, 3: edge, 0: edge, 15: edge, 8: ticks(4, 5)})
    assert events.source.tolist() == [8, 8, 15, 0, 3, 16]
    assert events.polarity.tolist() == [True, False, True, True, True, True]
    assert events.time_ticks.tolist() == [4, 5, 5, 5, 5, 5]
    assert events.index.tolist() == [0, 1, 2, 3, 4, 5]


def test_no_sources_merge_to_no_events():
    assert len(merged({})) == 0
    assert len(merged({3: ticks()})) == 0


def exchanged(samples, place):
    """Return samples whose phase of `place` - 1 samples after that of `place`."""
    found = list(samples)
    found[place - 1], found[place] = found[place], found[place - 1]
    return found


def edges_of(samples):
    """Return the edges of samples, of which the first is the level before all edges."""
    times = [n for n in range(1, len(samples)) if samples[n] != samples[n - 1]]
    level = np.array([samples[n] for n in times], np.bool_)
    return TickEdges(np.array(times, np.int64), level, samples[0])


@given(st.lists(st.integers(4, 9), min_size=1, max_size=8), st.data())
def test_exchanged_samples_are_mended_wherever_an_edge_lies_between_their_instants(lengths, data):
    """Pulses last four ticks or more: the fastest that a pad passes on ECP5 lasts five."""
    samples = [bool(n % 2) for n, length in enumerate([*lengths, 9]) for _ in range(length)]
    straight = edges_of(samples)
    if not len(straight.time_ticks):
        return
    places = data.draw(st.sets(st.sampled_from(straight.time_ticks.tolist())))
    swapped = samples
    for place in places:
        swapped = exchanged(swapped, place)
    assert len(edges_of(swapped).time_ticks) == len(straight.time_ticks) + 2 * len(places)
    assert pairs(mended(edges_of(swapped))) == pairs(straight)


@pytest.mark.parametrize(
    "times",
    [(5,), (5, 6), (5, 7, 9), (5, 6, 8), (5, 7, 8), (5, 6, 7, 8), (4, 5, 6, 7, 8), (5, 6, 9, 10)],
)
def test_edges_that_no_exchange_makes_stay(times):
    assert pairs(mended(ticks(*times))) == pairs(ticks(*times))


def test_each_edge_of_either_direction_is_an_active_one():
    edges = ticks(3, 5, 9, 10)
    assert pairs(leading(edges)) == [(3, True), (5, True), (9, True), (10, True)]
