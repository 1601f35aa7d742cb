# SPDX-License-Identifier: Apache-2.0
"""Operations that came, against what the firmware counted itself."""

import pytest

from plexor_lab.bench.bench import Bench
from plexor_lab.bench.spec import BenchSpec
from plexor_lab.bench.taken import taken

ITERATIONS = 53
"""No multiple of the five tasks that take turns."""
COOPERATIVE, PREEMPTIVE, INTERRUPT, INTERRUPT_PREEMPTION, ALLOCATION = 2, 3, 4, 5, 8


@pytest.fixture(scope="module")
def threadmetric():
    return Bench(taken(BenchSpec(suite="threadmetric", iterations=ITERATIONS)))


def figures(bench, test):
    return next(each for each in bench.figures if each.test.number == test)


def test_the_operations_between_codes_are_as_many_as_the_firmware_counted(threadmetric):
    assert threadmetric.reasons == ()
    for each in threadmetric.figures:
        assert abs(len(each.samples) - sum(each.counters)) <= 1, each.test.title
        assert len(each.samples) >= ITERATIONS


def test_the_counters_of_tasks_that_take_turns_are_within_one_of_each_other(threadmetric):
    counters = figures(threadmetric, COOPERATIVE).counters
    assert len(counters) == 5
    assert max(counters) - min(counters) <= 1
    assert sum(counters) == ITERATIONS


def test_a_task_is_resumed_as_often_as_the_one_above_it_within_one(threadmetric):
    lowest, *counters = figures(threadmetric, PREEMPTIVE).counters
    assert lowest == 0
    assert max(counters) - min(counters) <= 1


def test_the_worst_operation_is_named_with_what_ran_meanwhile(threadmetric):
    each = figures(threadmetric, INTERRUPT_PREEMPTION)
    ran = [what for what, _ in threadmetric.meanwhile(each.worst)]
    # The interrupt wakes the task that ends the operation, and nothing else does.
    assert ran[0] == "bench is served"
    assert "helper2 runs" in ran
    place = each.samples.index(each.worst) + 1
    line = next(
        line for line in threadmetric.text().splitlines() if f"5.01  sample {place}," in line
    )
    assert "bench is served, helper2 runs" in line
    assert each.worst.ticks == max(sample.ticks for sample in each.samples)


def test_operations_that_a_tick_prolongs_are_longer_than_the_usual_one(threadmetric):
    prolonged = 0
    for each in threadmetric.figures[1:]:
        ran = [dict(threadmetric.meanwhile(sample)) for sample in each.samples]
        ticks = sorted(sample.ticks for sample in each.samples)
        for sample, what in zip(each.samples, ran, strict=True):
            if "tick is served" in what:
                prolonged += 1
                assert sample.ticks > ticks[len(ticks) // 2], each.test.title
    assert prolonged
