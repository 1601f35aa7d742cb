# SPDX-License-Identifier: Apache-2.0
"""The whole golden instrument in small runs worked by hand, and its totals in large ones."""

import numpy as np
import pytest

from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.memory import (
    IntervalKind,
    LatencyKind,
    Space,
    bin_of,
    entries,
    entry_words,
    key,
)
from plexor.protocol.memory import ResponseClass as Class
from plexor.protocol.registers import StatusFlag
from plexor_sim.golden.edges import PinEdges, TickEdges
from plexor_sim.golden.instrument import expected_events, measure
from plexor_sim.golden.memory import Statistics, statistics_of_space
from plexor_sim.golden.settings import Settings
from plexor_sim.golden.stimulus import strikes

GEOMETRY = Geometry(channels=2, strikes=2, samples=8, zoom_bits=4)
STRIKING = {"enable": 1, "interval_ticks": 100, "width_ticks": 10, "phase_ticks": 16}


def pin(*times_ps, initial=False):
    level = [bool(n % 2) ^ (not initial) for n in range(len(times_ps))]
    return PinEdges(np.array(times_ps, np.int64), np.array(level, np.bool_), initial)


def small_run(geometry=GEOMETRY, **options):
    """Strikes at 16, 116, 216; an interrupt pin (0) and, from its fall, a task pin (1)."""
    settings = Settings.of(
        stimulus={0: STRIKING},
        channel={
            0: {"enable": 1, "deadline_ticks": 25, "zoom_rise_ticks": 19, "zoom_width_ticks": 6},
            1: {"enable": 1, "invert": 1, "reference_source": 0, "reference_polarity": 0},
        },
        matcher={"timeout_ticks": 60},
    )
    pins = {
        0: pin(36_000, 42_500, 142_000, 150_000),
        1: pin(60_000, 70_000, 190_000, 200_000, initial=True),
    }
    return measure(geometry, settings, 0, 240, pins, **options)


def test_a_small_run_counts_as_worked_by_hand():
    results = small_run()
    # Channel 0: 36 - 16 = 20 answered, 142 - 116 = 26 late, the strike at 216 pending.
    assert results.classes[0].tolist() == [1, 1, 0, 0, 0, 0, 0, 3]
    assert results.pending.tolist() == [1, 0]
    # Channel 1, active low, from 43 and 150: 60 - 43 = 17 and 190 - 150 = 40.
    assert results.classes[1].tolist() == [2, 0, 0, 0, 0, 0, 0, 2]
    assert results.generated[[0, 1, 8, 9, 16]].tolist() == [4, 4, 6, 0, 0]
    assert results.edges[0].tolist() == [2, 2]
    assert results.edges[8].tolist() == [3, 3]
    assert results.flags == StatusFlag(0)


def test_a_small_run_fills_the_memories_as_worked_by_hand():
    results = small_run()
    rise, fall = key(GEOMETRY, LatencyKind.RISE, 0), key(GEOMETRY, LatencyKind.FALL, 0)
    stats = results.statistics[Space.LATENCY_STATISTICS]
    # Events in order: 16 s, 26 s, 36 r, 43 b, 60, 70, 116 s, 126 s, 142 r, 150 b, ...
    assert stats[rise] == Statistics(2, 46, 20**2 + 26**2, 20, 26, 2, 8, 36, 142)
    assert stats[fall] == Statistics(2, 27 + 34, 27**2 + 34**2, 27, 34, 3, 9, 43, 150)
    assert results.bins[Space.LATENCY_BINS][rise].nonzero()[0].tolist() == [20, 26]
    assert results.bins[Space.LATENCY_ZOOM][rise].nonzero()[0].tolist() == [2, 8]
    width = key(GEOMETRY, IntervalKind.WIDTH, 0)
    assert results.bins[Space.INTERVAL_ZOOM][width].nonzero()[0].tolist() == [2, 3]
    period = key(GEOMETRY, IntervalKind.PERIOD, 1)
    assert results.bins[Space.INTERVAL_BINS][period].nonzero()[0].tolist() == [bin_of(130, 6)]


