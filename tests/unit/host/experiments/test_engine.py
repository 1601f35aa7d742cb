# SPDX-License-Identifier: Apache-2.0
"""Work that is asked for, done, kept and taken again: by executors that do what they are told."""

import threading
import time
from collections import Counter
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from plexor.base.errors import InvalidRunError, LinkError, StoreError
from plexor.experiments import engine
from plexor.experiments.engine import Engine, ExperimentEnd
from plexor.experiments.pool import RETRIES, Workers
from plexor.experiments.work import Work, taken, together


@dataclass(frozen=True)
class Job(Work[str]):
    """Work that returns what it is, or what `does` says of it."""

    name: str
    does: object = None
    of: str = ""

    @property
    def needs(self):
        return self.of

    def take(self):
        return f"step of {self.name}" if self.does is None else self.does()


class Kept:
    """A store in memory."""

    def __init__(self, **known):
        self.steps = known

    def find(self, job):
        return self.steps.get(job.name)

    def add(self, job, steps):
        assert job.name not in self.steps
        self.steps[job.name] = steps


class Told(Executor):
    """Does each job at once; `fails` are the errors of the first."""

    def __init__(self, log, fails):
        self.log, self.fails = log, fails

    def submit(self, work, job):
        self.log.append(job.name)
        future = Future()
        error = self.fails.pop(0) if self.fails else None
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(work(job))
        return future

    def shutdown(self, wait=True, *, cancel_futures=False):
        pass


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
        found.append((yield from taken(job if isinstance(job, Job) else Job(job))))
    return len(found)


def driven(pool, store, *experiments, on_taken=None):
    return Engine(pool, store, on_taken).run(together(experiments))


def test_each_experiment_gets_the_steps_of_its_own_jobs_in_turn(log):
    one, other, seen = [], [], []
    end = driven(
        workers(log),
        Kept(),
        *[search(one, "a", "b"), search(other, "c"), search([])],
        on_taken=lambda job, step: seen.append((job.name, step)),
    )
    assert (end.interrupted, end.error) == (False, None)
    assert one == ["step of a", "step of b"]
    assert other == ["step of c"]
    assert sorted(seen) == [(job, f"step of {job}") for job in "abc"]


def test_what_experiments_return_comes_in_their_order_and_nested_ones_wait_for_all(log):
    got = []

    def inner(*jobs):
        count = yield from search([], *jobs)
        return count

    def outer():
        got.append((yield from together([inner("a", "b", "c"), inner(), inner("d")])))
        got.append((yield from together([])))
        got.append((yield from taken(Job("e"))))

    driven(workers(log), Kept(), outer(), search([], "f"))
    assert got == [[3, 0, 1], [], "step of e"]
    assert log.index("e") > max(log.index(job) for job in "abcd")


def test_what_is_kept_is_not_done_again_and_what_is_done_is_kept(log):
    found, store, seen = [], Kept(b="kept b"), []
    driven(
        workers(log),
        store,
        search(found, "a", "b", "c"),
        on_taken=lambda job, step: seen.append(step),
    )
    assert found == seen == ["step of a", "kept b", "step of c"]
    assert log == ["a", "c"]
    assert store.steps == {"a": "step of a", "b": "kept b", "c": "step of c"}


def test_work_without_a_result_is_neither_kept_nor_told(log):
    found, store, seen = [], Kept(), []
    check = Job("check", lambda: None)
    end = driven(
        workers(log), store, search(found, check), on_taken=lambda job, step: seen.append(step)
    )
    assert (found, seen, store.steps, log, end) == ([None], [], {}, ["check"], ExperimentEnd())


def test_what_a_dead_worker_had_is_asked_again_up_to_the_limit(log):
    found = []
    end = driven(workers(log, *[BrokenExecutor()] * RETRIES), Kept(), search(found, "a"))
    assert (end.error, found, log) == (None, ["step of a"], ["a"] * (RETRIES + 1))


def test_one_death_too_many_ends_all_with_how_many_there_were(log):
    dead = [BrokenExecutor("no memory")] * (RETRIES + 1)
    end = driven(workers(log, *dead), Kept(), search([], "a"))
    assert isinstance(end.error, LinkError)
    assert str(end.error) == f"executor: {RETRIES + 1} workers died: no memory"


