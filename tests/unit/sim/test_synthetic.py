# SPDX-License-Identifier: Apache-2.0
"""The synthetic device does what its options say, edge by edge, in ps."""

from __future__ import annotations

import itertools
import math
import statistics
from collections import deque
from collections.abc import Callable
from pathlib import Path

import pytest

from .synthetic_player import Play, player

ONE = "ch1.after=none,"
"""Channel 0 alone answers."""


@pytest.fixture(scope="session")
def play() -> Play:
    """Return a function that gives strike 0 pulses at times and returns the device's edges."""
    return player()


def every(period_ps: int, count: int) -> list[int]:
    return [1_000_000 + period_ps * n for n in range(count)]


# A reference of the random numbers, from the publications that random.h names.

MASK = 2**64 - 1


def splitmix64(state: int) -> tuple[int, int]:
    state = (state + 0x9E3779B97F4A7C15) & MASK
    z = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
    return state, z ^ z >> 31


class Xoshiro:
    """xoshiro256** of stream n of a seed."""

    def __init__(self, seed: int, stream: int) -> None:
        state = (splitmix64(seed)[1] + stream) & MASK
        self.words: list[int] = []
        for _ in range(4):
            state, word = splitmix64(state)
            self.words.append(word)

    def next(self) -> int:
        def rotate(x: int, bits: int) -> int:
            return (x << bits | x >> 64 - bits) & MASK

        s = self.words
        result = rotate(s[1] * 5 & MASK, 7) * 9 & MASK
        shifted = s[1] << 17 & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = rotate(s[3], 45)
        return result

    def unit(self) -> float:
        return (self.next() >> 11) / 2**53

    def normal(self) -> float:
        while True:
            u, v = 2 * self.unit() - 1, 2 * self.unit() - 1
            s = u * u + v * v
            if 0 < s < 1:
                return u * math.sqrt(-2 * math.log(s) / s)


def test_the_reference_splitmix64_gives_the_published_first_output() -> None:
    # The generator's well-known first output from state 0.
    assert splitmix64(0)[1] == 0xE220A8397B1DCDAF


def test_a_fixed_latency_and_width_are_exact(play: Play) -> None:
    strikes = every(10_000_003, 50)
    played = play(ONE + "latency=fixed:1234567,width=345678", strikes)
    assert played.rises() == [t + 1_234_567 for t in strikes]
    assert played.falls() == [t + 1_234_567 + 345_678 for t in strikes]


def test_a_latency_of_zero_answers_at_the_strike_itself(play: Play) -> None:
    strikes = every(10_000_000, 3)
    assert play(ONE + "latency=0", strikes).rises() == strikes


def test_channel_1_follows_the_fall_of_channel_0(play: Play) -> None:
    strikes = every(20_000_000, 10)
    played = play("ch0.latency=1000000,ch0.width=500000,ch1.latency=250000,ch1.width=7", strikes)
    assert played.rises(1) == [t + 1_750_000 for t in strikes]
    assert played.falls(1) == [t + 1_750_007 for t in strikes]


def test_a_list_is_replayed_in_order_and_from_its_start_again(play: Play, tmp_path: Path) -> None:
    path = tmp_path / "latencies"
    path.write_text("100000 300000\n200000\n")
    strikes = every(10_000_000, 7)
    delays = itertools.cycle([100_000, 300_000, 200_000])
    expected = [t + delay for t, delay in zip(strikes, delays, strict=False)]
    assert play(ONE + f"latency=list:{path}", strikes).rises() == expected


def test_uniform_draws_are_those_of_the_documented_generator(play: Play) -> None:
    strikes = every(10_000_000, 200)
    random = Xoshiro(42, 0)
    expected = [t + 100_000 + (random.next() * 400_001 >> 64) for t in strikes]
    assert play(ONE + "seed=42,latency=uniform:100000:500000", strikes).rises() == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("normal:2000000:300000", lambda r: 2_000_000 + 300_000 * r.normal()),
        ("lognormal:900000:0.6", lambda r: 900_000 * math.exp(0.6 * r.normal())),
        ("exponential:700000", lambda r: -700_000 * math.log(1 - r.unit())),
    ],
)
def test_continuous_draws_are_those_of_the_documented_formulas(
    play: Play, text: str, value: Callable[[Xoshiro], float]
) -> None:
    strikes = every(100_000_000, 500)
    random = Xoshiro(7, 0)
    expected = [t + max(0, math.floor(value(random) + 0.5)) for t in strikes]
    got = play(ONE + f"seed=7,latency={text}", strikes).rises()
    # The platform's logarithm may round the other way in the last place.
    assert all(abs(a - b) <= 1 for a, b in zip(got, expected, strict=True))
    assert sum(a == b for a, b in zip(got, expected, strict=True)) >= 495


