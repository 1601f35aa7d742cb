"""From a run to its figures: planted latencies in, hand-computed figures out."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

from plexor.analyse.analyse import analyse
from plexor.analyse.from_bins import less_base, of_bins
from plexor.analyse.percentiles import from_cells, from_values
from plexor.model.results import Accounting, Bins, Kind, Measurement, Statistics, Zoom
from plexor.render.table import share_rows

P50, P99, P999 = Fraction(1, 2), Fraction(99, 100), Fraction(999, 1000)


def test_figures_of_planted_latencies_are_exact(run_of):
    rise = analyse(run_of([[2000, 4000, 4000, 4000, 5000, 5000, 7000, 9000]])).channels[0].rise
    assert (rise.count, rise.min_ticks, rise.max_ticks) == (8, 2000, 9000)
    assert rise.mean_ticks == 5000
    assert rise.variance_ticks2 == 4_000_000
    assert rise.rms_ticks == 2000.0
    assert rise.peak_to_peak_ticks == 7000
    assert rise.span.current_ticks == 7000
    assert rise.quantile(P50).value_ticks == 4000
    assert rise.quantile(P50).resolution_ticks == 1
    assert rise.max_time_ticks == 7 * 50_000 + 9000


def test_without_events_quantiles_come_from_bins_and_say_how_fine_they_are(run_of):
    values = [1000 + n for n in range(1000)]
    rise = analyse(run_of([values], keep_events=False)).channels[0].rise
    # 1499 lies in the bin of 1488 to 1503: octave from 1024, 16 ticks wide.
    assert rise.quantile(P50).value_ticks == 1503
    assert rise.quantile(P50).resolution_ticks == 16
    assert (rise.min_ticks, rise.max_ticks) == (1000, 1999)
    assert rise.span is None
    assert rise.quantile(Fraction(9999, 10000)).value_ticks == 1999  # the exact maximum bounds it


def test_a_percentile_with_too_few_samples_has_no_upper_bound(run_of):
    rise = analyse(run_of([[1000] * 400])).channels[0].rise
    assert rise.quantile(P99).enough
    assert not rise.quantile(P999).enough


def test_the_first_response_stands_apart(run_of):
    rise = analyse(run_of([[9000, 1000, 1200, 1100]])).channels[0].rise
    assert (rise.cold.cold_ticks, rise.cold.warm_max_ticks) == (9000, 1200)


def test_the_three_parts_of_a_task_latency_add_up_strike_by_strike(run_of):
    random = np.random.default_rng(5)
    isr = random.integers(1000, 2000, 300).tolist()
    width = random.integers(200, 900, 300).tolist()
    gap = random.integers(50, 4000, 300).tolist()
    task = [a + b + c for a, b, c in zip(isr, width, gap, strict=True)]
    report = analyse(run_of([isr, task], widths=[width, [77] * 300]))
    found = report.shares[0].shares
    assert (report.shares[0].first, report.shares[0].second) == ("ISR", "TASK")
    assert found.rise_ticks.tolist() == isr
    assert found.width_ticks.tolist() == width
    assert found.gap_ticks.tolist() == gap
    assert found.total_ticks.tolist() == task
    assert found.broken == 0


def test_a_base_is_taken_off_where_a_latency_begins_and_off_the_whole(run_of):
    run = run_of([[61, 64, 11], [500, 600, 700]], widths=[[100, 200, 300], [77] * 3])
    report = analyse(run, base_ticks=12)
    found = report.shares[0].shares
    assert found.rise_ticks.tolist() == [49, 52, 0]
    assert found.width_ticks.tolist() == [100, 200, 300]
    assert found.total_ticks.tolist() == [488, 588, 689]
    assert found.broken == 0
    head, rows = share_rows(report)
    assert rows[0][head.index("strike to rise")][1] == "0 s to 52 ns"


def test_a_strike_that_one_pin_missed_has_no_shares(run_of):
    report = analyse(run_of([[1000, 1100, 1200], [5000, None, 6000]]))
    assert report.shares[0].shares.total_ticks.tolist() == [5000, 6000]


def test_a_base_of_12_ticks_is_taken_off_every_latency_and_clamped_at_zero(run_of):
    run = run_of([[61, 64, 12, 11, 30]])
    rise = analyse(run, base_ticks=12).channels[0].rise
    assert rise.samples.value_ticks.tolist() == [49, 52, 0, 0, 18]
    assert (rise.min_ticks, rise.max_ticks, rise.clamped) == (0, 52, 1)
    assert rise.mean_ticks == Fraction(119, 5)
    assert analyse(run, base_ticks=12).channels[0].kinds[Kind.WIDTH].max_ticks == 100


def test_a_base_on_bins_keeps_every_sample():
    cells = from_cells(np.array([8, 12, 64]), np.array([9, 13, 66]), np.array([2, 3, 4]))
    less, clamped = less_base(cells, 12)
    assert clamped == 2
    assert less.low_ticks.tolist() == [0, 52]
    assert less.high_ticks.tolist() == [1, 54]
    assert less.counts.tolist() == [5, 4]


def test_a_base_inside_of_a_bin_leaves_one_cell_at_zero():
    cells = from_cells(np.array([8, 64, 80]), np.array([9, 72, 88]), np.array([2, 3, 4]))
    less, clamped = less_base(cells, 66)
    assert clamped == 5
    assert less.low_ticks.tolist() == [0, 14]
    assert less.high_ticks.tolist() == [6, 22]
    assert less.counts.tolist() == [5, 4]


def test_a_negative_base_is_refused():
    with pytest.raises(ValueError, match="base_ticks: -1"):
        less_base(from_values([1]), -1)


def test_a_base_on_bins_shifts_mean_and_variance_exactly(run_of):
    rise = analyse(run_of([[100, 200, 300]], keep_events=False), base_ticks=50).channels[0].rise
    assert rise.mean_ticks == 150
    assert rise.variance_ticks2 == Fraction(20_000, 3)


def test_lost_events_are_not_analysed_as_if_complete(run_of):
    run = run_of([[1000, 2000, 3000]])
    lost = dataclasses.replace(
        run.accounting,
        received=11,
        lost_on_link=1,
        sources=tuple(
            dataclasses.replace(entry, received=entry.received - (entry.source == 0))
            for entry in run.accounting.sources
        ),
    )
    report = analyse(dataclasses.replace(run, accounting=lost, events=run.events[:-1]))
    assert report.channels[0].rise.samples is None
    assert report.channels[0].rise.count == 3


def test_events_that_contradict_the_chip_make_the_run_invalid(run_of):
    run = run_of([[1000, 2000, 3000]])
    events = run.events.copy()
    events["time_ticks"][-3] += 7
    report = analyse(dataclasses.replace(run, events=events))
    assert not report.valid
    assert "ISR rise" in report.invalid_reasons[0]
    # What is shown then is the chip's.
    assert report.channels[0].rise.samples is None
    assert report.channels[0].rise.max_ticks == 3000


def test_a_recording_without_its_rules_is_judged_by_the_chip(run_of):
    run = run_of([[1000, 2000, 3000]])
    events = run.events.copy()
    events["time_ticks"][-3] += 7
    report = analyse(dataclasses.replace(run, events=events, registers=()))
    assert report.valid
    assert report.channels[0].rise.samples is None
    assert report.channels[0].rise.max_ticks == 3000


def test_the_window_of_one_tick_bins_refines_what_it_covers():
    # Six samples in the bin of 1024 to 1039 (16 ticks wide), window from 1030 of 6 inner bins.
    counts = np.zeros(1 << 11, np.uint64)
    counts[320] = 6  # octave 4 of 64 bins each: 4 * 64 + 64
    zoom = np.array([2, 0, 1, 0, 0, 2, 0, 1], np.uint64)  # 1031 once, 1034 twice; 2 under, 1 over
    statistics = Statistics(6, 6 * 1030, None, 1024, 1039)
    found = of_bins(Measurement(Kind.RISE, statistics, Bins(6, counts), Zoom(1030, zoom)))
    assert found.low_ticks.tolist() == [1024, 1031, 1034]
    assert found.high_ticks.tolist() == [1030, 1032, 1035]
    assert found.counts.tolist() == [3, 1, 2]


def test_negative_and_huge_values_keep_their_cells():
    counts = np.zeros(1 << 11, np.uint64)
    counts[2047], counts[5], counts[2046] = 2, 1, 1
    statistics = Statistics(4, 0, None, -40, (1 << 31) + 5)
    found = of_bins(Measurement(Kind.RISE, statistics, Bins(6, counts)))
    assert found.low_ticks.tolist() == [-40, 5, (1 << 31) - 1]
    assert found.high_ticks.tolist() == [0, 6, (1 << 31) + 6]


def test_a_run_without_a_response_has_no_figures(run_of):
    report = analyse(run_of([[None, None]]))
    assert report.channels[0].rise is None
    assert report.valid
    assert isinstance(report.result.accounting, Accounting)
