# SPDX-License-Identifier: Apache-2.0
"""What samples leave behind agrees with itself; a figure that is changed does not, and is told."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plexor.base.constraints import MOST_TICKS
from plexor.model.results import (
    Bins,
    ChannelResult,
    Kind,
    SampleResult,
    Statistics,
    StepChannel,
    StepResult,
    Zoom,
)
from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import VALUE_MOST, ResponseClass, bin_bits, bin_of, under_bin
from plexor.protocol.registers import StatusFlag, StopReason
from plexor.wire.decode.consistent import (
    MOST_IN_BIN,
    RunLimits,
    channel_contradictions,
    consistent,
    contradictions_of,
    measurement_contradictions,
    step_contradictions,
)

from ...runs import run

BITS, ZOOM = 4, 64
RUN = RunLimits(5000, 90_000, 1000)
GEOMETRY = Geometry(channels=2)
LATENCIES = [3, 70, 75, 75, 900, -4, 131]


def measured(values, first=70, kind=Kind.RISE, limits=RUN, bits=BITS) -> SampleResult:
    """What the memories hold of samples, one event each, by the words of docs/instrument.md."""
    bins = np.zeros(1 << bin_bits(bits), np.uint64)
    zoom = np.zeros(ZOOM, np.uint64)
    for value in values:
        bins[bin_of(value, bits)] += np.uint64(1)
        zoom[min(max(value - first + 1, 0), ZOOM - 1)] += np.uint64(1)
    if not values:
        return SampleResult(
            kind, Statistics(0, 0, 0, None, None), Bins(bits, bins), Zoom(first, zoom)
        )
    least, most = values.index(min(values)), values.index(max(values))
    at = limits.start_ticks
    statistics = Statistics(
        len(values),
        sum(values),
        sum(value**2 for value in values),
        min(values),
        max(values),
        least,
        most,
        at + least,
        at + most,
    )
    return SampleResult(kind, statistics, Bins(bits, bins), Zoom(first, zoom))


@settings(deadline=None)
@given(
    st.lists(st.integers(-VALUE_MOST, VALUE_MOST) | st.integers(-100, 400), max_size=40),
    st.integers(-200, 500) | st.sampled_from([-VALUE_MOST - 1, VALUE_MOST, VALUE_MOST - 20]),
    st.integers(2, 8),
)
def test_samples_whatever_they_are_contradict_nothing(values, first, bits):
    assert measurement_contradictions(measured(values, first, bits=bits), RUN) == []


CHANGES = {
    "count": {"count": 8},
    "count 0": {"count": 0},
    "count of 2**63": {"count": 2**63},
    "negative count": {"count": -1},
    "sum below": {"sum_ticks": LATENCIES[5] * 6 + 899},
    "sum above": {"sum_ticks": 900 * 6 - 3},
    "sum of 2**63": {"sum_ticks": 2**63},
    "sum of squares below": {"sum_sq_ticks2": sum(LATENCIES) ** 2 // 7},
    "sum of squares above": {"sum_sq_ticks2": 896 * sum(LATENCIES) + 7 * 3600 + 1},
    "negative sum of squares": {"sum_sq_ticks2": -1},
    "no least": {"min_ticks": None},
    "no greatest": {"max_ticks": None},
    "least over greatest": {"min_ticks": 901},
    "least below all": {"min_ticks": -(2**31) - 1},
    "greatest above all": {"max_ticks": 2**31},
    "least in another bin": {"min_ticks": 1, "sum_sq_ticks2": None},
    "greatest in another bin": {"max_ticks": 1800, "sum_sq_ticks2": None},
    "index past the last event": {"max_index": 1000},
    "negative index": {"min_index": -1},
    "index without the other": {"min_index": None},
    "time without the other": {"max_time_ticks": None},
    "time before the run": {"min_time_ticks": 4999},
    "time at the run's end": {"max_time_ticks": 90_000},
    "time at the end of time": {"max_time_ticks": 2**64 - 1},
}


@pytest.mark.parametrize("name", CHANGES)
def test_statistics_that_no_samples_have_are_told(name):
    good = measured(LATENCIES)
    lie = replace(good, statistics=replace(good.statistics, **CHANGES[name]))
    assert measurement_contradictions(lie, RUN)


def with_bins(change, values=tuple(LATENCIES)) -> SampleResult:
    good = measured(list(values))
    counts = good.bins.counts.copy()
    change(counts)
    return replace(good, bins=Bins(BITS, counts))


def with_zoom(change) -> SampleResult:
    good = measured(LATENCIES)
    counts = good.zoom.counts.copy()
    change(counts)
    return replace(good, zoom=Zoom(70, counts))


def move(counts, start, end) -> None:
    counts[start] -= np.uint64(1)
    counts[end] += np.uint64(1)


BINS = {
    "one more": lambda: with_bins(lambda c: c.__setitem__(5, 1)),
    "one in no bin of a value": lambda: with_bins(lambda c: move(c, bin_of(75, BITS), 500)),
    "over the range": lambda: with_bins(lambda c: move(c, bin_of(900, BITS), 510)),
    "under the range": lambda: with_bins(lambda c: move(c, 3, under_bin(BITS)), [3, 70, 900]),
    "more than can be counted": lambda: with_bins(lambda c: c.__setitem__(5, MOST_IN_BIN + 1)),
    "sums that wrap to right": lambda: with_bins(lambda c: c.__setitem__(slice(10, 12), 2**63)),
    "fewer bins": lambda: replace(
        measured(LATENCIES), bins=Bins(BITS, measured(LATENCIES).bins.counts[:-1])
    ),
    "no bins": lambda: replace(measured(LATENCIES), bins=Bins(0, np.zeros(0, np.uint64))),
    "other mantissa": lambda: replace(
        measured(LATENCIES), bins=Bins(5, measured(LATENCIES).bins.counts)
    ),
    "one more in the window": lambda: with_zoom(lambda c: c.__setitem__(9, 1)),
    "none below the window": lambda: with_zoom(lambda c: move(c, 0, 1)),
    "elsewhere in the window": lambda: with_zoom(lambda c: move(c, 6, 8)),
    "a window of no bins": lambda: replace(
        measured(LATENCIES), zoom=Zoom(70, np.zeros(0, np.uint64))
    ),
    "a window past all": lambda: replace(
        measured(LATENCIES), zoom=Zoom(2**40, measured(LATENCIES).zoom.counts)
    ),
    "a window that wraps": lambda: with_zoom(lambda c: c.__setitem__(slice(10, 12), 2**63)),
}


@pytest.mark.parametrize("name", BINS)
def test_bins_that_their_samples_do_not_fill_are_told(name):
    found = measurement_contradictions(BINS[name](), RUN)
    assert found


def test_a_bin_that_stopped_counting_has_fewer_and_never_more():
    fewer = with_bins(lambda c: c.__setitem__(bin_of(75, BITS), 1))
    stopped = replace(RUN, saturated=True)
    assert measurement_contradictions(fewer, RUN)
    assert measurement_contradictions(fewer, stopped) == []
    assert measurement_contradictions(BINS["one more"](), stopped)
    assert measurement_contradictions(with_bins(lambda c: c.fill(0)), stopped)


@pytest.mark.parametrize("stopped", [False, True])
def test_a_window_with_more_samples_than_there_are_is_told_by_their_numbers(stopped):
    more = with_zoom(lambda c: c.__setitem__(9, c[9] + 1))
    limits = replace(RUN, saturated=stopped)
    text = f"{len(LATENCIES)} samples, {len(LATENCIES) + 1} in the window"
    assert measurement_contradictions(more, limits) == [text]


def test_a_window_that_stopped_counting_has_fewer():
    fewer = with_zoom(lambda c: c.__setitem__(6, c[6] - 1))
    assert f"{len(LATENCIES) - 1} in the window" in measurement_contradictions(fewer, RUN)[0]


def channel(**changes) -> ChannelResult:
    classes = dict.fromkeys(ResponseClass, 0)
    classes |= {ResponseClass.STRIKES: 9, ResponseClass.ANSWERED: 7, ResponseClass.MISSED: 2}
    classes |= changes.pop("classes", {})
    whole = ChannelResult(0, "isr", "strike0", None, classes, 0, 7, (measured(LATENCIES),))
    return replace(whole, **changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"classes": {ResponseClass.SPURIOUS: 2**63}},
        {"classes": {ResponseClass.LATE: -1}},
        {"classes": {ResponseClass.LATE: RUN.ticks}},
        {"classes": {ResponseClass.STRIKES: RUN.ticks + 1}},
        {"pending": -1},
        {"active_edges": 2**64},
        {"number": 2},
        {"reference": "strike7"},
        {"reference": "ch2"},
        {"reference": "step"},
        {"deadline_ticks": 2**31},
    ],
)
def test_counts_that_no_run_reaches_are_told(changes):
    cannot, _ = channel_contradictions(channel(**changes), RUN, GEOMETRY)
    assert len(cannot) == 1


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"pending": 1}, "strikes or edges are not in exactly one class each"),
        ({"active_edges": 8}, "strikes or edges are not in exactly one class each"),
        ({"classes": {ResponseClass.EARLY: 8}}, "8 early of 7 matched"),
        ({"classes": {ResponseClass.QUEUE_FULL: 3}}, "3 queue_full of 2 missed"),
        ({"measurements": (measured(LATENCIES[1:]),)}, "6 latencies of 7 responses"),
        (
            {"measurements": (measured([5] * 8, kind=Kind.FALL),)},
            "8 edges back of 7 responses",
        ),
    ],
)
def test_counts_that_cannot_all_be_right_are_told(changes, text):
    assert channel_contradictions(channel(**changes), RUN, GEOMETRY) == ([], [text])
    assert channel_contradictions(channel(), RUN, GEOMETRY) == ([], [])


def step(number=0, **changes) -> StepResult:
    classes = dict.fromkeys(ResponseClass, 0)
    classes |= {ResponseClass.STRIKES: 9, ResponseClass.ANSWERED: 7, ResponseClass.MISSED: 2}
    classes |= changes.pop("classes", {})
    rise = replace(
        measured(LATENCIES).statistics,
        **dict.fromkeys(("min_index", "max_index", "min_time_ticks", "max_time_ticks")),
    )
    places = {name: changes.pop(name) for name in ("start_ticks", "end_ticks") if name in changes}
    entry = replace(StepChannel(0, "isr", classes, 0, 0, rise), **changes)
    return replace(StepResult(number, 6000, 80_000, (entry,)), **places)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"classes": {ResponseClass.MISSED: 3}}, "strikes are not in exactly one class each"),
        ({"pending": 1}, "strikes are not in exactly one class each"),
        ({"classes": {ResponseClass.SPURIOUS: 1}}, "isr: 1 spurious in steps, 0 in all"),
        ({"classes": {ResponseClass.LATE: -1}}, "counts fewer than none"),
        ({"pending_before": -1}, "counts fewer than none"),
        ({"rise": Statistics(7, 2**40, 0, 0, 900)}, "7 samples from 0 to 900 ticks with sum"),
        ({"start_ticks": 80_001}, "ends at 80000, before it starts"),
        ({"start_ticks": 4999}, "steps from 4999 to 80000 ticks in a run from 5000"),
        ({"end_ticks": 2**63}, "steps from 6000 to 9223372036854775808 ticks"),
        ({"number": 1}, "of other channels than the run"),
    ],
)
def test_steps_that_cannot_be_are_told(changes, text):
    if "number" in changes:
        lie = replace(step(), channels=(replace(step().channels[0], number=1),))
    else:
        lie = step(**changes)
    assert text in "; ".join(step_contradictions([lie], [channel()], RUN))
    assert step_contradictions([step()], [channel()], RUN) == []


@pytest.fixture(scope="module")
def result():
    return run()[0]


def test_a_run_that_agrees_with_itself_passes_as_it_is(result):
    assert result.valid
    assert contradictions_of(result) == ()
    assert consistent(result) is result


def test_what_contradicts_itself_is_left_out_and_said_once(result):
    first, second = result.channels
    rise, *others = first.measurements
    lie = replace(rise, statistics=replace(rise.statistics, min_ticks=2**40))
    told = replace(result, channels=(replace(first, measurements=(lie, *others)), second))
    sifted = consistent(told)
    assert not sifted.valid
    assert [entry.kind for entry in sifted.channels[0].measurements] == [e.kind for e in others]
    assert sifted.channels[1] == second
    assert sifted.invalid_reasons == contradictions_of(told)
    assert consistent(sifted) is sifted
    gone = replace(result, channels=(replace(first, pending=2**63), second))
    assert consistent(gone).channels == (second,)


def test_steps_are_left_out_together(result):
    wrong = replace(result, steps=(step(),))
    assert consistent(wrong).steps == ()
    assert not consistent(wrong).valid


def test_a_run_whose_end_was_not_seen_has_wide_limits(result):
    first, second = result.channels
    rise, *others = first.measurements
    after = replace(rise.statistics, max_time_ticks=result.end_ticks + 5)
    kept = (replace(first, measurements=(replace(rise, statistics=after), *others)), second)
    ended = replace(result, channels=kept)
    assert contradictions_of(ended)
    assert contradictions_of(replace(ended, stop_reason=StopReason.NONE)) == ()
    beyond = replace(rise.statistics, max_time_ticks=MOST_TICKS)
    kept = (replace(first, measurements=(replace(rise, statistics=beyond), *others)), second)
    assert contradictions_of(replace(result, channels=kept, stop_reason=StopReason.NONE))


def test_saturated_bins_are_known_by_the_flag(result):
    first, second = result.channels
    rise, *others = first.measurements
    bins = replace(rise.bins, counts=np.minimum(rise.bins.counts, np.uint64(9)))
    kept = (replace(first, measurements=(replace(rise, bins=bins), *others)), second)
    stopped = replace(result, channels=kept, flags=StatusFlag.BIN_SATURATED)
    assert contradictions_of(replace(stopped, flags=StatusFlag(0)))
    assert contradictions_of(stopped) == ()
