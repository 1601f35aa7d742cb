# SPDX-License-Identifier: Apache-2.0
"""What a device said in a run, by name."""

import pytest

from plexor.base.errors import UsageError
from plexor.figures.codes.lanes import LaneKind
from plexor.library.explain.coded import CodedRun
from plexor.model.codes import CodeName

from ...coded import coded_run
from ...runs import run

NAMES = (CodeName(1, 3, "motor"), CodeName(6, 0, "strike"), CodeName(8, 2, "pid.c:step"))
PLANTED = [(1000, 6, 0), (3000, 7, 0), (5000, 1, 3), (7000, 8, 2), (9000, 9, 2)]


def test_lanes_and_functions_have_the_names_of_the_firmware():
    coded = CodedRun(coded_run(PLANTED, 12_000, NAMES))
    assert [coded.lane_name(lane) for lane in coded.lanes.lanes] == ["strike", "motor"]
    assert [lane.kind for lane in coded.lanes.lanes] == [LaneKind.INTERRUPT, LaneKind.TASK]
    (call,) = coded.calls.calls
    assert (coded.function_name(call.function), call.total_ticks) == ("pid.c:step", 2000)


def test_a_run_without_codes_is_refused():
    with pytest.raises(UsageError, match="this run has no codes; measure it with --code-port"):
        CodedRun(run()[0])
