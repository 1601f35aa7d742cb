# SPDX-License-Identifier: Apache-2.0
"""Burst scans of planted devices, without an instrument: what is asked, and what comes of it."""

import threading
from concurrent.futures import BrokenExecutor, Executor, ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest

from plexor.base.errors import InvalidRunError, LinkError
from plexor.experiments.burst.model import Lengths
from plexor.experiments.burst.scan import QUEUE_FULL, BurstGoal, BurstSteps, longest
from plexor.experiments.criterion import parse_criterion, stage_strikes
from plexor.experiments.pool import RETRIES, Workers
from plexor.experiments.step import RateFigures, RateStep
from plexor.experiments.stepping import stepped
from plexor.experiments.store import StepStore
from plexor.figures.judge.verdict import Outcome
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.memory import ResponseClass

US = Fraction(1, 10**6)
SERVICE_S = {"ISR": 3 * US, "TASK": 20 * US}
QUEUE = {"ISR": 1, "TASK": 4}
WANTED = BurstGoal(
    "sim:",
    "synthetic",
    Settings(strikes=(Stimulus(),), channels=(Channel(0, "ISR"), Channel(1, "TASK"))),
    US,
    16 * US,
    5,
    1000 * US,
    64,
    parse_criterion("missed<1%@95%"),
)


def survives(name, spacing_s):
    """Return how many strikes a server with a queue answers before it has no room for one."""
    service_s, queue = SERVICE_S[name], QUEUE[name]
    n = 1
    while n - 1 - n * spacing_s // service_s < queue and n < 10_000:
        n += 1
    return n


def taken(job, queue_full=0):
    """Return the step of a device that loses strikes beyond what it survives."""
    swept = job.settings.strikes[0]
    channels = []
    for channel in job.settings.channels:
        fits = swept.burst == 1 or swept.burst <= survives(channel.label, swept.spacing_s)
        counts = {ResponseClass.ANSWERED: 100, ResponseClass.QUEUE_FULL: queue_full}
        classes = dict.fromkeys(ResponseClass, 0) | counts
        verdict = Outcome.PASS if fits else Outcome.FAIL
        most = 1000 * swept.burst
        channels.append(
            RateFigures(channel.label, 100, classes, max_ticks=most, verdict=verdict, reason="lost")
        )
    return (RateStep(1_000_000, True, job.load, job.rate_hz, "", 100, tuple(channels)),)


class Planted(Executor):
    """Takes steps in threads, and dies with all it has before each `dies_at`."""

    def __init__(self, log, take=taken, dies_at=()):
        self._log, self._dies_at, self._take = log, dies_at, take
        self._dead = False
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(4)

    def submit(self, work, job):
        del work
        with self._lock:
            self._log.append(job)
            self._dead = self._dead or len(self._log) in self._dies_at
        return self._pool.submit(self._die if self._dead else self._take, job)

    def _die(self, job):
        raise BrokenExecutor("a process ended")

    def shutdown(self, wait=True, *, cancel_futures=False):
        self._pool.shutdown(wait=wait, cancel_futures=cancel_futures)


def run(log, store=None, on_step=None, wanted=WANTED, **planted):
    """Return the limits, the steps, and how the scan ended."""

    def told(job, step, taken, expected):
        if on_step is not None:
            on_step(job, step)

    kept = StepStore(None) if store is None else store
    with Workers(lambda: Planted(log, **planted)) as workers:
        found = stepped(Noting(wanted), workers, kept, told)
    limits, steps = found.result or ((), ())
    return list(limits), steps, found


class Noting(BurstSteps):
    """A burst scan that has its steps in its result, beside the limits."""

    def result(self, steps, interrupted):
        return super().result(steps, interrupted).limits, steps


@cache
def scanned():
    """Return the jobs of a scan of WANTED, and what it found: four tests look at them."""
    log = []
    return log, *run(log)


def searched(most, verdict_of):
    """Return what a search finds and what it tried."""
    search, tried = longest(most), []
    try:
        n = next(search)
        while True:
            tried.append(n)
            n = search.send(verdict_of(n))
    except StopIteration as end:
        return end.value, tried


@pytest.mark.parametrize("most", [1, 2, 3, 7, 64, 1000])
def test_every_longest_length_is_found_between_what_passes_and_what_fails(most):
    for length in range(min(most, 70) + 1):
        found, tried = searched(
            most, lambda n, length=length: Outcome.PASS if n <= length else Outcome.FAIL
        )
        assert found == Lengths(length, length + 1 if length < most else None)
        assert len(tried) == len(set(tried))
        assert all(1 <= n <= most for n in tried)
        assert {length, length + 1} & set(range(1, most + 1)) <= set(tried)


