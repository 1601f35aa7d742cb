# SPDX-License-Identifier: Apache-2.0
"""Steps as they are told and counted, and what comes of them at any end."""

from concurrent.futures import Executor, Future
from dataclasses import dataclass

import pytest

from plexor.base.errors import InvalidRunError
from plexor.experiments.pool import Workers
from plexor.experiments.stepping import Stepped, stepped
from plexor.experiments.work import Work, taken


@dataclass(frozen=True)
class Some(Work[tuple[str, ...]]):
    """Work of some steps."""

    steps: str

    def take(self):
        return tuple(self.steps)


class Letters:
    """An experiment whose steps are letters, and whose result is a word."""

    kind, goal, duts = "word", None, ()

    def __init__(self, *jobs):
        self.jobs = jobs
        self.done = 0

    def run(self):
        for job in self.jobs:
            self.done += len((yield from taken(Some(job))))

    def expected(self):
        return self.done + 1

    def result(self, steps, interrupted):
        return "".join(steps) + ("..." if interrupted else "")


class Here(Executor):
    def submit(self, work, job):
        future = Future()
        if job.steps == "?":
            future.set_exception(InvalidRunError("no answer"))
        else:
            future.set_result(work(job))
        return future


class Nowhere:
    """A store that keeps nothing."""

    def find(self, work):
        return None

    def add(self, work, found):
        pass


def word(*jobs, on_step=None):
    with Workers(Here) as workers:
        return stepped(Letters(*jobs), workers, Nowhere(), on_step)


def test_each_step_is_told_with_its_number_and_how_many_there_will_be():
    told = []
    found = word("a", "bc", "d", on_step=lambda job, *step: told.append((job.steps, *step)))
    assert found == Stepped("abcd")
    assert told == [("a", "a", 1, 2), ("bc", "b", 2, 4), ("bc", "c", 3, 4), ("d", "d", 4, 5)]


def test_an_early_end_has_the_result_of_the_steps_before_it_and_none_of_no_step():
    found = word("ab", "?", "c")
    assert (found.result, str(found.error)) == ("ab", "no answer")
    assert word("?", "c").result is None
    assert word() == Stepped(None)


def test_an_interrupt_is_said_in_the_result():
    def interrupt(*step):
        raise KeyboardInterrupt

    assert word("ab", "c", on_step=interrupt) == Stepped("ab...", interrupted=True)


def test_what_is_no_error_of_a_step_goes_up():
    with pytest.raises(ZeroDivisionError):
        word("a", on_step=lambda *step: 1 / 0)
