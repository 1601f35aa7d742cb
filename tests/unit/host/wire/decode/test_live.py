# SPDX-License-Identifier: Apache-2.0
"""Figures while events come: the golden model's, and of what is known where some are lost."""

import random
import sys

import numpy as np
import pytest

from plexor.model.results import Kind
from plexor.protocol.memory import VALUE_MOST, ResponseClass, bin_of
from plexor.protocol.registers import Policy, StopReason
from plexor.wire.decode.batch import batch_of
from plexor.wire.decode.collect import Collector
from plexor.wire.decode.live import HostStop, LiveMatching, Measured

from ...ended import events_frame
from ...scenario import GEOMETRY
from .golden_truth import truth
from .test_at_once import EDGE, drawn, events, rules
from .test_state import distinct

BITS = dict.fromkeys(Kind, 6)
ZOOMS = {Kind.RISE: (2, 16), Kind.FALL: (-3, 16), Kind.WIDTH: (0, 16), Kind.PERIOD: (5, 16)}


def frames_of(made, rng):
    """The events in frames of some of them."""
    frames, start = [], 0
    while start < len(made):
        own = made[start : start + rng.choice((1, 2, 5, 30))]
        base = int(own["time_ticks"][0])
        rows = [(int(at) - base, int(source), int(level)) for at, _, source, level in own]
        frames.append(events_frame(start, base, *rows))
        start += len(own)
    return frames


def fed(frames, channels):
    """A collector that matches these frames as they come, and keeps none."""
    collector = Collector(GEOMETRY, keep_events=False)
    collector.matches = lambda: LiveMatching(channels)
    for frame in frames:
        collector.take(batch_of([frame]))
    return collector


def figures(frames, made, taken, end, count=None):
    """What the frames come to on the one channel, at the end of all events."""
    collector = fed(frames, {0: Measured(taken, BITS, ZOOMS)})
    behind = (len(made) if count is None else count) - collector.next_index
    return collector.matching(lambda: None).figures(end, behind)[0]


def drawn_run(rng):
    """Events and rules."""
    made = distinct(events(drawn(rng)))
    taken = rules(
        rng.choice(list(Policy)),
        timeout=rng.choice((3, 8, 20, 100)),
        window_min=rng.choice((0, 2)),
        early=rng.choice((0, 0, 5)),
        deadline=rng.choice((2, 5, 50)),
        depth=rng.choice((1, 4, 16)),
    )
    return made, taken, (int(made["time_ticks"][-1]) if len(made) else 0) + rng.randrange(1, 40)


def expected(samples, kind):
    """Statistics, bins and window of the golden model's samples, counted one by one."""
    values, bins, zoom = samples.value_ticks.tolist(), {}, {}
    first, size = ZOOMS[kind]
    for value in values:
        number = bin_of(value, 6)
        bins[number] = bins.get(number, 0) + 1
        place = min(max(value - first + 1, 0), size - 1)
        zoom[place] = zoom.get(place, 0) + 1
    figures = [len(values), sum(values), sum(value**2 for value in values)]
    for extreme in (min, max):
        if values:
            at = values.index(extreme(values))
            figures += [values[at], int(samples.index[at]), int(samples.time_ticks[at])]
        else:
            figures += [None] * 3
    return figures, bins, zoom


def measured(result):
    """The same of what was counted as the events came."""
    own = result.statistics
    figures = [own.count, own.sum_ticks, own.sum_sq_ticks2]
    figures += [own.min_ticks, own.min_index, own.min_time_ticks]
    figures += [own.max_ticks, own.max_index, own.max_time_ticks]
    bins, zoom = (
        {n: count for n, count in enumerate(counts.tolist()) if count}
        for counts in (result.bins.counts, result.zoom.counts)
    )
    return figures, bins, zoom


@pytest.mark.parametrize("waiting", [1, 8, 1 << 14])
@pytest.mark.parametrize("runs", [150, pytest.param(1500, marks=pytest.mark.full)])
def test_figures_are_those_of_the_golden_model(runs, waiting, monkeypatch):
    monkeypatch.setattr(sys.modules[LiveMatching.__module__], "WAITING_EVENTS", waiting)
    rng = random.Random(3)
    for _ in range(runs):
        made, taken, end = drawn_run(rng)
        if not len(made):
            continue
        whole = truth(made, taken, end)
        found = figures(frames_of(made, rng), made, taken, end)
        assert [found.classes[name] for name in ResponseClass] == list(whole.classes)
        assert (found.pending, found.unknown_strikes, found.unknown_edges) == (whole.pending, 0, 0)
        for kind in Kind:
            assert measured(found.samples[kind]) == expected(getattr(whole, kind), kind)


