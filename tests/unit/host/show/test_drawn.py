# SPDX-License-Identifier: Apache-2.0
"""The data of a report's pictures: every response, in the cells and in the slices of time."""

import numpy as np
import pytest

from plexor.figures.analyse.analyse import analyse
from plexor.show.drawn import MOST_CELLS, MOST_COUNTS, MOST_ROWS, run_data

from .runs_to_draw import KINDS


def spread(cells):
    """Return all values of cells, each as often as it was counted; cells one tick wide."""
    low, widths, counts = cells
    assert widths == []
    return [value for value, count in zip(low, counts, strict=True) for _ in range(count)]


def test_a_histogram_holds_each_response_at_its_tick(run_of):
    values = [2000, 2000, 2111, 40_000, 2000, None]
    (channel,) = run_data(analyse(run_of([values])))["channels"]
    rises = sorted(value for value in values if value is not None)
    assert spread(channel["rise"]) == rises
    assert spread(channel["fall"]) == [value + 100 for value in rises]
    assert (channel["min"], channel["max"], channel["traces"]) == (2000, 40_000, 6)
    assert channel["last"] == (2000, 2100)
    assert channel["worst"] == (40_000, 40_100)


def test_a_histogram_of_too_many_values_is_that_of_the_chips_bins(run_of):
    values = list(range(1000, 1000 + 2 * MOST_CELLS))
    (channel,) = run_data(analyse(run_of([values])))["channels"]
    low, widths, counts = channel["rise"]
    assert len(low) < MOST_CELLS
    assert len(widths) == len(low)
    assert sum(counts) == len(values)


def test_slices_of_time_hold_each_response_where_it_came(run_of):
    values = [1000] * 60 + [5000] * 60
    data = run_data(analyse(run_of([values])))
    rows, edges = data["rows"], data["edges"]
    total = 0
    for place, row in enumerate(rows):
        for number, first, counts in row["parts"]:
            assert number == 0
            total += sum(counts)
            cells = [first + n for n, count in enumerate(counts) if count]
            middle = (place + 0.5) / len(rows)
            for cell in cells:
                value = 1000 if middle < 0.5 else 5000
                if abs(middle - 0.5) > 0.02:
                    assert edges[cell] <= value < edges[cell + 1]
    assert total == 120
    ends = [row["end"] for row in rows]
    assert rows[0]["start"] == 0
    assert np.allclose([row["start"] for row in rows[1:]], ends[:-1])


def test_early_responses_lie_in_a_cell_below_zero(run_of):
    (channel,) = run_data(analyse(run_of([[-300, 200, 400]])))["channels"]
    assert channel["min"] == channel["rise"][0][0] == -300
    assert sum(channel["rise"][2]) == 3


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_run_has_data_of_a_bounded_size(runs, kind):
    data = run_data(analyse(runs[kind]))
    assert len(data["rows"]) <= MOST_ROWS
    sizes = [len(counts) for row in data["rows"] for _, _, counts in row["parts"]]
    assert sum(sizes) <= MOST_COUNTS
    answered = [c for c in analyse(runs[kind]).channels if c.rise is not None]
    assert len(data["channels"]) == len(answered)


def test_a_run_without_samples_has_no_slices(runs):
    data = run_data(analyse(runs["bins"]))
    assert data["rows"] == []
    assert data["channels"][0]["last"] is None
    assert data["channels"][0]["worst"][1] is None


def test_the_cells_of_slices_are_those_below_zero_each_bin_and_all_above(run_of):
    """A bin of 5 bits is a tick wide below 64, then two; the greatest value is 2^31 - 1."""
    edges = run_data(analyse(run_of([[1000] * 10])))["edges"]
    assert edges[:65] == list(range(-1, 64))
    assert edges[65:68] == [64, 66, 68]
    assert edges[-2:] == [2**31 - 1, 2**31]


def test_the_wider_the_latencies_spread_the_fewer_slices_have_their_counts(run_of):
    """Two latencies 2^n apart have 32 n bins between them, which each slice may hold."""
    rng = np.random.default_rng(1)
    rows = []
    for bits in (6, 10, 20, 30):
        values = rng.choice([64, 2**bits], 2000).tolist()
        data = run_data(analyse(run_of([values, values, values], period=2**31)))
        sizes = [len(counts) for row in data["rows"] for _, _, counts in row["parts"]]
        assert sum(sizes) <= MOST_COUNTS
        assert len(data["rows"]) == MOST_ROWS or sum(sizes) > MOST_COUNTS // 2
        assert sum(sum(counts) for row in data["rows"] for _, _, counts in row["parts"]) == 6000
        rows.append(len(data["rows"]))
    assert rows == sorted(rows, reverse=True)
    assert MOST_ROWS == rows[0] > rows[1] > rows[2] > rows[3]
