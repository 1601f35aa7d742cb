# SPDX-License-Identifier: Apache-2.0
"""A worker that does the newest, and leaves out what it has no time for."""

import threading

from plexor.scope.newest import NewestOnly


def test_what_comes_meanwhile_is_left_out_but_for_the_newest():
    go, done = threading.Event(), []

    def work(item):
        go.wait(10)
        done.append(item)

    worker = NewestOnly(work, 0, "worker")
    worker.put(0)
    while worker._items:
        pass
    for item in range(1, 50):
        worker.put(item)
    go.set()
    worker.flush()
    assert done == [0, 49]
    worker.close()


def test_it_works_no_more_often_than_it_may():
    times = []
    worker = NewestOnly(times.append, 0.05, "worker")
    stop = threading.Event()
    for number in range(40):
        worker.put(number)
        stop.wait(0.005)
    worker.close()
    assert 2 <= len(times) <= 8


def test_what_waits_for_its_time_is_done_at_once_when_flushed():
    done = []
    worker = NewestOnly(done.append, 60, "worker")
    for item in range(3):
        worker.put(item)
        worker.flush()
    assert done == [0, 1, 2]
    worker.close()


def test_closing_leaves_out_what_waits_and_does_not_hang():
    worker = NewestOnly(lambda item: None, 0, "worker")
    worker.flush()
    worker.close()
    worker.put(1)
    worker.flush()
