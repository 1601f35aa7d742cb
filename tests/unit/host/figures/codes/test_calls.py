# SPDX-License-Identifier: Apache-2.0
"""Calls of codes equal those that were planted."""

import pytest

from plexor.figures.codes.calls import calls_of, corrected
from plexor.protocol.codes import CodeClass

from ...coded import BITS, array
from .planted_calls import PlantedCalls

RUN, ENTER, EXIT = CodeClass.RUN, CodeClass.ENTER, CodeClass.EXIT


def found(planted):
    return calls_of(array(planted), BITS)


@pytest.mark.parametrize("interrupts", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_each_call_has_its_path_its_instants_and_its_own_time(seed, interrupts):
    truth = PlantedCalls(seed, interrupts=interrupts)
    calls = found(truth.codes)
    assert [(e.path, e.enter_ticks, e.exit_ticks) for e in calls.calls] == [
        entry[:3] for entry in truth.calls
    ]
    # The tick between a callee's exit and its caller's next code is the caller's.
    gaps = [sum(e[0][:-1] == p and a < e[1] and e[2] <= b for e in truth.calls)
            for p, a, b, _ in truth.calls]  # fmt: skip
    assert [e.own_ticks for e in calls.calls] == [
        own + gap for (_, _, _, own), gap in zip(truth.calls, gaps, strict=True)
    ]
    assert calls.unmatched_exits == calls.unmatched_entries == ()


def test_a_callers_total_is_its_own_time_and_that_of_its_callees():
    calls = found(PlantedCalls(3).codes).calls
    for call in calls:
        inside = range(call.enter_ticks, call.exit_ticks + 1)
        below = [e for e in calls if e.enter_ticks in inside and e.exit_ticks in inside]
        assert call.total_ticks == sum(e.own_ticks for e in below)
        assert call.calls == len(below) - 1
        assert call.total_ticks == call.exit_ticks - call.enter_ticks


def test_recursion_three_deep_is_three_calls():
    calls = found([(0, ENTER, 1), (10, ENTER, 1), (20, ENTER, 1), (25, EXIT, 1), (37, EXIT, 1),
                   (50, EXIT, 1)]).calls  # fmt: skip
    assert [(e.path, e.total_ticks, e.own_ticks) for e in calls] == [
        ((1, 1, 1), 5, 5),
        ((1, 1), 27, 22),
        ((1,), 50, 23),
    ]


def test_each_task_has_its_own_stack_and_others_time_is_not_its_own():
    calls = found([(0, RUN, 0), (10, ENTER, 1), (20, RUN, 5), (30, ENTER, 2), (40, RUN, 0),
                   (45, EXIT, 1), (50, RUN, 5), (58, EXIT, 2)]).calls  # fmt: skip
    assert [(e.actor, e.path, e.total_ticks) for e in calls] == [
        (("task", 0), (1,), 10 + 5),
        (("task", 5), (2,), 10 + 8),
    ]


def test_what_does_not_match_is_named_and_spoils_nothing_else():
    calls = found([(0, EXIT, 9), (10, ENTER, 1), (20, ENTER, 2), (30, ENTER, 3), (40, EXIT, 3),
                   (60, EXIT, 1), (70, ENTER, 4), (80, EXIT, 5)])  # fmt: skip
    assert calls.unmatched_exits == ((0, 9), (80, 5))
    assert calls.unmatched_entries == ((20, 2), (70, 4))
    assert [(e.path, e.total_ticks, e.own_ticks) for e in calls.calls] == [
        ((1, 2, 3), 10, 10),
        ((1,), 50, 40),
    ]


def test_a_gap_ends_all_open_calls():
    codes = array([(0, ENTER, 1), (10, ENTER, 2), (50, EXIT, 2), (60, EXIT, 1)])
    codes["gap"][2] = True
    calls = calls_of(codes, BITS)
    assert calls.calls == ()
    assert len(calls.unmatched_entries) == len(calls.unmatched_exits) == 2


def test_corrected_is_raw_less_the_base_of_each_call():
    truth = PlantedCalls(5)
    for call in found(truth.codes).calls:
        whole, own = corrected(call, 1)
        assert whole == max(call.total_ticks - 1 - call.calls, 0)
        assert own == max(call.own_ticks - 1 - call.own_calls, 0)
        assert corrected(call, 0) == (call.total_ticks, call.own_ticks)
        assert corrected(call, 10**6) == (0, 0)