class Kept:
    """In place of a tally: keeps samples as (index, value)."""

    def __init__(self, *_):
        self.rows = []

    def add(self, samples):
        self.rows += zip(samples.index.tolist(), samples.value_ticks.tolist(), strict=True)

    def result(self):
        return self.rows

    clamped = None


@pytest.mark.parametrize("runs", [500, pytest.param(5000, marks=pytest.mark.full)])
def test_samples_of_what_came_are_true_and_all_that_lie_between_gaps_are_there(runs, monkeypatch):
    monkeypatch.setattr(sys.modules[LiveMatching.__module__], "Tally", Kept)
    rng, lossy = random.Random(9), 0
    for _ in range(runs):
        made, taken, end = drawn_run(rng)
        frames = frames_of(made, rng)
        came = [frame for frame in frames if rng.random() > 0.15]
        if not came:
            continue
        lossy += len(came) < len(frames)
        whole = truth(made, taken, end)
        found = figures(came, made, taken, end)
        known = np.zeros(len(made), np.bool_)
        for frame in came:
            known[frame.index : frame.index + len(frame.payload) // 4] = True
        stretch = np.cumsum(~known)
        active = {
            int(at): n
            for n, (at, _, source, level) in enumerate(made)
            if source == 0 and level == 1
        }
        for kind in Kind:
            samples = getattr(whole, kind)
            true = list(zip(samples.index.tolist(), samples.value_ticks.tolist(), strict=True))
            given = found.samples[kind]
            assert len(given) == len(set(given))
            assert set(given) <= set(true)
            if kind in (Kind.WIDTH, Kind.PERIOD):
                starts = [active[int(made["time_ticks"][index]) - value] for index, value in true]
                assert given == [
                    sample
                    for sample, start in zip(true, starts, strict=True)
                    if known[sample[0]] and known[start] and stretch[start] == stretch[sample[0]]
                ]
        responses = known & (made["source"] == 0) & (made["polarity"] == 1)
        assert found.active_edges == responses.sum()
        strikes = found.classes[ResponseClass.STRIKES]
        classes = (ResponseClass.ANSWERED, ResponseClass.LATE, ResponseClass.MISSED)
        handled = sum(found.classes[name] for name in classes)
        assert strikes == handled + found.pending + found.unknown_strikes
        assert strikes == (known & (made["source"] == 8)).sum()
    assert lossy > runs // 4


def test_several_channels_are_each_matched_to_their_own_reference():
    """Channel 0 answers the strike after 20 ticks, channel 1 channel 0's edge after 7, at each."""
    made, rows = [], []
    for number in range(100):
        rows += [(at + 100 * number, source, 1) for at, source in ((0, 8), (20, 0), (27, 1))]
    for start in range(0, len(rows), 30):
        base = rows[start][0]
        own = [(at - base, source, level) for at, source, level in rows[start : start + 30]]
        made.append(events_frame(start, base, *own))
    first = rules(timeout=60)
    chained = type(first)(1, 0, 1, Policy.OLDEST, 60, 0, 0, 50, 4)
    channels = {n: Measured(own, BITS, {}) for n, own in enumerate((first, chained))}
    found = fed(made, channels).matching(lambda: None).figures(10_000)
    for number, latency in ((0, 20), (1, 7)):
        own = found[number].samples[Kind.RISE].statistics
        assert (own.count, own.min_ticks, own.max_ticks) == (100, latency, latency)


def test_figures_so_far_leave_a_response_held_and_the_matching_goes_on():
    taken = rules(early=20)
    collector = fed([], {0: Measured(taken, BITS, {})})
    seen = []
    for frame in [events_frame(0, 90, (0, 0, 1)), events_frame(1, 100, (0, 8, 1))]:
        collector.take(batch_of([frame]))
        own = collector.matching(lambda: None).figures(collector.last_ticks + 1, final=False)[0]
        seen.append([own.classes[ResponseClass.SPURIOUS], own.classes[ResponseClass.EARLY]])
    assert seen == [[0, 0], [0, 1]]


def test_values_over_range_are_exact_and_a_chips_figures_of_them_too():
    far = VALUE_MOST + 10
    made = np.zeros(4, events([(0, EDGE)]).dtype)
    for n, row in enumerate([(0, 0, 1), (far, 0, 0), (far + 5, 0, 1), (far + 8, 0, 0)]):
        made[n] = (row[0], n, *row[1:])
    frames = [
        events_frame(n, int(row["time_ticks"]), (0, 0, int(row["polarity"])))
        for n, row in enumerate(made)
    ]
    found = figures(frames, made, rules(), far + 9)
    exact, clamped = found.samples[Kind.WIDTH].statistics, found.clamped[Kind.WIDTH]
    assert (exact.sum_ticks, exact.max_ticks) == (far + 3, far)
    assert (clamped.sum_ticks, clamped.max_ticks) == (VALUE_MOST + 3, VALUE_MOST)
    assert clamped.sum_sq_ticks2 == VALUE_MOST**2 + 9


def test_a_gap_before_an_empty_frame_lasts_until_the_next_event():
    frames = [
        events_frame(0, 0, (0, 8, 1)),
        events_frame(5, 0),
        events_frame(5, 1000, (0, 8, 1)),
    ]
    collector = fed(frames, {0: Measured(rules(timeout=100, depth=16), BITS, {})})
    matching = collector.matching(lambda: None)
    found = matching.figures(1050)[0]
    assert matching.lost == 4
    assert (found.unknown_strikes, found.pending) == (1, 1)


def test_what_waits_and_what_is_open_is_all_that_is_kept():
    """A device that never answers, at the fastest: the queue is full, and nothing else grows."""
    matching = LiveMatching({0: Measured(rules(timeout=10**6, depth=16), BITS, {})})
    for number in range(200):
        frame = events_frame(250 * number, 250 * number, *((at, 8, 1) for at in range(250)))
        matching.take(batch_of([frame]), np.zeros(1, np.int64))
    (channel,) = matching._channels.values()
    matching.figures(50_000)
    assert len(channel.state.queue_ticks) == 16
    assert not matching._waiting


def test_what_is_open_when_the_last_events_are_lost_is_unknown():
    collector = fed([events_frame(0, 100, (0, 8, 1))], {0: Measured(rules(timeout=50), BITS, {})})
    matching = collector.matching(lambda: None)
    lost, whole = (matching.figures(400, lost_behind=number)[0] for number in (2, 0))
    assert (lost.classes[ResponseClass.MISSED], lost.unknown_strikes) == (0, 1)
    assert (whole.classes[ResponseClass.MISSED], whole.unknown_strikes) == (1, 0)


def planted(late, missing):
    """A strike each 1,000 ticks and answers 50 later: one comes 90 later, and one not at all."""
    rows = []
    for number in range(40):
        rows.append((1000 * number, 8, 1))
        if number != missing:
            rows.append((1000 * number + (90 if number == late else 50), 0, 1))
    return rows


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
@pytest.mark.parametrize(
    ("watch", "reason", "row"),
    [
        # Each strike and its answer are two events; the strike is the first of them.
        (HostStop(frozenset({0}), 80, missed=False), StopReason.LATENCY, (9090, 2 * 9 + 1)),
        (HostStop(frozenset({0}), None, missed=True), StopReason.MISSED, (6000, 2 * 6 - 1)),
        (HostStop(frozenset({0}), 80, missed=True), StopReason.MISSED, (6000, 2 * 6 - 1)),
        (HostStop(frozenset({0}), 89, missed=False), StopReason.LATENCY, (9090, 2 * 9 + 1)),
        (HostStop(frozenset({0}), 90, missed=False), None, None),
        (HostStop(frozenset({1}), 80, missed=True), None, None),
    ],
)
def test_what_is_watched_for_is_known_by_its_first_event_however_events_come(
    size, watch, reason, row
):
    """Strike 5 is not answered within 300 ticks, which the next strike tells."""
    rows = planted(9, 5 if watch.missed else None)
    matching = LiveMatching({0: Measured(rules(timeout=300), BITS, {})}, watch)
    for start in range(0, len(rows), size):
        own = rows[start : start + size]
        base = own[0][0]
        frame = events_frame(start, base, *((at - base, s, level) for at, s, level in own))
        matching.take(batch_of([frame]), np.zeros(1, np.int64))
    found = matching.found()
    if reason is None:
        assert found is None
    else:
        assert (found.reason, found.time_ticks, found.index) == (reason, *row)