def test_events_are_those_of_the_run_in_order():
    settings = Settings.of(stimulus={0: STRIKING}, channel={0: {"enable": 1}})
    outputs = strikes(GEOMETRY, settings, 0, 120)
    load = TickEdges(np.array([16, 40], np.int64), np.array([True, False]))
    events = expected_events(
        GEOMETRY, settings, 0, 120, {0: pin(15_001, 16_001)}, outputs=outputs, load=load
    )
    assert list(zip(events.time_ticks.tolist(), events.source.tolist(), strict=True)) == [
        (16, 8),
        (16, 0),
        (16, 16),
        (17, 0),
        (26, 8),
        (40, 16),
        (116, 8),
    ]


def test_a_disabled_channel_has_no_edges_and_no_strikes():
    settings = Settings.of(stimulus={0: STRIKING}, channel={0: {"enable": 0}})
    results = measure(GEOMETRY, settings, 0, 240, {0: pin(36_000, 42_000)})
    assert results.generated[0] == 0
    assert not results.classes.any()


def test_dropped_events_are_counted_indexed_and_not_matched():
    dropped = np.zeros(14, np.bool_)
    dropped[[2, 3]] = True
    results = small_run(dropped=dropped)
    assert results.generated[0] == 4
    assert results.dropped[0] == 2
    assert results.edges[0].tolist() == [1, 1]
    assert results.events.index.tolist()[:3] == [0, 1, 4]
    # Without the response at 36 and its end the strike at 16 is missed at 76.
    assert results.classes[0].tolist() == [0, 1, 1, 0, 0, 0, 0, 3]
    assert results.classes[1, Class.SPURIOUS] == 1


def test_a_full_queue_raises_its_flag():
    geometry = Geometry(channels=1, queue_depth=4)
    settings = Settings.of(stimulus={0: STRIKING}, channel={0: {"enable": 1}})
    results = measure(geometry, settings, 0, 2000, {})
    assert results.flags == StatusFlag.QUEUE_FULL
    assert results.classes[0, Class.QUEUE_FULL] == 16
    assert results.pending[0] == 4


@pytest.mark.parametrize(
    ("features", "code_bits"),
    [(ALL_FEATURES | Feature.CODES, 8), (ALL_FEATURES, 0), (Feature(0), 0)],
)
def test_every_space_is_as_long_as_the_contract_says(features, code_bits):
    geometry = Geometry(channels=3, features=features, code_bits=code_bits)
    results = measure(geometry, Settings.of(channel={"enable": 1}), 0, 800, {0: pin(5000, 9000)})
    for space in Space:
        assert len(results.words(space)) == 4 * entry_words(space) * entries(geometry, space)


def test_a_build_without_fall_intervals_and_early_leaves_them_at_0():
    features = ALL_FEATURES & ~(Feature.FALL | Feature.INTERVALS | Feature.EARLY | Feature.FILTER)
    geometry = Geometry(channels=1, features=features)
    settings = Settings.of(
        stimulus={0: STRIKING},
        channel={"enable": 1, "filter_ticks": 8},
        matcher={"early_ticks": 50},
    )
    results = measure(geometry, settings, 0, 100, {0: pin(10_000, 12_000, 30_000, 33_000)})
    assert results.classes[0].tolist() == [1, 0, 0, 0, 1, 0, 0, 1]
    assert results.statistics[Space.LATENCY_STATISTICS][1] == Statistics()
    assert Space.INTERVAL_BINS not in results.bins


