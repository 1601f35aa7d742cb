# SPDX-License-Identifier: Apache-2.0
"""The golden matcher against scenarios worked by hand from docs/instrument.md."""

import numpy as np
import pytest

from plexor.protocol.memory import ResponseClass as Class
from plexor.protocol.registers import Policy
from plexor_sim.golden.edges import Events
from plexor_sim.golden.matcher import Rules, match

STRIKE, OTHER, OWN = 8, 1, 0


def rules(**values):
    base = {"timeout_ticks": 100, "deadline_ticks": 50, "queue_depth": 4}
    return Rules(OWN, STRIKE, 1, **base | values)


def events(text):
    """Return events from words such as s10 (strike), r12 (response), b20 (its edge back)."""
    kinds = {"s": (STRIKE, 1), "r": (OWN, 1), "b": (OWN, 0), "o": (OTHER, 1), "c": (OTHER, 0)}
    words = text.split()
    return Events(
        np.array([int(word[1:]) for word in words], np.int64),
        np.array([kinds[word[0]][0] for word in words], np.uint8),
        np.array([kinds[word[0]][1] for word in words], np.bool_),
        np.arange(len(words), dtype=np.int64),
    )


def counts(text, end, **values):
    """Return the classes that are not 0, by lower-case name, and pending."""
    result = match(events(text), values.pop("by", None) or rules(**values), end)
    named = {c.name.lower(): result.classes[c] for c in Class if result.classes[c]}
    return named | ({"pending": result.pending} if result.pending else {})


def triples(samples):
    return list(
        zip(
            samples.value_ticks.tolist(),
            samples.index.tolist(),
            samples.time_ticks.tolist(),
            strict=True,
        )
    )


def test_a_latency_equal_to_the_deadline_is_answered():
    assert counts("s10 r60", 1000) == {"strikes": 1, "answered": 1}


def test_a_latency_one_tick_over_the_deadline_is_late():
    assert counts("s10 r61", 1000) == {"strikes": 1, "late": 1}


def test_the_omac_limit_of_100_us_is_decided_to_the_tick():
    limit = {"deadline_ticks": 100_000, "timeout_ticks": 1_000_000}
    assert counts("s0 r100000", 10**7, **limit) == {"strikes": 1, "answered": 1}
    assert counts("s0 r100001", 10**7, **limit) == {"strikes": 1, "late": 1}


def test_a_response_at_the_time_out_is_late():
    assert counts("s10 r110", 1000) == {"strikes": 1, "late": 1}


def test_a_response_one_tick_after_the_time_out_finds_its_strike_missed():
    assert counts("s10 r111", 1000) == {"strikes": 1, "missed": 1, "spurious": 1}


@pytest.mark.parametrize(("end", "expected"), [(110, "pending"), (111, "missed")])
def test_a_strike_is_pending_until_it_is_older_than_the_time_out_at_the_end(end, expected):
    assert counts("s10", end) == {"strikes": 1, expected: 1}


def test_a_response_on_the_strikes_tick_has_latency_0():
    result = match(events("s10 r10"), rules(), 1000)
    assert triples(result.rise) == [(0, 1, 10)]
    assert result.classes[Class.ANSWERED] == 1


def test_oldest_keeps_latencies_of_several_periods():
    result = match(events("s0 s10 s20 r35 s40 r45 r55 r75"), rules(), 1000)
    assert triples(result.rise) == [(35, 3, 35), (35, 5, 45), (35, 6, 55), (35, 7, 75)]
    assert result.classes[Class.ANSWERED] == 4


def test_only_strikes_past_the_time_out_are_missed_and_the_next_is_answered():
    result = match(events("s0 s10 s20 r115"), rules(deadline_ticks=100), 1000)
    assert triples(result.rise) == [(95, 3, 115)]
    assert counts("s0 s10 s20 r115", 1000, deadline_ticks=100) == {
        "strikes": 3,
        "missed": 2,
        "answered": 1,
    }


def test_a_strike_that_finds_the_queue_full_is_missed_itself():
    expected = {"strikes": 3, "missed": 1, "queue_full": 1, "answered": 2}
    assert counts("s0 s1 s2 r10 r11", 1000, queue_depth=2) == expected
    result = match(events("s0 s1 s2 r10 r11"), rules(queue_depth=2), 1000)
    assert triples(result.rise) == [(10, 3, 10), (10, 4, 11)]


