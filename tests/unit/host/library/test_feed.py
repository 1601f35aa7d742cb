# SPDX-License-Identifier: Apache-2.0
"""Events to one reader: none is dropped, and the run waits for it."""

import threading

import numpy as np

from plexor.library import feed as module
from plexor.library.feed import Feed
from plexor.model.results import EVENT_DTYPE


def batch(count):
    return np.zeros(count, EVENT_DTYPE)


def test_a_run_waits_for_a_reader_that_has_too_many_before_it(monkeypatch):
    monkeypatch.setattr(module, "MOST_EVENTS", 100)
    feed = Feed(threading.Condition())
    feed.put(batch(100))
    waited = threading.Event()

    def put():
        feed.put(batch(1))
        waited.set()

    thread = threading.Thread(target=put, daemon=True)
    thread.start()
    assert not waited.wait(0.1)
    assert len(next(feed)) == 100
    assert waited.wait(30)
    assert len(next(feed)) == 1


def test_a_closed_reader_keeps_no_run_waiting(monkeypatch):
    monkeypatch.setattr(module, "MOST_EVENTS", 1)
    feed = Feed(threading.Condition())
    feed.put(batch(5))
    feed.close()
    feed.put(batch(5))
    assert list(feed) == []


def test_after_the_end_what_waits_is_read():
    feed = Feed(threading.Condition())
    feed.put(batch(2))
    feed.put(batch(0))
    feed.put(batch(3))
    feed.finish()
    assert [len(each) for each in feed] == [2, 3]
