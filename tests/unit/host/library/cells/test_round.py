# SPDX-License-Identifier: Apache-2.0
"""Rounds of a farm: instruments are used by one cell at a time, and cells are measured once."""

import threading
import time
from collections import Counter
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import pytest

from plexor.errors import LinkError, UsageError
from plexor.experiments.pool import RETRIES, Workers
from plexor.library.cells import round as under_test
from plexor.library.cells.cell import Cell
from plexor.library.cells.round import Round


def cells(count, *instruments):
    """Return cells of instruments: those that begin with `sim` are simulated."""
    return [
        Cell(
            names={"instrument": name, "load": str(n)},
            link="sim:" if name.startswith("sim") else f"tcp://{name}:1",
        )
        for n in range(count)
        for name in instruments
    ]


def measured(wanted, open_executor, take, monkeypatch):
    """Have cells measured by `take`; return what came of each, in the order in which they ended."""
    found = []
    monkeypatch.setattr(under_test, "take", take)
    monkeypatch.setattr(under_test, "POLL_S", 0.01)
    with Workers(open_executor) as workers:
        Round(wanted, workers, lambda cell, result: found.append((cell, result))).run()
    return found


def test_a_real_instrument_is_used_by_one_cell_at_a_time_and_simulated_ones_by_many(monkeypatch):
    lock, under_way, most = threading.Lock(), Counter(), Counter()

    def take(cell):
        with lock:
            under_way[cell.link] += 1
            most[cell.link] = max(most[cell.link], under_way[cell.link])
        time.sleep(0.005)
        with lock:
            under_way[cell.link] -= 1
        return cell.name

    wanted = cells(6, "left", "right", "sim")
    found = measured(wanted, lambda: ThreadPoolExecutor(8), take, monkeypatch)
    assert Counter(cell.name for cell, _ in found) == Counter(cell.name for cell in wanted)
    assert all(cell.name == result for cell, result in found)
    assert most["tcp://left:1"] == most["tcp://right:1"] == 1
    assert most["sim:"] > 1


def test_a_cell_that_fails_does_not_keep_others_from_being_measured(monkeypatch):
    def take(cell):
        if cell.names["load"] == "1":
            raise LinkError("refused")
        return "a run"

    found = measured(cells(3, "left"), lambda: ThreadPoolExecutor(2), take, monkeypatch)
    assert [(cell.names["load"], str(result)) for cell, result in found] == [
        ("0", "a run"),
        ("1", "refused"),
        ("2", "a run"),
    ]


class Dying(Executor):
    """An executor of one worker, which dies at some of its jobs, and takes all others with it."""

    def __init__(self, deaths, taken):
        self._deaths, self._taken = deaths, taken
        self._broken = False

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        (cell,) = args
        if self._broken or self._deaths[cell.name] > 0:
            self._deaths[cell.name] -= not self._broken
            self._broken = True
            future.set_exception(BrokenProcessPool("a worker died"))
        else:
            self._taken[cell.name] += 1
            future.set_result(fn(cell))
        return future

    def shutdown(self, wait=True, *, cancel_futures=False):
        """End nothing."""


def test_what_a_worker_had_under_way_when_it_died_is_measured_by_another_and_once(monkeypatch):
    wanted = cells(4, "left", "sim")
    deaths, taken = Counter({"left/1": 1, "sim/2": 2}), Counter()
    found = measured(wanted, lambda: Dying(deaths, taken), lambda cell: cell.name, monkeypatch)
    assert Counter(cell.name for cell, _ in found) == Counter(cell.name for cell in wanted)
    assert +deaths == Counter()


def test_workers_that_keep_dying_end_the_round_in_one_line(monkeypatch):
    deaths = Counter({"left/0": 99})
    with pytest.raises(LinkError, match=f"executor: {RETRIES + 1} workers died: a worker died"):
        measured(
            cells(1, "left"), lambda: Dying(deaths, Counter()), lambda cell: cell.name, monkeypatch
        )


def test_a_fault_of_the_program_is_not_taken_for_a_worker_that_died(monkeypatch):
    def take(cell):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        measured(cells(1, "left"), lambda: ThreadPoolExecutor(1), take, monkeypatch)


class Cluster(Workers):
    """Workers that have resources, as those of a cluster may."""

    def __init__(self, offered):
        super().__init__(lambda: ThreadPoolExecutor(2))
        self.offered = offered
        self.needed = []

    def submit(self, work, job, needs=""):
        self.needed.append((job.name, needs))
        return super().submit(work, job)

    def offers(self, needs):
        return needs in self.offered


def test_on_a_cluster_a_real_instrument_is_a_resource_of_its_name(monkeypatch):
    monkeypatch.setattr(under_test, "take", lambda cell: cell.name)
    with Cluster({"left"}) as workers:
        Round(cells(2, "left", "sim"), workers, lambda cell, result: None).run()
    assert sorted(workers.needed) == [
        ("left/0", "left"),
        ("left/1", "left"),
        ("sim/0", ""),
        ("sim/1", ""),
    ]


def test_an_instrument_that_no_worker_has_is_told_before_anything_is_measured(monkeypatch):
    monkeypatch.setattr(under_test, "take", lambda cell: cell.name)
    expected = (
        "instrument right: no Dask worker has it; start one beside it with --resources right=1"
    )
    with Cluster({"left"}) as workers, pytest.raises(UsageError, match=expected):
        Round(cells(2, "left", "right"), workers, lambda cell, result: None).run()
    assert workers.needed == []


def test_a_cell_whose_worker_is_gone_for_good_is_given_up(monkeypatch):
    """As Dask does, the job waits for a worker that never comes."""
    monkeypatch.setattr(under_test, "POLL_S", 0.01)
    monkeypatch.setattr(under_test, "GONE_S", 0.1)
    found = []

    class Gone(Cluster):
        def submit(self, work, job, needs=""):
            self.offered = set()
            return Future()

    with Gone({"left"}) as workers:
        Round(cells(2, "left"), workers, lambda cell, result: found.append(str(result))).run()
    assert found == ["instrument left: no Dask worker has it any more"] * 2


def test_what_is_under_way_at_an_early_end_is_kept_and_the_rest_is_left_open(monkeypatch):
    begun, go, found = threading.Event(), threading.Event(), []

    def take(cell):
        begun.set()
        go.wait(10)
        return cell.name

    monkeypatch.setattr(under_test, "take", take)
    with Workers(lambda: ThreadPoolExecutor(1)) as workers:
        under_way = Round(cells(3, "sim"), workers, lambda cell, result: found.append(cell.name))
        under_way._begin()
        begun.wait(10)
        go.set()
        under_way.finish()
    assert found == ["sim/0"]