def test_deaths_between_which_work_was_done_are_not_counted_together(log):
    fails = [*[BrokenExecutor()] * RETRIES, None, *[BrokenExecutor()] * RETRIES]
    assert driven(workers(log, *fails), Kept(), search([], "a", "b")).error is None


def test_a_job_that_fails_ends_all_and_is_not_asked_again(log):
    error = InvalidRunError("no answer")
    assert driven(workers(log, error), Kept(), search([], "a", "b")) == ExperimentEnd(error=error)
    assert log == ["a"]


def test_an_experiment_may_go_on_behind_an_error_of_its_work(log):
    caught = []

    def going_on():
        try:
            yield from taken(Job("a"))
        except InvalidRunError as error:
            caught.append(str(error))
        caught.append((yield from taken(Job("b"))))

    end = driven(workers(log, InvalidRunError("no answer")), Kept(), going_on())
    assert (caught, end.error) == (["no answer", "step of b"], None)


def test_an_error_that_is_none_of_ours_goes_up(log):
    with pytest.raises(ZeroDivisionError):
        driven(workers(log, ZeroDivisionError()), Kept(), search([], "a"))


@pytest.mark.parametrize("full", [False, True])
def test_an_interrupt_ends_all_and_keeps_what_was_under_way(full):
    both = threading.Barrier(2)
    ended = []

    def within(job):
        """Note that an early end leaves what an experiment entered, behind the last step."""
        try:
            yield from search([], job, "never")
        finally:
            ended.append(sorted(store.steps))

    def take(name):
        both.wait(10)
        return name

    def interrupted(job, step):
        raise KeyboardInterrupt

    class Full(Kept):
        def add(self, job, steps):
            if full and self.steps:
                raise StoreError("no space left")
            super().add(job, steps)

    store = Full()
    jobs = [Job(name, lambda name=name: take(name)) for name in "ab"]
    with Workers(lambda: ThreadPoolExecutor(2)) as pool:
        end = driven(pool, store, *map(within, jobs), on_taken=interrupted)
    assert end.interrupted
    # Both were begun: one is told to its experiment, the other is kept as it ends.
    assert len(store.steps) == (1 if full else 2)
    assert str(end.error or "") == ("no space left" if full else "")
    assert ended == [sorted(store.steps)] * 2


def test_jobs_that_end_at_once_are_heard_of_in_the_order_in_which_they_were_asked_for(log):
    heard, names = [], [f"job {number}" for number in range(50)]
    driven(
        workers(log),
        Kept(),
        *(search([], name) for name in names),
        on_taken=lambda job, step: heard.append(job.name),
    )
    assert heard == names


class Cluster(Workers):
    """Workers that have resources, as those of a cluster may."""

    def __init__(self, offered):
        super().__init__(lambda: ThreadPoolExecutor(2))
        self.offered = offered
        self.needed = Counter()

    def submit(self, work, job, needs=""):
        self.needed[needs] += 1
        return super().submit(work, job)

    def offers(self, needs):
        return needs in self.offered


def test_what_work_needs_is_asked_of_its_worker():
    with Cluster({"left"}) as pool:
        driven(pool, Kept(), search([], Job("a", of="left"), Job("b")))
    assert pool.needed == {"left": 1, "": 1}


def test_work_whose_worker_is_gone_for_good_is_given_up(monkeypatch):
    """As Dask does, the job waits for a worker that never comes."""
    monkeypatch.setattr(engine, "POLL_S", 0.01)
    monkeypatch.setattr(engine, "GONE_S", 0.1)

    class Gone(Cluster):
        def submit(self, work, job, needs=""):
            return Future() if needs else super().submit(work, job)

    began = time.monotonic()
    with Gone(set()) as pool:
        store = Kept()
        end = driven(pool, store, search([], Job("a", of="left")), search([], "b"))
    assert str(end.error) == "instrument left: no Dask worker has it any more"
    assert store.steps == {"b": "step of b"}
    assert time.monotonic() - began > 0.1
