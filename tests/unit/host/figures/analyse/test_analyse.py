# SPDX-License-Identifier: Apache-2.0
"""From a run to its figures: planted latencies in, hand-computed figures out."""

import dataclasses
from fractions import Fraction

from plexor.figures.analyse.analyse import analyse
from plexor.model.results import Accounting, Kind
from plexor.protocol.memory import ResponseClass

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


def test_a_base_of_12_ticks_is_taken_off_every_latency_and_clamped_at_zero(run_of):
    run = run_of([[61, 64, 12, 11, 30]])
    rise = analyse(run, base_ticks=12).channels[0].rise
    assert rise.samples.value_ticks.tolist() == [49, 52, 0, 0, 18]
    assert (rise.min_ticks, rise.max_ticks, rise.clamped) == (0, 52, 1)
    assert rise.mean_ticks == Fraction(119, 5)
    assert analyse(run, base_ticks=12).channels[0].kinds[Kind.WIDTH].max_ticks == 100


def test_a_million_samples_have_the_exact_variance_of_their_sums(run_of):
    # A billion ticks and 0, 1, 2, ... more: n numbers in a row have a variance of (n² - 1) / 12.
    count, base = 10**6, 10**9
    steps = count * (count - 1) // 2
    squares = (count - 1) * count * (2 * count - 1) // 6
    run = run_of([[base]], keep_events=False, period=10**10)
    channel = run.channels[0]
    rise = channel.measurements[0]
    known = dataclasses.replace(
        rise.statistics,
        count=count,
        sum_ticks=count * base + steps,
        sum_sq_ticks2=count * base**2 + 2 * base * steps + squares,
    )
    rise = dataclasses.replace(rise, statistics=known)
    channel = dataclasses.replace(channel, measurements=(rise, *channel.measurements[1:]))
    found = analyse(dataclasses.replace(run, channels=(channel,))).channels[0].rise
    assert found.variance_ticks2 == Fraction(count**2 - 1, 12)


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


def test_a_run_without_a_response_has_no_figures(run_of):
    report = analyse(run_of([[None, None]]))
    assert report.channels[0].rise is None
    assert report.valid
    assert isinstance(report.result.accounting, Accounting)


def test_a_latency_of_an_ambiguous_pairing_has_no_figures_and_other_times_have_theirs(run_of):
    (known,) = analyse(run_of([[1000, 2000, 3000]], keep_events=False)).channels
    assert known.latency(Kind.RISE) is known.rise
    assert known.latency(Kind.FALL) is known.fall
    (doubted,) = analyse(run_of([[1000, None, 3000]], keep_events=False)).channels
    assert not doubted.paired
    assert doubted.latency(Kind.RISE) is doubted.latency(Kind.FALL) is None
    assert doubted.latency(Kind.WIDTH) is doubted.kinds[Kind.WIDTH]
    assert doubted.kinds[Kind.WIDTH].count == 2


def test_a_channel_is_silent_if_it_was_struck_and_answered_no_strike(run_of):
    def silent(latencies, **classes):
        run = run_of([latencies])
        (channel,) = run.channels
        counts = {**channel.classes, **{ResponseClass[name]: n for name, n in classes.items()}}
        changed = dataclasses.replace(channel, classes=counts)
        return analyse(dataclasses.replace(run, channels=(changed,))).channels[0].silent

    assert silent([None, None])
    assert not silent([None, 1000])
    assert not silent([None, None], LATE=1, MISSED=1)
    assert silent([None, None], SPURIOUS=3)
    assert not silent([None, None], STRIKES=0, MISSED=0)
