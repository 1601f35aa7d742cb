# SPDX-License-Identifier: Apache-2.0
"""What is kept of a run: exact figures, histograms, and an identity of its content."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from plexor.figures.analyse.analyse import analyse
from plexor.files.archive.origin import Origin
from plexor.files.archive.record import MOST_CELLS, record, started_of
from plexor.model.results import Kind
from plexor.protocol.memory import ResponseClass

from ...conftest import make_run
from .planted import BEGAN, SAMPLES, latencies, planted


def of(run, origin=None):
    return record(analyse(run), origin or Origin())


def test_counts_sums_and_extremes_are_those_of_the_samples():
    values = latencies(1000)
    row = next(row for row in of(planted(1000)).rows if row.kind == Kind.RISE)
    assert (row.channel, row.reference, row.number, row.pending) == ("ISR", "strike0", 0, 0)
    assert row.classes[ResponseClass.ANSWERED] == row.classes[ResponseClass.STRIKES] == SAMPLES
    assert row.count == SAMPLES
    assert row.sum_ticks == sum(values)
    assert row.sum_sq_ticks2 == sum(value**2 for value in values)
    assert (row.min_ticks, row.max_ticks) == (1000, 1009)
    # 400 samples are enough for an upper bound of p99, which takes 368, and of nothing beyond.
    assert dict(row.percentiles) == {
        "p50": 1007,  # the last tick of a bin of 8 ticks
        "p90": 1007,
        "p99": 1007,
        "p99.9": None,
        "p99.99": None,
    }


def test_a_histogram_holds_every_value_with_its_count():
    values = [1000, 1000, 1003, 1500, None]
    row = of(make_run([values])).rows[0]
    assert (row.low_ticks, row.width_ticks, row.counts) == (
        (1000, 1003, 1500),
        (1, 1, 1),
        (2, 1, 1),
    )


def test_a_histogram_of_too_many_values_is_kept_in_the_chip_s_bins():
    values = list(range(5000, 5000 + 2 * MOST_CELLS, 1))
    row = of(make_run([values], period=200_000)).rows[0]
    assert len(row.counts) < 200
    assert sum(row.counts) == len(values)
    assert max(row.width_ticks) > 1
    assert (row.low_ticks[0], row.low_ticks[-1] + row.width_ticks[-1]) == (5000, values[-1] + 1)


def test_all_kinds_of_all_channels_are_kept():
    rows = of(planted(1000, names=("ISR", "TASK"))).rows
    assert [(row.channel, row.kind) for row in rows] == [
        (name, kind) for name in ("ISR", "TASK") for kind in Kind
    ]


def test_a_channel_of_which_nothing_was_measured_keeps_its_counts():
    run = planted(1000)
    run = replace(run, channels=(replace(run.channels[0], measurements=()),))
    (row,) = of(run).rows
    assert row.kind is None
    assert row.classes[ResponseClass.STRIKES] == SAMPLES


def test_a_run_without_a_response_is_kept():
    row = of(make_run([[None] * 5])).rows[0]
    assert (row.count, row.sum_ticks, row.min_ticks, row.counts) == (0, None, None, ())


def test_an_identity_is_of_all_content_and_of_nothing_else():
    run = planted(1000)
    known = of(run)
    assert of(planted(1000)).run == known.run
    assert of(run, Origin("f" * 40, "main", True)).run == known.run
    others = (
        planted(1001),
        planted(1000, most=1011),
        planted(1000, 1),
        replace(run, device={"os": "Zephyr"}),
        replace(run, wall_seconds=1.25),
        replace(run, interrupted=True),
        replace(run, invalid_reasons=("a bin is full",)),
    )
    assert len({known.run, *(of(other).run for other in others)}) == 1 + len(others)


def test_identities_rise_with_the_time():
    names = [of(planted(1000, number)).run for number in range(4)]
    assert names == sorted(names)
    assert names[0].startswith(f"{BEGAN:%Y%m%dT%H%M%S}-")


def test_an_invalid_run_is_kept_with_its_reasons():
    kept = of(planted(1000, invalid_reasons=("a bin is full", "a clock was lost")))
    assert not kept.valid
    assert kept.invalid_reasons == ("a bin is full", "a clock was lost")


@pytest.mark.parametrize(
    ("text", "began"),
    [
        ("2026-11-21T08:00:00Z", datetime(2026, 11, 21, 8, tzinfo=UTC)),
        ("2026-11-21T08:00:00+00:00", datetime(2026, 11, 21, 8, tzinfo=UTC)),
        ("2026-11-21T08:00:00+02:00", datetime(2026, 11, 21, 6, tzinfo=UTC)),
        ("2026-11-21T08:00:00", datetime(2026, 11, 21, 8, tzinfo=UTC)),
        ("", None),
        ("yesterday", None),
        ("0001-01-01T00:00:00+14:00", None),
    ],
)
def test_a_start_is_read_in_utc_or_not_known(text, began):
    assert started_of(text) == began
    name = of(planted(1000, started=text)).run
    assert name.startswith("00000000T000000-" if began is None else f"{began:%Y%m%dT%H%M%S}-")


def test_an_identity_does_not_depend_on_the_order_of_keys():
    keys = {"os": "Zephyr", "board": "hx8k", "größe": "µ"}
    runs = [
        replace(planted(1000), device=own, versions=own)
        for own in (keys, dict(reversed(keys.items())))
    ]
    assert of(runs[0]).run == of(runs[1]).run