def test_strikes_that_time_out_make_room_for_the_strike_of_the_same_tick():
    expected = {"strikes": 3, "missed": 1, "pending": 2}
    assert counts("s0 s60 s101", 120, queue_depth=2) == expected


def test_latest_supersedes_the_strike_before():
    result = match(events("s0 s10 r15 r20"), rules(policy=Policy.LATEST), 1000)
    assert triples(result.rise) == [(5, 2, 15)]
    expected = {"strikes": 2, "missed": 1, "answered": 1, "duplicate": 1}
    assert counts("s0 s10 r15 r20", 1000, policy=Policy.LATEST) == expected


def test_latest_never_fills_its_queue():
    expected = {"strikes": 6, "missed": 5, "answered": 1}
    text = "s0 s1 s2 s3 s4 s5 r6"
    assert counts(text, 1000, policy=Policy.LATEST, queue_depth=4) == expected


@pytest.mark.parametrize(
    ("response", "expected"),
    [(29, {"spurious": 1, "pending": 1}), (30, {"answered": 1})],
)
def test_window_takes_a_response_from_its_least_latency_on(response, expected):
    window = {"policy": Policy.WINDOW, "window_min_ticks": 20}
    assert counts(f"s10 r{response}", 50, **window) == {"strikes": 1, **expected}


def test_window_looks_at_the_oldest_strike_only():
    result = match(
        events("s10 s25 r31 r44 r45"), rules(policy=Policy.WINDOW, window_min_ticks=20), 1000
    )
    assert triples(result.rise) == [(21, 2, 31), (20, 4, 45)]
    assert result.classes[Class.DUPLICATE] == 1


def test_the_window_minimum_is_ignored_by_other_policies():
    assert counts("s10 r11", 1000, window_min_ticks=20) == {"strikes": 1, "answered": 1}


def test_a_second_response_within_the_time_out_of_the_matched_strike_is_a_duplicate():
    expected = {"strikes": 1, "answered": 1, "duplicate": 1}
    assert counts("s10 r20 b21 r110", 1000) == expected


def test_a_second_response_past_the_time_out_of_the_matched_strike_is_spurious():
    expected = {"strikes": 1, "answered": 1, "spurious": 1}
    assert counts("s10 r20 b21 r111", 1000) == expected


def test_a_response_before_any_match_is_spurious():
    assert counts("r5 b6", 1000) == {"spurious": 1}
    assert counts("s0 r101 b102", 1000) == {"strikes": 1, "missed": 1, "spurious": 1}


def test_an_early_response_has_a_negative_latency_at_the_strikes_index_and_time():
    result = match(events("r10 b12 s30"), rules(early_ticks=20), 1000)
    assert triples(result.rise) == [(-20, 2, 30)]
    assert triples(result.fall) == []
    assert triples(result.width) == [(2, 1, 12)]
    expected = {"strikes": 1, "answered": 1, "early": 1}
    assert counts("r10 b12 s30", 1000, early_ticks=20) == expected


def test_a_response_earlier_than_early_ticks_is_unmatched_and_the_strike_waits():
    expected = {"strikes": 1, "spurious": 1, "pending": 1}
    assert counts("r10 b12 s31", 100, early_ticks=20) == expected


def test_an_early_latency_over_a_negative_deadline_is_late():
    late = {"strikes": 1, "late": 1, "early": 1}
    on_time = {"strikes": 1, "answered": 1, "early": 1}
    assert counts("r10 s19", 1000, early_ticks=20, deadline_ticks=-10) == late
    assert counts("r10 s20", 1000, early_ticks=20, deadline_ticks=-10) == on_time


def test_a_strike_that_an_early_response_answers_never_enters_the_queue():
    expected = {"strikes": 1, "answered": 1, "early": 1, "duplicate": 1}
    assert counts("r10 b12 s30 r40", 1000, early_ticks=20) == expected


def test_an_early_match_leaves_a_strike_below_the_window_minimum_outstanding():
    values = {"policy": Policy.WINDOW, "window_min_ticks": 10, "early_ticks": 20}
    result = match(events("s0 r5 b6 s20 r21"), rules(**values), 1000)
    assert triples(result.rise) == [(-15, 3, 20), (21, 4, 21)]
    assert result.classes[Class.ANSWERED] == 2


