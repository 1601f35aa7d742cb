# SPDX-License-Identifier: Apache-2.0
"""Where jobs run: named exactly, opened anew where a worker died, ended with what is under way."""

import os
import threading
from concurrent.futures import BrokenExecutor, CancelledError, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import pytest

from plexor.base.errors import LinkError
from plexor.experiments import pool as executor
from plexor.experiments.pool import Workers, is_lost, parse_executor


@pytest.fixture
def opened(monkeypatch):
    """What is opened, in place of processes and clusters."""
    found = []
    monkeypatch.setattr(executor, "_local", found.append)
    monkeypatch.setattr(executor, "_dask", found.append)
    return found


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("local:1", 1),
        ("local:1024", 1024),
        ("dask://host:8786", "tcp://host:8786"),
        ("dask://[::1]:8786", "tcp://[::1]:8786"),
    ],
)
def test_a_name_opens_what_it_says_and_not_before_it_is_asked_to(opened, text, what):
    opens = parse_executor(text)
    assert opened == []
    opens()
    assert opened == [what]


def test_local_alone_has_a_process_for_each_processor(opened, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    parse_executor("local")()
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    parse_executor("local")()
    assert opened == [3, 1]


@pytest.mark.parametrize(
    "text",
    [
        *("", "local:", "local:0", "local:1025", "local:-1", "local:x", "ssh://h:1"),
        *("dask", "dask:host:1", "dask://host", "dask://host:", "dask://host:x"),
    ],
)
def test_any_other_name_is_refused_with_those_there_are(text):
    with pytest.raises(ValueError, match="executor: ") as caught:
        parse_executor(text)
    assert str(caught.value) == (
        f"executor: {text!r}; must be local, local:PROCESSES or dask://HOST:PORT"
    )


def test_a_job_is_lost_for_want_of_its_worker_and_not_for_its_own_sake():
    class KilledWorker(Exception):  # noqa: N818 (Dask's own name)
        pass

    KilledWorker.__module__ = "distributed.scheduler"
    for error in (BrokenExecutor(), BrokenProcessPool(), CancelledError(), KilledWorker()):
        assert is_lost(error)
    KilledWorker.__module__ = "distributedly"
    for error in (LinkError("gone"), ValueError(), KilledWorker()):
        assert not is_lost(error)


def test_jobs_after_a_renewal_are_done_by_a_new_executor():
    pools = []

    def opens():
        pools.append(ThreadPoolExecutor(1))
        return pools[-1]

    with Workers(opens) as workers:
        assert workers.submit(len, "abc").result(10) == 3
        workers.renew()
        assert len(pools) == 2
        with pytest.raises(RuntimeError, match="after shutdown"):
            pools[0].submit(len, "")
        assert workers.submit(len, "ab").result(10) == 2
    with pytest.raises(RuntimeError, match="after shutdown"):
        workers.submit(len, "")


def test_the_end_waits_for_what_is_under_way_and_drops_the_rest():
    begun, go, done = threading.Event(), threading.Event(), []

    def work(job):
        begun.set()
        go.wait(10)
        done.append(job)

    workers = Workers(lambda: ThreadPoolExecutor(1))
    first, second = workers.submit(work, 1), workers.submit(work, 2)
    assert begun.wait(10)
    threading.Timer(0.02, go.set).start()
    workers.__exit__()
    assert done == [1]
    assert first.done()
    assert second.cancelled()


def test_of_the_last_jobs_those_that_failed_or_have_not_begun_are_left_out():
    begun, go = threading.Event(), threading.Event()

    def work(job):
        begun.set()
        go.wait(10)
        return 1 // job

    with Workers(lambda: ThreadPoolExecutor(2)) as workers:
        submitted = [workers.submit(work, job) for job in (1, 0, 1)]
        assert begun.wait(10)
        threading.Timer(0.02, go.set).start()
        assert workers.last(submitted) == submitted[:1]
    assert submitted[2].cancelled()


def test_an_interrupt_ends_the_wait_for_the_last_jobs_and_the_jobs(monkeypatch):
    both, over = threading.Barrier(3), threading.Event()

    class Pool(ThreadPoolExecutor):
        def abandon(self):
            over.set()

    def interrupted(futures):
        assert futures[0].result(10) == "done"
        raise KeyboardInterrupt

    def work(job):
        both.wait(10)
        return "done" if job == 0 else over.wait(10)

    monkeypatch.setattr(executor, "wait", interrupted)
    with Workers(lambda: Pool(2)) as workers:
        submitted = [workers.submit(work, job) for job in (0, 1)]
        both.wait(10)
        assert submitted[0] in workers.last(submitted)
    assert submitted[1].result(10) is True


def test_a_broken_executor_is_left_without_a_wait_and_its_jobs_dropped():
    ended = []

    class Ended:
        def shutdown(self, **how):
            ended.append(how)

    with Workers(Ended) as workers:
        workers.renew()
        assert ended == [{"wait": False, "cancel_futures": True}]
    assert ended[1:] == [{"wait": True, "cancel_futures": True}]