def test_a_mixture_draws_each_part_as_often_as_its_weight_says(play: Play) -> None:
    strikes = every(100_000_000, 4000)
    rises = play(ONE + "latency=3*fixed:1000+1*fixed:2000", strikes).rises()
    latencies = [rise - t for rise, t in zip(rises, strikes, strict=True)]
    assert set(latencies) == {1000, 2000}
    # 4000 draws at 1/4: three standard deviations are 82.
    assert abs(latencies.count(2000) - 1000) < 82


def test_one_seed_gives_the_same_edges_and_another_gives_others(play: Play) -> None:
    options = ONE + "latency=normal:2000000:300000,drop=0.1,duplicate=0.1,spurious=1000,seed="
    strikes = every(10_000_000, 300)
    first = play(options + "5", strikes)
    assert first == play(options + "5", strikes)
    assert first.edges != play(options + "6", strikes).edges


def test_steps_of_advance_do_not_change_the_edges(play: Play) -> None:
    options = "latency=normal:2000000:900000,duplicate=0.1,spurious=5000,mask=3000000:1000000"
    strikes = every(4_000_000, 200)
    assert play(options, strikes).edges == play(options, strikes, step_ps=7999).edges


def test_dropped_requests_have_no_response_and_the_others_keep_theirs(play: Play) -> None:
    strikes = every(10_000_000, 1000)
    all_of_them = play(ONE + "latency=fixed:100", strikes).rises()
    kept = play(ONE + "latency=fixed:100,drop=0.25", strikes).rises()
    assert set(kept) < set(all_of_them)
    # Three standard deviations of 1000 draws at 1/4 are 41.
    assert abs(len(kept) - 750) < 41


def test_a_duplicate_comes_after_its_delay(play: Play) -> None:
    strikes = every(50_000_000, 20)
    options = ONE + "latency=1000000,width=200000,duplicate=1,duplicate_delay=3000000"
    expected = [t + delay for t in strikes for delay in (1_000_000, 4_000_000)]
    assert play(options, strikes).rises() == expected


def test_a_duplicate_within_the_pulse_waits_for_its_end_and_the_gap(play: Play) -> None:
    options = ONE + "latency=1000,width=200000,duplicate=1,duplicate_delay=10,gap=777"
    assert play(options, [1_000_000]).rises() == [1_001_000, 1_001_000 + 200_000 + 777]


def test_spurious_pulses_come_at_their_rate_without_a_strike(play: Play) -> None:
    rises = play(ONE + "spurious=1e6,width=1000", [], end_ps=4 * 10**9).rises()
    # 4000 expected in 4 ms; three standard deviations are 190.
    assert abs(len(rises) - 4000) < 190
    gaps = [b - a for a, b in itertools.pairwise(rises)]
    # Exponential: standard deviation and mean agree (but for the least gap).
    assert statistics.stdev(gaps) == pytest.approx(statistics.mean(gaps), rel=0.08)


def fifo(strikes: list[int], latency: int, service: int, queue: int) -> list[int]:
    """Return the responses of a single server: the textbook recursion, and a bounded line."""
    free = 0
    waiting: deque[int] = deque()
    responses = []
    for arrival in strikes:
        while waiting and waiting[0] <= arrival:
            waiting.popleft()
        start = max(arrival, free)
        if start > arrival:
            if len(waiting) >= queue:
                continue
            waiting.append(start)
        free = start + service
        responses.append(start + latency)
    return responses


def sticky(strikes: list[int], service: int, overloaded: int, queue: int, rest: int) -> list[int]:
    """Return when a server of overload and rest begins to serve what it does not drop."""
    begun: list[int] = []
    free, slow = 0, False
    for time in strikes:
        if free > time and sum(start > time for start in begun) >= queue:
            slow = True
            continue
        slow = slow and time - free < rest
        begun.append(max(time, free))
        free = begun[-1] + (overloaded if slow else service)
    return begun


@pytest.mark.parametrize("rest", [0, 3_000_000, 500_000_000])
def test_an_overloaded_device_stays_slow_until_it_has_rested(play: Play, rest: int) -> None:
    # At 5 us it keeps up, at 3 us it does not, and then not at 5 us either.
    spans = [5_000_000] * 30 + [3_000_000] * 30 + [5_000_000] * 30 + [9_000_000] * 5
    spans += [5_000_000] * 30
    strikes = list(itertools.accumulate(spans, initial=1_000_000))
    options = ONE + "latency=100000,width=10000,service=4000000,queue=2,overload=6000000"
    rises = play(f"{options},rest={rest}", strikes).rises()
    assert rises == [t + 100_000 for t in sticky(strikes, 4_000_000, 6_000_000, 2, rest)]
    assert len(rises) < len(strikes)


