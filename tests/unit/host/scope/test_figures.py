# SPDX-License-Identifier: Apache-2.0
"""The table of a run under way: figures that can be counted by hand, and their alarms."""

import dataclasses
from dataclasses import replace

from plexor.figures.analyse.from_bins import of_bins
from plexor.figures.analyse.percentiles import from_values, quantile
from plexor.model.results import Kind
from plexor.scope.figures import HEADS, PERCENTILES, figures

from .shots import shot_of

NAMES = [name for name, _ in HEADS]


def row(found, number=0):
    return dict(zip(NAMES[1:], found["rows"][number]["cells"], strict=True))


def test_the_figures_of_a_channel_are_those_of_its_responses(run_of):
    cells = row(figures(shot_of(run_of([[1000] * 499 + [1200]]), elapsed_s=0.25)))
    assert cells["n"][0] == "500"
    assert cells["rate"][0] == "2 kHz"
    assert cells["min"][0] == "1 µs"
    assert cells["max seen"][0] == "1.2 µs"
    assert cells["peak-to-peak"][0] == "200 ns"
    # A deviation of 200 ticks with a share of 1/500: sqrt(p (1 - p)) * 200.
    assert cells["RMS"][0] == "8.935 ns"


def test_a_percentile_has_the_interval_that_the_report_gives_it(run_of):
    run = run_of([[1000 + 3 * n for n in range(600)]])
    cells = row(figures(shot_of(run)))
    known = quantile(of_bins(run.channels[0].measurement("rise")), PERCENTILES[0])
    assert cells["p50"][0] == f"≤ {known.value_ticks / 1000:.4g} µs"
    low, high = cells["p50"][1].removesuffix(" µs").split(" to ")
    assert (float(low), float(high)) == (
        float(f"{known.lower_ticks / 1000:.4g}"),
        float(f"{known.upper_ticks / 1000:.4g}"),
    )
    assert cells["p99.9"] == ("too few", "needs 3,688", False)


def test_strikes_and_edges_in_no_class_have_a_column_where_there_are_any(run_of):
    run = run_of([[1000, 1100], [2000, 2100]], names=["ISR", "TASK"])
    first = dataclasses.replace(run.channels[0], unknown_strikes=1200, unknown_edges=7)
    found = figures(shot_of(dataclasses.replace(run, channels=(first, run.channels[1]))))
    names = [name for name, _ in found["heads"]]
    assert names == [*NAMES[:7], "unknown", *NAMES[7:]]
    assert NAMES[6] == "spurious"
    place = names.index("unknown") - 1
    assert found["rows"][0]["cells"][place] == ("1,200", "and 7 edges", True)
    assert found["rows"][1]["cells"][place] == ("0", "", False)
    assert "unknown" not in [name for name, _ in figures(shot_of(run))["heads"]]


def test_the_maximum_has_its_time_in_the_run(run_of):
    run = run_of([[1000, 1000, 3000, 1000]], period=50_000)
    assert row(figures(shot_of(run)))["max seen"][1] == "at 103 µs"


def test_missed_strikes_and_a_broken_deadline_alarm(run_of):
    run = run_of([[1000, None, 3000]])
    late = dataclasses.replace(run.channels[0], deadline_ticks=2000)
    shot = shot_of(dataclasses.replace(run, channels=(late,)))
    cells = row(figures(shot))
    assert cells["missed"] == ("1", "", True)
    assert cells["max seen"][2]
    assert not cells["duplicate"][2]
    assert not row(figures(shot_of(run)))["max seen"][2]


def test_a_channel_that_never_answers_has_a_row_without_times(run_of):
    found = figures(shot_of(run_of([[None] * 4])))
    assert row(found)["p50"] == ("-", "", False)
    assert row(found)["RMS"] == ("-", "", False)
    assert found["rows"][0]["quantiles"] == {}


def test_a_percentile_of_exact_latencies_is_itself(run_of):
    """Of 9,576 ticks 600 times, and bins of 1.6 %: the bin ends at 9,599."""
    run = run_of([[9500, *[9576] * 600, 9700]])
    exact = {(0, Kind.RISE): from_values([9500, *[9576] * 600, 9700])}
    assert row(figures(shot_of(run)))["p50"][0].startswith("≤ ")
    assert row(figures(replace(shot_of(run), exact=exact)))["p50"][0] == "9.576 µs"


def test_latencies_that_may_be_those_of_other_strikes_are_none_at_the_end(run_of):
    """The report of such a run has none either."""
    run = run_of([[1000, 2000]])
    found = row(figures(replace(shot_of(run), unpaired=frozenset({0}))))
    assert found["n"][0] == "2"
    assert {found[name][0] for name in ("min", "p50", "max seen", "RMS")} == {"-"}


def test_percentiles_and_the_greatest_have_room_for_a_note():
    noted = [name for name, has_notes in HEADS if has_notes]
    assert noted == ["p50", "p99", "p99.9", "max seen"]
