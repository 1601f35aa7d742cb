# SPDX-License-Identifier: Apache-2.0
"""Runs that codes end: one that a device stalls in, and one that a code is waited for."""

import pytest
from code_port import codes_of
from struck_codes import DEVICE, planted, told_run

from plexor.protocol.frames import SOURCE_CODE, SOURCE_STRIKE
from plexor.protocol.registers import StopOn, StopReason, Stream

STALL_TICKS = 50_000
RUN_TICKS = 3_000_000
FEW = 500
"""Codes that are planted: they end some 200 µs after the run has started."""


@pytest.fixture(scope="module")
def stalled(tmp_path_factory):
    option, times, values = planted(tmp_path_factory.mktemp("codes"), 3, FEW, (40_000, 2_500_000))
    settings = {
        ("control", "stream", 0): Stream.LIVE,
        ("control", "stop_on", 0): StopOn.STALL | StopOn.TIME,
        ("control", "run_time_ticks", 0): RUN_TICKS,
        ("code", "stall_source", 0): SOURCE_CODE,
        ("code", "stall_ticks", 0): STALL_TICKS,
    }
    return told_run(f"{DEVICE},{option}", settings), times, values


def test_a_stall_is_told_with_the_time_of_the_last_code_and_the_limit(stalled):
    told, times, _ = stalled
    assert told.status["stop_reason"] == StopReason.STALL
    assert times[-1] > told.status["start_ticks"]
    assert told.status["trigger_ticks"] == times[-1] + STALL_TICKS


def test_the_last_five_codes_before_a_stall_are_exact_and_strikes_went_on(stalled):
    told, times, values = stalled
    last = list(zip(times, values, strict=True))[-5:]
    assert codes_of(told.batch)[-5:].tolist() == [list(each) for each in last]
    struck = told.batch.time_ticks()[told.batch.sources() == SOURCE_STRIKE]
    assert struck[-1] > times[-1] + STALL_TICKS - 2 * 3001
    assert told.status["end_ticks"] - told.status["trigger_ticks"] < 2 * 3001


def test_the_index_of_a_stall_is_that_of_the_first_event_behind_it(stalled):
    told, times, _ = stalled
    before = told.batch.time_ticks() <= times[-1] + STALL_TICKS
    assert told.status["trigger_index"] == before.sum()


def test_a_run_ends_at_the_code_that_it_waits_for(tmp_path):
    option, times, values = planted(tmp_path, 4, 1600, (40_000, 2_500_000))
    waited = values[600]
    settings = {
        ("control", "stream", 0): Stream.LIVE,
        ("control", "stop_on", 0): StopOn.CODE | StopOn.TIME,
        ("control", "run_time_ticks", 0): RUN_TICKS,
        ("code", "stop_code", 0): waited,
    }
    told = told_run(f"{DEVICE},{option}", settings)
    start = told.status["start_ticks"]
    at = next(t for t, v in zip(times, values, strict=True) if t > start and v == waited)
    assert told.status["stop_reason"] == StopReason.CODE
    assert told.status["trigger_ticks"] == at
    index = told.status["trigger_index"]
    (event,) = [each for each in told.batch.array() if each["index"] == index]
    assert (event["time_ticks"], event["source"]) == (at, SOURCE_CODE)
