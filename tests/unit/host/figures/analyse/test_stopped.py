# SPDX-License-Identifier: Apache-2.0
"""What ended a run early: the channel, how late, when, and which strike; by planted latencies."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

from plexor.base.errors import ExitCode
from plexor.figures.analyse.analyse import analyse
from plexor.files.store.document import document
from plexor.model.settings import Stall
from plexor.protocol.frames import SOURCE_CODE
from plexor.protocol.registers import StopReason
from plexor.show.facts import stop_line
from plexor.show.page import page
from plexor.show.terminal.run import text

from ...conftest import START

PERIOD = 50_000
LATE = 17
"""The strike, counted from 0, whose response comes late, or not at all."""


def run_until(run_of, why, planted):
    """Return a run of two channels; the second does `planted` to one strike, which ends it."""
    task = [3000 + n for n in range(20)]
    task[LATE] = planted
    run = run_of([[1000] * 20, task])
    at = START + LATE * PERIOD + (planted or PERIOD)
    (index,) = np.flatnonzero(run.events["time_ticks"] <= at)[-1:]
    return dataclasses.replace(
        run,
        settings=dataclasses.replace(
            run.settings,
            latency_over_s=Fraction(9, 10**6),
            stop_on_missed=why == StopReason.MISSED,
        ),
        stop_reason=why,
        trigger_index=int(index),
        trigger_ticks=at,
        trace=run.events[index - 4 : index + 2],
    )


def test_a_latency_over_the_limit_is_told_with_channel_strike_and_time(run_of):
    report = analyse(run_until(run_of, StopReason.LATENCY, 9_250))
    # 17 periods of 50 µs, and the latency itself.
    line = "stopped by latency>9 µs: TASK 9.25 µs, strike 18, at 859.25 µs"
    assert stop_line(report) == line
    assert line in text(report, width=100, colour=False).splitlines()
    assert "latency&gt;9 µs: TASK 9.25 µs" in page(report)


def test_the_document_has_what_ended_the_run(run_of):
    report = analyse(run_until(run_of, StopReason.LATENCY, 9_250))
    found = document(report, None, ExitCode.PASS)["stopped"]
    told = {"channel": "TASK", "latency_ticks": 9_250, "at_ticks": 859_250, "strike": 18}
    # A tick is a nanosecond.
    told |= {"latency_s": "0.00000925", "at_s": "0.00085925"}
    assert found == told


def test_a_base_result_is_not_taken_off_the_latency_that_the_limit_is_of(run_of):
    report = analyse(run_until(run_of, StopReason.LATENCY, 9_250), base_ticks=500)
    assert "TASK 9.25 µs" in stop_line(report)


@pytest.mark.parametrize("base", [0, 500])
def test_without_events_the_greatest_latency_is_told_and_no_strike(run_of, base):
    run = dataclasses.replace(run_until(run_of, StopReason.LATENCY, 9_250), events=None)
    told = "stopped by latency>9 µs: TASK 9.25 µs, at 859.25 µs"
    assert stop_line(analyse(run, base)) == told


def test_without_events_and_trace_the_time_is_told(run_of):
    run = run_until(run_of, StopReason.LATENCY, 9_250)
    run = dataclasses.replace(run, events=None, trace=None)
    assert stop_line(analyse(run)) == "stopped by latency>9 µs: a channel, at 859.25 µs"


def test_a_missed_strike_is_told_by_its_own_number_and_time(run_of):
    report = analyse(run_until(run_of, StopReason.MISSED, None))
    assert stop_line(report) == "stopped by missed: TASK, strike 18, at 850 µs"


def test_without_events_the_only_channel_that_missed_is_told(run_of):
    run = dataclasses.replace(run_until(run_of, StopReason.MISSED, None), events=None)
    assert stop_line(analyse(run)) == "stopped by missed: TASK, at 900 µs"


def test_a_run_that_ended_as_planned_says_nothing_of_it(run_of):
    report = analyse(run_of([[1000] * 20]))
    assert stop_line(report) == ""
    assert document(report, None, ExitCode.PASS)["stopped"] is None
    assert "stopped by" not in text(report, width=100, colour=False)


@pytest.mark.parametrize(
    ("why", "line"),
    [
        (StopReason.STALL, "stopped by stall: no code for more than 2 ms, at 3.25 ms"),
        (StopReason.CODE, "stopped by code 0x43, at 3.25 ms"),
    ],
)
def test_a_stall_and_a_code_are_told_with_their_time(run_of, why, line):
    run = run_of([[1000] * 20])
    limit = Stall(SOURCE_CODE, Fraction(2, 1000))
    run = dataclasses.replace(
        run,
        settings=dataclasses.replace(run.settings, stall=limit, stop_code=0x43),
        stop_reason=why,
        trigger_index=5,
        trigger_ticks=START + 3_250_000,
    )
    report = analyse(run)
    assert stop_line(report) == line
    assert line in text(report, width=100, colour=False).splitlines()
    found = document(report, None, ExitCode.PASS)
    assert found["stop_reason"] == why.name.lower()
    assert found["stopped"]["at_ticks"] == 3_250_000


def test_of_two_channels_that_missed_a_strike_the_earlier_one_ended_the_run(run_of):
    """The first channel misses strike 5, the second strike 4."""
    run = run_of([[1000] * 4 + [None] + [1000] * 5, [2000] * 3 + [None] + [2000] * 6])
    settings = dataclasses.replace(run.settings, stop_on_missed=True)
    stopped = dataclasses.replace(
        run, settings=settings, stop_reason=StopReason.MISSED, trigger_index=20,
        trigger_ticks=START + 5 * PERIOD,
    )  # fmt: skip
    assert stop_line(analyse(stopped)).startswith("stopped by missed: TASK, strike 4, at 150 µs")