def test_a_deaf_device_drops_what_comes_at_certain_intervals(play: Play) -> None:
    spans = [2_000_000, 3_999_999, 4_000_000, 4_500_000, 5_000_000, 5_000_001, 9_000_000] * 3
    strikes = list(itertools.accumulate(spans, initial=1_000_000))
    rises = play(ONE + "latency=0,deaf=4000000:5000000", strikes).rises()
    heard = [True, *(not 4_000_000 <= span <= 5_000_000 for span in spans)]
    assert rises == list(itertools.compress(strikes, heard))


def test_a_first_request_is_heard_whenever_it_comes(play: Play) -> None:
    for first_ps in (1, 4_500_000, 5_000_000):
        options = ONE + "latency=0,deaf=1:5000000"
        assert play(options, [first_ps]).rises() == [first_ps]
        assert play(options, [first_ps, first_ps + 5_000_000]).rises() == [first_ps]


@pytest.mark.parametrize("load", [False, True])
def test_a_load_makes_service_longer(play: Play, load: bool) -> None:
    strikes = every(1_000_000, 30)
    options = ONE + "latency=500000,width=10000,service=2000000,load_service=3500000"
    served = 3_500_000 if load else 2_000_000
    assert play(options, strikes, load=load).rises() == fifo(strikes, 500_000, served, 1000)


@pytest.mark.parametrize("queue", [0, 1, 5, 1000])
def test_overload_accumulates_latency_until_the_queue_is_full(play: Play, queue: int) -> None:
    strikes = every(3_000_000, 60)
    options = ONE + f"latency=1000000,width=100000,service=4000000,queue={queue}"
    rises = play(options, strikes).rises()
    assert rises == fifo(strikes, 1_000_000, 4_000_000, queue)
    assert len(rises) == 60 if queue == 1000 else len(rises) < 60


def test_responses_keep_the_order_of_their_requests(play: Play, tmp_path: Path) -> None:
    path = tmp_path / "latencies"
    path.write_text("9000000 1000000")
    strikes = [1_000_000, 3_000_000]
    rises = play(ONE + f"latency=list:{path},width=1000,gap=5", strikes).rises()
    assert rises == [10_000_000, 10_000_000 + 1000 + 5]


def test_a_response_in_a_masked_window_waits_for_its_end(play: Play) -> None:
    strikes = every(10_000_000, 100)
    options = ONE + "latency=1000000,width=1000,mask=7000000:2000000:500000"
    expected = []
    for strike in strikes:
        rise = strike + 1_000_000
        into = (rise - 500_000) % 7_000_000
        expected.append(rise + 2_000_000 - into if into < 2_000_000 else rise)
    assert play(options, strikes).rises() == expected
    assert expected != [t + 1_000_000 for t in strikes]


