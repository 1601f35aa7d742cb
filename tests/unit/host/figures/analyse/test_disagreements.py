# SPDX-License-Identifier: Apache-2.0
"""What complete events say of a channel against what the chip has counted, to the last square."""

from dataclasses import replace

import numpy as np
import pytest

from plexor.figures.analyse.analyse import analyse, samples_of
from plexor.figures.analyse.disagreements import differences
from plexor.model.results import Kind, Zoom
from plexor.protocol.memory import VALUE_MOST, ResponseClass

LATENCIES = [100, None, 300, 200]
LONG = VALUE_MOST + 7


@pytest.fixture
def run(run_of):
    return run_of([LATENCIES])


def said(run, channel):
    return differences(channel, samples_of(run, run.channels[0]))


def with_kind(run, kind, **changes):
    kinds = tuple(
        replace(entry, **changes) if entry.kind == kind else entry
        for entry in run.channels[0].measurements
    )
    return replace(run.channels[0], measurements=kinds)


def test_a_chip_that_counted_all_events_agrees(run):
    assert said(run, run.channels[0]) == []


@pytest.mark.parametrize("entry", ResponseClass)
def test_each_class_is_that_of_the_events(run, entry):
    known = run.channels[0].classes
    channel = replace(run.channels[0], classes=dict(known) | {entry: known[entry] + 1})
    assert said(run, channel) == [
        f"ISR: the events have {known[entry]} {entry.name.lower()}, the chip has {known[entry] + 1}"
    ]


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize(
    "field", ["sum_sq_ticks2", "min_index", "max_index", "min_time_ticks", "max_time_ticks"]
)
@pytest.mark.parametrize("more", [-1, 1])
def test_each_figure_is_that_of_the_events(run, kind, field, more):
    statistics = run.channels[0].measurement(kind).statistics
    value = getattr(statistics, field)
    wrong = with_kind(run, kind, statistics=replace(statistics, **{field: value + more}))
    (text,) = said(run, wrong)
    assert text.startswith(f"ISR {kind.value}: the events have the ")
    assert text.endswith(f"{value}, the chip has {value + more}")


def test_what_a_chip_does_not_keep_is_not_compared(run):
    statistics = run.channels[0].measurement(Kind.RISE).statistics
    less = replace(statistics, sum_sq_ticks2=None, max_index=None, max_time_ticks=None)
    assert said(run, with_kind(run, Kind.RISE, statistics=less)) == []


def test_what_the_host_worked_out_is_not_compared(run):
    statistics = run.channels[0].measurement(Kind.WIDTH).statistics
    wrong = replace(statistics, sum_ticks=1)
    assert said(run, with_kind(run, Kind.WIDTH, statistics=wrong, on_chip=False)) == []


def test_a_value_over_the_limit_of_the_chip_is_compared_as_recorded(run_of):
    run = run_of([[500, 500]], widths=[[1000, LONG]], period=2 * LONG)
    assert run.channels[0].measurement(Kind.WIDTH).statistics.max_ticks == VALUE_MOST
    assert analyse(run).valid
    statistics = run.channels[0].measurement(Kind.WIDTH).statistics
    # A chip that kept the value itself would be another instrument.
    wrong = replace(statistics, max_ticks=LONG, sum_ticks=1000 + LONG)
    (text,) = said(run, with_kind(run, Kind.WIDTH, statistics=wrong))
    assert f"min, max (2, {1000 + VALUE_MOST}, 1000, {VALUE_MOST}), the chip has" in text


@pytest.mark.parametrize("values", [[100, 103, 106], [101, 102, 107], [99, 107, 300]])
@pytest.mark.parametrize("place", range(8))
def test_each_sample_is_in_its_place_of_the_window(run_of, values, place):
    """A window of 8 places from 101 ticks: below it, 101 to 106, and 107 or more."""
    right = [0] * 8
    for value in values:
        right[0 if value < 101 else 7 if value > 106 else value - 100] += 1
    run = run_of([values])

    def window(counts):
        zoom = Zoom(101, np.array(counts, np.uint64))
        channel = with_kind(run, Kind.RISE, zoom=zoom)
        return differences(channel, samples_of(run, run.channels[0]))

    assert window(right) == []
    moved = right.copy()
    moved[place] += 1
    moved[right.index(max(right))] -= 1
    if moved != right:
        assert window(moved) == [
            "ISR rise: the window computed from the events differs from the chip's"
        ]
