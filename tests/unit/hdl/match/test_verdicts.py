# SPDX-License-Identifier: Apache-2.0
"""What becomes of strikes and responses: queues, time-outs, windows and repetitions."""

import pytest

from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Policy
from plexor_hdl.match.accept import round_bit

from ..matcher_bench import NONE, check, drive, rules_for
from ..matcher_events import random_events


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.full) for n in (1, 2))])
def test_expired_strikes_are_missed_before_a_response_and_before_a_strike(seed, build):
    # So seldom answered that most expire, and often in a full queue.
    events = [event for event in random_events(seed, 400, 30) if event[1] > 1 or event[3] % 5 == 0]
    check(events, rules_for(timeout=90, deadline=9), seed, geometry=build, stalls=NONE)


def test_a_strike_expires_one_tick_after_its_time_out_and_not_before(build):
    for delay, answered in ((200, 1), (201, 0)):
        events = [(1000, 8, 1, 0), (1000 + delay, 0, 1, 1)]
        bench = drive(events, rules_for(deadline=1 << 20), 5000, 1, geometry=build)
        assert bench.classes[0][ResponseClass.ANSWERED] == answered
        assert bench.classes[0][ResponseClass.MISSED] == 1 - answered


def test_a_full_queue_refuses_the_next_strike_and_counts_it(build):
    strikes = [(1000 + 2 * n, 8, (n + 1) % 2, n) for n in range(40)]
    check(strikes, rules_for(timeout=10_000), 3, geometry=build)


def test_a_full_queue_takes_a_strike_once_the_oldest_has_expired(build):
    strikes = [(1000 + 2 * n, 8, (n + 1) % 2, n) for n in range(16)]
    later = [(1101, 8, 1, 16), (1102, 8, 0, 17), (1105, 8, 1, 18)]
    bench = drive(strikes + later, rules_for(timeout=100), 1106, 1, geometry=build, stalls=NONE)
    assert bench.classes[0][ResponseClass.QUEUE_FULL] == 0
    assert bench.classes[0][ResponseClass.MISSED] == 2
    assert bench.pending[0] == 8


@pytest.mark.parametrize("policy", [Policy.OLDEST, Policy.LATEST])
def test_strikes_that_a_clear_has_found_are_of_no_later_run(policy, build):
    before = [(1000 + 20 * n, 8, (n + 1) % 2, n) for n in range(10)]
    before.insert(5, (1081, 0, 1, 20))
    events = random_events(12, 60, 30)
    check(events, rules_for(policy), 12, geometry=build, before=before)


@pytest.mark.parametrize("latency", [14, 15, 16])
def test_the_window_opens_at_its_least_latency(latency, build):
    rules = rules_for(Policy.WINDOW, least=15)
    events = [(1000, 8, 1, 0), (1000 + latency, 0, 1, 1)]
    bench = drive(events, rules, 1500, 1, geometry=build)
    assert bench.classes[0][ResponseClass.ANSWERED] == (latency >= 15)
    assert bench.classes[0][ResponseClass.SPURIOUS] == (latency < 15)


def test_a_response_repeats_one_up_to_the_time_out_after_its_strike(build):
    for delay, kind in ((200, ResponseClass.DUPLICATE), (201, ResponseClass.SPURIOUS)):
        events = [(1000, 8, 1, 0), (1050, 0, 1, 1), (1051, 0, 0, 2), (1000 + delay, 0, 1, 3)]
        bench = drive(events, rules_for(), 1300, 1, geometry=build)
        assert bench.classes[0][ResponseClass.ANSWERED] == 1
        assert bench.classes[0][kind] == 1


def test_two_responses_without_an_edge_back_between_are_told_apart(build):
    # Of which one may have been dropped: the second one comes as soon as it can.
    events = [(1000, 8, 1, 0), (1050, 0, 1, 1), (1051, 0, 1, 2), (1052, 0, 1, 3)]
    bench = drive(events, rules_for(), 1100, 1, geometry=build, stalls=NONE)
    assert bench.classes[0][ResponseClass.ANSWERED] == 1
    assert bench.classes[0][ResponseClass.DUPLICATE] == 2


def test_a_last_match_is_forgotten_while_only_others_have_events(build):
    # 2**32 ticks behind it: its age looks as if it were within the time-out.
    strike, late = 1000, 1000 + (1 << 32)
    events = [(strike, 8, 1, 0), (strike + 10, 0, 1, 1), (strike + 20, 0, 0, 2)]
    step = (1 << 29) + (1 << round_bit(build))
    events += [(time, 9, n % 2, 3 + n) for n, time in enumerate(range(step, late, step))]
    events.append((late + 50, 0, 1, len(events)))
    bench = drive(events, rules_for(timeout=200), late + 60, 1, geometry=build, stalls=NONE)
    assert bench.classes[0][ResponseClass.SPURIOUS] == 1