def test_a_clocked_device_sees_and_answers_at_its_edges_alone(play: Play) -> None:
    clock, phase = 7_001, 1_234
    strikes = every(1_000_037, 300)
    options = ONE + f"clock_ps={clock},phase_ps={phase},latency=100000,width=50000"

    def edge_from(time_ps: int) -> int:
        return phase + -(-(time_ps - phase) // clock) * clock

    rises = [edge_from(edge_from(t) + 100_000) for t in strikes]
    played = play(options, strikes, width_ps=20_000)
    assert played.rises() == rises
    assert played.falls() == [edge_from(t + 50_000) for t in rises]


def test_a_strike_on_the_devices_clock_edge_is_seen_at_it(play: Play) -> None:
    rises = play(ONE + "clock_ps=10000,latency=0", [1_000_000, 2_000_001], width_ps=20_000).rises()
    assert rises == [1_000_000, 2_010_000]


def test_a_strike_between_two_clock_edges_is_not_seen(play: Play) -> None:
    strikes = [1_000_001, 2_000_000]
    assert play(ONE + "clock_ps=10000,latency=0", strikes, width_ps=5000).rises() == [2_000_000]


def test_grid_edges_lie_on_whole_ticks_rounded_up(play: Play) -> None:
    tick_fs = 833_333
    strikes = every(1_000_003, 200)
    played = play(ONE + f"grid_fs={tick_fs},latency=100,width=100000", strikes)
    expected = [-(-(t + 100) * 1000 // tick_fs) * tick_fs // 1000 for t in strikes]
    assert played.rises() == expected


def test_an_inverted_pin_is_low_when_active(play: Play) -> None:
    played = play(ONE + "invert=1,latency=1000,width=500", [1_000_000])
    assert played.edges == [(1_001_000, 0, 0), (1_001_500, 0, 1)]


@pytest.mark.parametrize(
    ("own", "loaded"),
    [("", True), (",load=load", True), (",load=none", False)],
)
def test_a_load_has_a_latency_and_a_width_of_its_own(play: Play, own: str, loaded: bool) -> None:
    options = ONE + "latency=71000,load_latency=fixed:1000,width=900,load_width=400" + own
    under_load = play(options, [1_000_000], load=True).edges
    idle = [(1_071_000, 0, 1), (1_071_900, 0, 0)]
    assert under_load == ([(1_001_000, 0, 1), (1_001_400, 0, 0)] if loaded else idle)
    assert play(options, [1_000_000], load=False).edges == idle


def test_a_channels_own_option_wins_wherever_it_stands(play: Play) -> None:
    for options in ("ch0.latency=5,latency=9", "latency=9,ch0.latency=5"):
        assert play(ONE + options, [1_000_000]).rises() == [1_000_005]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("latency", "'latency': an option is key=value"),
        ("colour=red", "'colour': the options are seed,"),
        ("load=nap,load_name=polygons", "load=nap: must be none or polygons"),
        ("ch8.drop=0", "'ch8.drop': the options are"),
        ("ch0.seed=1", "'ch0.seed': the options are"),
        ("drop=1.5", "drop=1.5: a number from 0 to 1 is needed"),
        ("latency=-1", "latency=-1: an integer from 0 to"),
        ("latency=1e6", "latency=1e6: an integer from 0 to"),
        ("latency=gauss:1:2", "latency=gauss:1:2: a time in ps, uniform:A:B"),
        ("latency=normal:1", "latency=normal:1: a time in ps, uniform:A:B"),
        ("latency=uniform:9:3", "latency=3: an integer from 9"),
        ("latency=list:/no/such", "latency=list:/no/such: the file cannot be read"),
        ("latency=1*5+7", "latency=1*5+7: each part of a mixture is WEIGHT*distribution"),
        ("latency=0*5", "latency=0*5: a weight above 0 is needed"),
        ("ch2.after=strike9", "ch2.after=strike9: strike0 to strike7"),
        ("ch2.after=ch2-fall", "ch2.after=ch2: a channel cannot ask itself"),
        ("mask=100", "mask=100: PERIOD:LENGTH"),
        ("mask=100:100", "mask=100: an integer from 1 to 99 is needed"),
        ("grid_fs=999", "grid_fs=999: 0 or an integer from 1000 is needed"),
        ("gap=0", "gap=0: an integer from 1"),
        ("queue=x", "queue=x: an integer from 0 to 1000000 is needed"),
    ],
)
def test_a_bad_option_is_one_line_that_says_what_would_be_right(
    play: Play, options: str, sentence: str
) -> None:
    played = play(options, [])
    assert played.code == 2
    assert played.error.startswith(sentence)
    assert played.error.count("\n") == 1


def test_a_tick_comes_at_its_phase_and_period_whatever_is_struck(play: Play) -> None:
    options = ONE + "ch0.after=none,ch1.tick=1234567:890123,ch1.width=4000"
    expected = [890_123 + 1_234_567 * n for n in range(500)]
    for strikes in ([600_000_000], every(1_000_003, 600)):
        played = play(options, strikes)
        rises = [t for t in played.rises(1) if t <= expected[-1]]
        assert rises == expected[: len(rises)]
        assert len(rises) > 480
        assert played.falls(1)[: len(rises)] == [t + 4000 for t in rises]


def test_an_answer_and_a_tick_share_a_pin_one_after_the_other(play: Play) -> None:
    options = ONE + "latency=1000000,width=100000,gap=10,tick=5000000:2000000"
    assert play(options, [1_000_000, 6_000_001]).rises()[:3] == [2_000_000, 2_100_010, 7_000_000]


def test_a_pin_that_toggles_has_an_edge_a_request_up_and_down_in_turn(play: Play) -> None:
    strikes = every(1_000_000, 9)
    options = ONE + "latency=300000,width=20000,toggle=1"
    edges = [(time, level) for time, _, level in play(options, strikes).edges]
    assert edges == [(t + 300_000, n % 2 == 0) for n, t in enumerate(strikes)]


@pytest.mark.parametrize("after", ["ch0", "ch0-fall"])
def test_what_is_after_a_pin_that_toggles_follows_each_of_its_edges(play: Play, after: str) -> None:
    strikes = every(1_000_000, 6)
    options = f"ch0.latency=300000,ch0.toggle=1,ch1.after={after},ch1.latency=50000,ch1.width=9000"
    assert play(options, strikes).rises(1) == [t + 350_000 for t in strikes]