def test_a_second_early_response_settles_the_one_held_before():
    result = match(events("r10 b12 r15 b17 s20"), rules(early_ticks=20), 1000)
    assert triples(result.rise) == [(-5, 4, 20)]
    expected = {"strikes": 1, "answered": 1, "early": 1, "spurious": 1}
    assert counts("r10 b12 r15 b17 s20", 1000, early_ticks=20) == expected


def test_a_held_response_is_settled_by_its_own_time_not_by_the_time_of_settling():
    expected = {"strikes": 1, "answered": 1, "duplicate": 1}
    assert counts("s0 r10 b11 r100 b110", 5000, early_ticks=40) == expected
    expected = {"strikes": 1, "answered": 1, "spurious": 1}
    assert counts("s0 r10 b11 r101 b110", 5000, early_ticks=40) == expected


def test_a_held_response_is_settled_at_the_end_of_the_run():
    assert counts("r10", 11, early_ticks=100) == {"spurious": 1}


def test_a_falling_edge_of_another_channel_is_a_strike_with_its_own_latency():
    task = Rules(OWN, OTHER, 0, timeout_ticks=100, deadline_ticks=50)
    result = match(events("s0 o10 c14 r40 s200 o210 c216 r230"), task, 1000)
    assert triples(result.rise) == [(26, 3, 40), (14, 7, 230)]
    assert result.classes[Class.STRIKES] == 2


def test_a_channels_own_rise_as_reference_answers_the_rise_before():
    period = Rules(OWN, OWN, 1, timeout_ticks=1000)
    result = match(events("r10 b20 r110 b120 r215 b230"), period, 300)
    assert triples(result.rise) == [(100, 2, 110), (105, 4, 215)]
    assert (result.classes[Class.SPURIOUS], result.pending) == (1, 1)


def test_a_response_before_its_reference_in_one_tick_is_matched_early():
    # Channel 0 comes before channel 1 in a tick.
    on_other = Rules(OWN, OTHER, 1, early_ticks=10)
    result = match(events("r10 o10"), on_other, 1000)
    assert triples(result.rise) == [(0, 1, 10)]
    assert result.classes[Class.EARLY] == 1


def test_fall_and_width_count_from_strike_and_active_edge():
    result = match(events("s10 r25 b45 r60 b61"), rules(), 1000)
    assert triples(result.fall) == [(35, 2, 45)]
    assert triples(result.width) == [(20, 2, 45), (1, 4, 61)]
    assert triples(result.period) == [(35, 3, 60)]


def test_an_edge_back_without_its_active_edge_has_no_samples():
    result = match(events("b5 s10 r25 b45"), rules(), 1000)
    assert triples(result.width) == [(20, 3, 45)]
    assert triples(result.fall) == [(35, 3, 45)]


def test_an_edge_back_whose_active_edge_was_dropped_has_no_samples():
    result = match(events("s10 r25 b45 b60"), rules(), 1000)
    assert triples(result.width) == [(20, 2, 45)]
    assert triples(result.fall) == [(35, 2, 45)]


def test_a_fall_latency_past_the_time_out_still_counts():
    assert triples(match(events("s10 r25 b450"), rules(), 1000).fall) == [(440, 2, 450)]


def test_values_over_31_bits_are_taken_as_the_greatest():
    far = 2**31 + 50
    result = match(events(f"s0 r10 b{far} r{2 * far}"), rules(), 2 * far + 1)
    assert result.fall.value_ticks.tolist() == [2**31 - 1]
    assert result.width.value_ticks.tolist() == [2**31 - 1]
    assert result.period.value_ticks.tolist() == [2**31 - 1]


def test_planted_outliers_keep_their_index_and_time():
    text = " ".join(
        f"s{100 * n} r{100 * n + (3 if n == 7 else 90 if n == 4 else 20)}" for n in range(10)
    )
    rise = match(events(text), rules(deadline_ticks=50), 2000).rise
    worst = int(np.argmax(rise.value_ticks))
    best = int(np.argmin(rise.value_ticks))
    assert triples(rise)[worst] == (90, 9, 490)
    assert triples(rise)[best] == (3, 15, 703)
