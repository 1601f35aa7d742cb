# SPDX-License-Identifier: Apache-2.0
"""Lanes of codes equal a schedule that the test keeps tick by tick."""

import numpy as np
import pytest

from plexor.figures.codes.lanes import LaneKind, LaneState, lanes_of, switches
from plexor.protocol.codes import CodeClass

from ...coded import BITS, array

END = 4000
TASK_STATES = {
    CodeClass.RUN: LaneState.RUNNING,
    CodeClass.READY: LaneState.READY,
    CodeClass.BLOCKED: LaneState.BLOCKED,
    CodeClass.SLEEPING: LaneState.SLEEPING,
}


def scheduled(seed: int):
    """Codes of four tasks and an interrupt at random, and each lane's state at each tick."""
    rng = np.random.default_rng(seed)
    planted, states = [], {("task", n): [LaneState.UNKNOWN] * END for n in range(4)}
    states["interrupt", 0] = [LaneState.UNKNOWN] * END
    runs = None
    served = False
    for time in sorted(rng.choice(np.arange(1, END), 300, replace=False).tolist()):
        if rng.random() < 0.3:
            served = not served
            kind = CodeClass.ISR_ENTER if served else CodeClass.ISR_EXIT
            planted.append((time, kind, 0))
            states["interrupt", 0][time:] = [LaneState.ACTIVE if served else LaneState.IDLE] * (
                END - time
            )
            continue
        task = int(rng.integers(4))
        kind = list(TASK_STATES)[rng.integers(4)]
        planted.append((time, kind, task))
        if kind == CodeClass.RUN:
            if runs not in (None, task):
                states["task", runs][time:] = [LaneState.READY] * (END - time)
            runs = task
        elif runs == task:
            runs = None
        states["task", task][time:] = [TASK_STATES[kind]] * (END - time)
    return planted, states


@pytest.mark.parametrize("seed", range(20))
def test_the_time_in_each_state_is_that_of_the_schedule_and_sums_to_the_run(seed):
    planted, states = scheduled(seed)
    lanes = lanes_of(array(planted), BITS, 0, END)
    for (kind, number), truth in states.items():
        lane = lanes.lane(LaneKind(kind), number)
        assert lane is not None
        assert {state: lane.time_in(state) for state in LaneState} == {
            state: truth.count(state) for state in LaneState
        }
        assert sum(lane.time_in(state) for state in LaneState) == END
    running = np.array([[s == LaneState.RUNNING for s in states["task", n]] for n in range(4)])
    assert running.sum(axis=0).max() <= 1


def test_each_switch_from_task_to_task_is_there_once():
    planted = [(10, 1, 0), (20, 1, 1), (30, 1, 1), (40, 3, 1), (50, 1, 0), (60, 1, 2)]
    found = [
        (e.time_ticks, e.from_task, e.to_task)
        for e in switches(lanes_of(array(planted), BITS, 0, 99))
    ]
    assert found == [(20, 0, 1), (50, 1, 0), (60, 0, 2)]


def test_user_states_hold_one_after_the_other_and_inheritance_is_marked():
    lanes = lanes_of(array([(10, 10, 5), (30, 10, 6), (35, 5, 2), (70, 10, 5)]), BITS, 0, 100)
    five, six = (lanes.lane(LaneKind.STATE, n) for n in (5, 6))
    assert five is not None
    assert six is not None
    assert (five.time_in(LaneState.ACTIVE), six.time_in(LaneState.ACTIVE)) == (50, 40)
    task = lanes.lane(LaneKind.TASK, 2)
    assert task is not None
    assert task.inherits.tolist() == [35]


def test_where_codes_are_missing_no_state_is_known_until_the_lanes_next_code():
    codes = array([(10, 1, 0), (20, 1, 1), (50, 3, 0), (80, 1, 1)])
    codes["gap"][2] = True
    lanes = lanes_of(codes, BITS, 0, 100)
    one = lanes.lane(LaneKind.TASK, 1)
    assert one is not None
    assert (one.time_in(LaneState.RUNNING), one.time_in(LaneState.UNKNOWN)) == (20, 80)
    none = lanes.lane(LaneKind.TASK, 0)
    assert none is not None
    assert [
        none.time_in(state) for state in (LaneState.RUNNING, LaneState.UNKNOWN, LaneState.BLOCKED)
    ] == [
        20 - 10,
        10 + 50 - 20,
        100 - 50,
    ]
    assert (lanes.gaps, lanes.torn) == (1, 0)


def test_a_torn_code_is_left_out_and_makes_states_unknown():
    codes = array([(10, 1, 0), (20, 1, 1), (50, 1, 0)])
    codes["torn"][1] = True
    lanes = lanes_of(codes, BITS, 0, 100)
    assert [lane.number for lane in lanes.lanes] == [0]
    assert lanes.torn == 1
    assert lanes.lanes[0].time_in(LaneState.UNKNOWN) == 10 + 30
