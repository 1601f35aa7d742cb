# SPDX-License-Identifier: Apache-2.0
"""Instances of tasks and interrupts."""

from plexor.figures.codes.instances import instances
from plexor.figures.codes.lanes import LaneKind, lanes_of

from ...coded import BITS, array

# Task 1 is released at 100 by interrupt 0, runs from 120 to 160 and from 190 to 200, and waits.
ONE = [
    (90, 6, 0), (100, 2, 1), (115, 7, 0), (120, 1, 1), (130, 6, 0), (137, 7, 0),
    (160, 1, 2), (190, 1, 1), (200, 3, 1), (205, 1, 2),
]  # fmt: skip
PERIOD = 500
TWICE = [(50, 3, 1), *ONE, *((time + PERIOD, *what) for time, *what in ONE)]


def found(kind: LaneKind, number: int, planted=TWICE, gap: int | None = None):
    codes = array(planted)
    if gap is not None:
        codes["gap"][gap] = True
    lanes = lanes_of(codes, BITS, 0, 2000)
    lane = lanes.lane(kind, number)
    assert lane is not None
    return instances(lane, lanes)


def test_an_instance_of_a_task_lasts_from_its_release_until_it_waits():
    task = found(LaneKind.TASK, 1)
    assert task.start_ticks.tolist() == [100, 600]
    assert task.response_ticks.tolist() == [100, 100]
    assert task.period_ticks.tolist() == [500]
    assert task.fragments.tolist() == [2, 2]


def test_execution_leaves_out_other_tasks_and_interrupts():
    assert found(LaneKind.TASK, 1).execution_ticks.tolist() == [40 - 7 + 10] * 2


def test_no_period_spans_a_gap():
    thrice = [*TWICE, *((time + 2 * PERIOD, *what) for time, *what in ONE)]
    assert found(LaneKind.TASK, 1, thrice).period_ticks.tolist() == [500, 500]
    around = found(LaneKind.TASK, 1, thrice, gap=12)
    assert around.start_ticks.tolist() == [100, 1100]
    assert around.period_ticks.tolist() == []


def test_an_instance_of_an_interrupt_is_its_service():
    interrupt = found(LaneKind.INTERRUPT, 0)
    assert interrupt.start_ticks.tolist() == [130, 590, 630]
    assert interrupt.execution_ticks.tolist() == [7, 25, 7]


def test_an_instance_that_the_run_or_a_gap_cuts_is_left_out():
    assert len(found(LaneKind.TASK, 1, TWICE[1:9]).start_ticks) == 0
    assert len(found(LaneKind.TASK, 1, TWICE[:9]).start_ticks) == 0
