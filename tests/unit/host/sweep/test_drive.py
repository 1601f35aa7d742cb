# SPDX-License-Identifier: Apache-2.0
"""Jobs that are asked for, done, kept and taken again: by executors that do what they are told."""

import threading
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor

import pytest

from plexor.errors import InvalidRunError, LinkError
from plexor.sweep import drive
from plexor.sweep.drive import End, JobDriver
from plexor.sweep.executor import RETRIES, Workers


class Kept:
    """A store in memory."""

    def __init__(self, **known):
        self.steps = known

    def find(self, job):
        return self.steps.get(job)

    def add(self, job, steps):
        assert job not in self.steps
        self.steps[job] = steps


class Told(Executor):
    """Does each job at once; `fails` are the errors of the first."""

    def __init__(self, log, fails):
        self.log, self.fails = log, fails

    def submit(self, work, job):
        self.log.append(job)
        future = Future()
        error = self.fails.pop(0) if self.fails else None
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(work(job))
        return future

    def shutdown(self, wait=True, *, cancel_futures=False):
        pass


def taken(job):
    return (f"step of {job}",)


@pytest.fixture
def log():
    return []


def workers(log, *fails):
    """Return workers of which each of the first jobs fails as told."""
    left = list(fails)
    return Workers(lambda: Told(log, left))


def search(found, *jobs):
    """Ask for jobs in turn and note their steps."""
    for job in jobs:
        found.append((yield job))


def driven(monkeypatch, searches, pool, store, take=taken, **options):
    monkeypatch.setattr(drive, "take", take)
    return drive.drive(searches, pool, store, **options)


def test_each_search_gets_the_steps_of_its_own_jobs_in_turn(log, monkeypatch):
    one, other, seen = [], [], []
    end = driven(
        monkeypatch,
        [search(one, "a", "b"), search(other, "c"), search([])],
        workers(log),
        Kept(),
        on_step=lambda job, step: seen.append((job, step)),
    )
    assert end == End()
    assert one == ["step of a", "step of b"]
    assert other == ["step of c"]
    assert sorted(seen) == [(job, f"step of {job}") for job in "abc"]


def test_what_is_kept_is_not_done_again_and_what_is_done_is_kept(log, monkeypatch):
    found, store = [], Kept(b=("kept b",))
    driven(monkeypatch, [search(found, "a", "b", "c")], workers(log), store)
    assert found == ["step of a", "kept b", "step of c"]
    assert log == ["a", "c"]
    assert store.steps == {"a": taken("a"), "b": ("kept b",), "c": taken("c")}


def test_what_a_dead_worker_had_is_asked_again_up_to_the_limit(log, monkeypatch):
    found = []
    dead = [BrokenExecutor()] * RETRIES
    end = driven(monkeypatch, [search(found, "a")], workers(log, *dead), Kept())
    assert (end, found, log) == (End(), ["step of a"], ["a"] * (RETRIES + 1))


def test_one_death_too_many_ends_all_with_how_many_there_were(log, monkeypatch):
    dead = [BrokenExecutor("no memory")] * (RETRIES + 1)
    end = driven(monkeypatch, [search([], "a")], workers(log, *dead), Kept())
    assert isinstance(end.error, LinkError)
    assert str(end.error) == f"executor: {RETRIES + 1} workers died: no memory"


def test_a_job_that_fails_ends_all_and_is_not_asked_again(log, monkeypatch):
    error = InvalidRunError("no answer")
    end = driven(monkeypatch, [search([], "a", "b")], workers(log, error), Kept())
    assert end == End(error=error)
    assert log == ["a"]


def test_an_error_that_is_none_of_ours_goes_up(log, monkeypatch):
    with pytest.raises(ZeroDivisionError):
        driven(monkeypatch, [search([], "a")], workers(log, ZeroDivisionError()), Kept())


def test_an_interrupt_ends_all_and_keeps_what_was_under_way(monkeypatch):
    both = threading.Barrier(2)

    def take(job):
        both.wait(10)
        return taken(job)

    def interrupted(job, step):
        raise KeyboardInterrupt

    store = Kept()
    with Workers(lambda: ThreadPoolExecutor(2)) as pool:
        searches = [search([], "a"), search([], "b")]
        end = driven(monkeypatch, searches, pool, store, take, on_step=interrupted)
    assert end == End(interrupted=True)
    # Both were begun: one is told to its search, the other is kept as it ends.
    assert store.steps == {"a": taken("a"), "b": taken("b")}


def test_steps_that_end_late_are_told_and_no_steps_are_not_kept(log):
    late, store = [], Kept()
    driver = JobDriver(workers(log), store)
    driver.ask(lambda job: (), "empty", lambda steps: None)
    driver.ask(taken, "a", lambda steps: None)
    driver.finish(late.append)
    assert store.steps == {"a": taken("a")}
    assert sorted(late) == [(), taken("a")]


def test_jobs_that_end_at_once_are_heard_of_in_the_order_in_which_they_were_asked_for(log):
    heard, names = [], [f"job {number}" for number in range(50)]
    driver = JobDriver(workers(log), Kept())
    for name in names:
        driver.ask(taken, name, heard.extend)
    driver.run()
    assert heard == [step for name in names for step in taken(name)]