def test_dumped_words_hold_the_counts():
    results = small_run()
    classes = np.frombuffer(results.words(Space.CLASSES), "<u8").reshape(2, 8)
    assert classes.tolist() == results.classes.tolist()
    edges = np.frombuffer(results.words(Space.EDGES), "<u8")
    assert edges[2 * 8 + 1] == 3
    bins = np.frombuffer(results.words(Space.LATENCY_BINS), "<u4")
    assert bins[(key(GEOMETRY, LatencyKind.RISE, 0) << 11) + 20] == 1
    dump = results.words(Space.INTERVAL_STATISTICS)
    folded = statistics_of_space(GEOMETRY, Space.INTERVAL_STATISTICS, dump)
    assert tuple(folded) == results.statistics[Space.INTERVAL_STATISTICS]


def test_a_strike_is_counted_under_the_code_before_it():
    geometry = Geometry(channels=1, features=ALL_FEATURES | Feature.CODES, code_bits=8)
    settings = Settings.of(stimulus={0: STRIKING}, channel={0: {"enable": 1}})
    told = ([5, 30], [7, 9])
    results = measure(geometry, settings, 0, 100, {0: pin(20_000, 22_000)}, told=told)
    records = np.frombuffer(results.words(Space.CODES), "<i8").reshape(2, -1, 4)
    assert records[0, 7].tolist() == [1, 25, 25, 25]
    assert records[1, 7].tolist() == [1, 4, 4, 4]
    assert records[1].any(axis=1).sum() == 1


def test_an_edge_back_after_the_end_is_not_counted():
    settings = Settings.of(channel={0: {"enable": 1}})
    results = measure(GEOMETRY, settings, 0, 40, {0: pin(39_000, 40_000)})
    assert results.edges[0].tolist() == [0, 1]


def test_an_unknown_channel_or_register_is_refused():
    with pytest.raises(ValueError, match="channel 2"):
        measure(GEOMETRY, Settings.of(), 0, 8, {2: pin(5)})
    with pytest.raises(KeyError):
        Settings.of(channel={"filter": 1})
    with pytest.raises(ValueError, match="filter_ticks"):
        Settings.of(channel={"filter_ticks": 32})
    with pytest.raises(ValueError, match=r"channel\[8\]"):
        Settings.of(channel={8: {"enable": 1}})


def test_a_large_overloaded_run_conserves_strikes_edges_and_samples():
    count = 200_000
    settings = Settings.of(
        stimulus={
            0: {"enable": 1, "interval_ticks": 90, "width_ticks": 9, "dither_bits": 6, "seed": 11},
        },
        channel={0: {"enable": 1, "deadline_ticks": 300}},
        matcher={"timeout_ticks": 2000},
    )
    end = 90 * count
    outputs = strikes(GEOMETRY, settings, 0, end)
    generator = np.random.default_rng(3)
    # A server that answers in order, a little slower than the strikes come.
    service = generator.integers(100_000, 150_000, len(outputs[0].rise_ticks))
    done, free = [], 0
    for strike, took in zip(outputs[0].rise_ticks.tolist(), service.tolist(), strict=True):
        free = max(free, strike * 1000) + took
        done.append(free)
    times = np.sort(np.concatenate((done, np.array(done) + 20_000))).astype(np.int64)
    level = np.tile([True, False], len(done))
    results = measure(GEOMETRY, settings, 0, end, {0: PinEdges(times, level)}, outputs=outputs)
    classes = results.classes[0]
    matched = classes[Class.ANSWERED] + classes[Class.LATE]
    assert classes[Class.STRIKES] == matched + classes[Class.MISSED] + results.pending[0]
    unmatched = classes[Class.DUPLICATE] + classes[Class.SPURIOUS]
    assert results.edges[0, 1] == matched + unmatched
    assert classes[Class.MISSED] > 0
    assert classes[Class.LATE] > 0
    rise = key(GEOMETRY, LatencyKind.RISE, 0)
    for space in (Space.LATENCY_BINS, Space.LATENCY_ZOOM):
        assert results.bins[space][rise].sum() == matched
    assert results.statistics[Space.LATENCY_STATISTICS][rise].count == matched
    assert results.statistics[Space.LATENCY_STATISTICS][rise].max_ticks <= 2000
