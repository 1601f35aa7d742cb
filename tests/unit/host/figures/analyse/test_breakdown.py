# SPDX-License-Identifier: Apache-2.0
"""Where a latency goes: parts that add up strike by strike, or are counted as broken."""

import numpy as np

from plexor.figures.analyse.analyse import analyse
from plexor.figures.analyse.breakdown import Shares, shares
from plexor.figures.analyse.samples import ChannelSamples, Samples
from plexor.show.table import share_rows


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
    report = analyse(run_of([[1000, 1100, 1200], [5000, 6000, None]]))
    assert report.shares[0].shares.total_ticks.tolist() == [5000, 6000]


def test_a_latency_goes_no_way_that_ends_after_it(run_of):
    # A pin that toggles is high until the next strike, and the second pin answers before that.
    latency, late = [[100] * 4, [300] * 4], [[500] * 4, [77] * 4]
    assert analyse(run_of(latency, widths=late)).shares == ()
    assert share_rows(analyse(run_of(latency, widths=late)))[1] == []
    # One of three is preempted.
    mostly = [[150, 500, 150], [77] * 3]
    assert len(analyse(run_of([[100] * 3, [300] * 3], widths=mostly)).shares) == 1


def samples(*rows):
    """Return samples of (start, end) ticks, in the order of their ends."""
    start, end = (np.array([row[place] for row in rows], np.int64) for place in (0, 1))
    return Samples(end - start, end, np.arange(len(rows)), start)


def test_strikes_out_of_order_are_joined_by_their_own_times():
    # The response to the second strike comes first: a policy may have it so.
    first = ChannelSamples(
        rise=samples((200, 210), (100, 230)),
        fall=samples((200, 215), (100, 237)),
        width=samples((210, 215), (230, 237)),
        period=samples(),
    )
    second = ChannelSamples(samples((100, 300), (200, 301)), samples(), samples(), samples())
    found = shares(first, second)
    assert found.rise_ticks.tolist() == [130, 10]
    assert found.width_ticks.tolist() == [7, 5]
    assert found.gap_ticks.tolist() == [300 - 237, 301 - 215]
    assert found.total_ticks.tolist() == [200, 101]
    assert found.broken == 0


def test_a_width_of_another_rise_breaks_the_identity():
    # The fall at 50 ends a width that did not begin with the strike's own rise.
    first = ChannelSamples(
        samples((0, 10), (100, 110)),
        samples((0, 50), (100, 120)),
        samples((40, 50), (110, 120)),
        samples(),
    )
    second = ChannelSamples(samples((0, 90), (100, 130)), samples(), samples(), samples())
    found = shares(first, second)
    assert found.width_ticks.tolist() == [-1, 10]
    assert found.broken == 1


def test_a_base_takes_no_more_than_a_rise_has_and_nothing_of_an_early_one():
    first = ChannelSamples(
        samples((100, 95), (200, 204), (300, 320)),
        samples((100, 99), (200, 210), (300, 330)),
        samples((95, 99), (204, 210), (320, 330)),
        samples(),
    )
    second = ChannelSamples(
        samples((100, 150), (200, 250), (300, 350)), samples(), samples(), samples()
    )
    found = shares(first, second, base_ticks=10)
    assert found.rise_ticks.tolist() == [-5, 0, 10]
    assert found.total_ticks.tolist() == [50, 46, 40]
    assert found.broken == 0


def test_broken_strikes_are_counted():
    ones = np.ones(3, np.int64)
    assert Shares(ones, ones, ones, np.array([3, 4, 2])).broken == 2