def test_a_length_that_cannot_be_decided_fails_and_is_named():
    verdicts = {1: Outcome.PASS, 2: Outcome.PASS, 3: Outcome.TOO_FEW, 4: Outcome.FAIL}
    found, _ = searched(4, verdicts.get)
    assert found == Lengths(2, 3, (3,))


def test_each_channel_has_the_longest_burst_it_survives_at_each_spacing():
    _, limits, steps, end = scanned()
    assert end.error is None
    assert len(limits) == 10
    for limit in limits:
        expected = min(survives(limit.channel, limit.spacing_s), limit.most)
        assert limit.lengths.passing == expected
        assert limit.lengths.failing == (expected + 1 if expected < limit.most else None)
        assert limit.max_ticks == 1000 * expected
    assert sum(step.strikes for step in steps) <= sum(limit.strikes for limit in limits)


def test_both_channels_share_the_lengths_that_were_tried():
    log, *_ = scanned()
    asked = [(job.settings.strikes[0].spacing_s, job.settings.strikes[0].burst) for job in log]
    assert len(set(asked)) == len(asked)


def test_a_burst_lasts_half_the_period_at_most_and_the_time_out_is_the_rest():
    log = []
    run(log, wanted=replace(WANTED, period_s=200 * US, most=1000))
    longest_s = 0
    for job in log:
        swept = job.settings.strikes[0]
        if swept.burst > 1:
            longest_s = max(longest_s, (swept.burst - 1) * swept.spacing_s)
        assert job.settings.timeout_s == 100 * US
        assert job.rate_hz == 5000
    assert 90 * US < longest_s <= 100 * US


def test_every_stage_is_of_whole_bursts_and_sees_one_lost_strike_in_each():
    log, *_ = scanned()
    for job in log:
        length = job.settings.strikes[0].burst
        (criterion,) = job.criteria
        assert criterion.share == min(Fraction(1, 100), Fraction(1, 2 * length))
        assert job.least_strikes % length == 0
        assert stage_strikes(job.criteria, job.least_strikes) == job.least_strikes
        assert job.settings.count is None
        # All stages of a test fit into the time that a step may take.
        assert 4 * job.least_strikes / job.rate_hz <= job.most_s


def test_a_limit_of_the_instruments_queue_is_not_given_as_the_devices():
    limits, _, _ = run([], take=lambda job: taken(job, queue_full=3))
    reasons = {limit.reason for limit in limits if limit.lengths.failing is not None}
    assert reasons == {QUEUE_FULL}


def test_a_scan_goes_on_where_it_was_left(tmp_path):
    _, whole, _, _ = scanned()

    def interrupt(job, step):
        if len(seen) == 8:
            raise KeyboardInterrupt
        seen.append(step)

    seen, log, again = [], [], []
    with StepStore(tmp_path / "s") as store:
        _, _, end = run([], store, interrupt)
    assert end.interrupted
    with StepStore(tmp_path / "s") as store:
        kept = len(store)
        assert kept >= 8
        limits, steps, _ = run(log, store)
    assert limits == whole
    assert len(log) == len(steps) - kept
    with StepStore(tmp_path / "s") as store:
        assert run(again, store)[0] == whole
    assert again == []


def test_what_a_dead_worker_had_is_taken_again():
    log = []
    limits, _, end = run(log, dies_at=(2, 9))
    assert end.error is None
    assert limits == scanned()[1]


def test_workers_that_go_on_dying_end_the_scan_with_what_there_is():
    _, steps, end = run([], dies_at=range(9, 10_000))
    assert isinstance(end.error, LinkError)
    assert f"{RETRIES + 1} workers died" in str(end.error)
    assert steps


def test_a_job_that_fails_ends_the_scan_with_its_error():
    log = []

    def failing(job):
        if len(log) > 12:
            raise InvalidRunError("the books do not balance")
        return taken(job)

    _, steps, end = run(log, take=failing)
    assert str(end.error) == "the books do not balance"
    assert steps


def test_what_is_left_to_try_is_never_less_than_nothing_and_none_at_the_end():
    scan = BurstSteps(replace(WANTED, high_s=2 * US, points=2))
    progress = []
    with Workers(lambda: Planted([])) as workers:
        stepped(scan, workers, StepStore(None), lambda *told: progress.append(told[2:]))
    assert all(expected >= taken for taken, expected in progress)
    assert scan.expected() == len(progress)
