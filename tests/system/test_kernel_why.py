"""`plexor why` of FreeRTOS under load, against the codes that its core retired."""

from collections import Counter

import numpy as np
import pytest

from .kernel_codes import TICK_PS, told

OVER_US = 8
CRITICAL = 8 << 6
"""The code with which the load's critical section begins."""


@pytest.fixture(scope="module")
def critical(tmp_path_factory):
    folder = tmp_path_factory.mktemp("critical")
    asked = {"rate": "5k", "count": 250, "load": True, "channels": "ISR=ch0"}
    return told(folder, "codes=two-wire,load=critical", **asked)


def strikes_of(run):
    """Return time and latency in ticks of each strike, by the events alone."""
    events = run.events
    strikes = events[(events["source"] == 8) & (events["polarity"] == 1)]["time_ticks"]
    answers = events[(events["source"] == 0) & (events["polarity"] == 1)]["time_ticks"]
    assert len(strikes) == len(answers)
    return strikes.astype(np.int64), (answers - strikes).astype(np.int64)


def in_force(codes, starts):
    """Return how many strikes met each code, of (time, code) in order."""
    times, values = zip(*codes, strict=True)
    return Counter(values[place] for place in np.searchsorted(times, starts, "right") - 1)


@pytest.fixture(scope="module")
def late(critical):
    """Return the times in ticks of the strikes that were answered late."""
    starts, latency = strikes_of(critical.run)
    late = starts[latency > OVER_US * 2000]
    assert len(late) > 20
    return late


@pytest.fixture(scope="module")
def said(critical):
    """Return how many late answers met each code, by `why`."""
    (channel,) = critical.run.why(over=f"{OVER_US}us").channels
    return {entry.code: entry.late for entry in channel.blamed if entry.late}


def test_each_late_answer_has_the_code_that_the_device_sent_last(critical, late, said):
    assert said == in_force(critical.sent, late)
    assert said[CRITICAL] > 0.9 * len(late)


def test_that_is_the_code_that_was_retired_last_but_for_the_time_on_the_wires(critical, late, said):
    truth = in_force(critical.codes, late * TICK_PS)
    # A code is 7 clocks late on the wires; a strike meanwhile meets the one before.
    agreed = sum(min(said.get(code, 0), count) for code, count in truth.items())
    print(f"{agreed} of {len(late)} as retired")
    assert agreed >= 0.97 * len(late)
