# SPDX-License-Identifier: Apache-2.0
"""`plexor explain` of FreeRTOS under load, against the codes that its core retired."""

from collections import Counter

import numpy as np
import pytest

from plexor.figures.explain.blame import NOT_KNOWN

from .kernel_codes import told

OVER_US = 8
CRITICAL = 8 << 4
"""The code with which the load's critical section begins."""


@pytest.fixture(scope="module")
def critical(tmp_path_factory):
    folder = tmp_path_factory.mktemp("critical")
    asked = {"rate": "5k", "count": 250, "load": "on", "channels": "ISR=ch0"}
    return told(folder, "codes=port,load=critical", **asked)


def strikes_of(run):
    """Return time and latency in ticks of each strike, by the events alone."""
    events = run.events
    strikes = events[(events["source"] == 8) & (events["polarity"] == 1)]["time_ticks"]
    answers = events[(events["source"] == 0) & (events["polarity"] == 1)]["time_ticks"]
    assert len(strikes) == len(answers)
    return strikes.astype(np.int64), (answers - strikes).astype(np.int64)


def test_late_answers_have_the_code_that_was_retired_last_before_their_strike(critical):
    run = critical.run
    starts, latency = strikes_of(run)
    late = starts[latency > OVER_US * 2000]
    assert len(late) > 20
    times, codes = zip(*critical.codes, strict=True)
    last = np.searchsorted(times, late * 500, "right") - 1
    truth = Counter(codes[place] for place in last)
    assert truth[CRITICAL] > 0.9 * len(late)
    (channel,) = run.why(over=f"{OVER_US}us").channels
    said = {entry.code: entry.late for entry in channel.blamed if entry.late}
    assert sum(said.values()) == len(late)
    agreed = sum(min(said.get(code, 0), count) for code, count in truth.items())
    assert agreed >= 0.99 * (len(late) - said.get(NOT_KNOWN, 0))
    assert said.get(NOT_KNOWN, 0) <= 1
