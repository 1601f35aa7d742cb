# SPDX-License-Identifier: Apache-2.0
"""A run on two cores: identical, or the first difference."""

from dataclasses import replace

import numpy as np
import pytest

from plexor.base.errors import UsageError
from plexor.experiments.selftest.against import judged, with_core
from plexor.library.upkeep.selftest import selftested
from plexor.model.results import EVENT_DTYPE


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("sim:", "sim:?core=gateware"),
        ("sim:bare?core=twin&board=ulx3s-25f", "sim:bare?board=ulx3s-25f&core=gateware"),
    ],
)
def test_a_link_is_taken_with_another_core(uri, expected):
    assert with_core(uri, "gateware") == expected


def events(*times):
    made = np.zeros(len(times), EVENT_DTYPE)
    made["time_ticks"], made["index"], made["polarity"] = times, range(len(times)), 1
    return made


def test_identical_runs_are_said_with_their_events(run_of):
    run_result = run_of([[1000, 2000]])
    run = replace(run_result, events=events(5, 9))
    found = judged("twin", run, "gateware", replace(run, wall_seconds=99.0))
    assert found.passed
    assert found.summary == "twin and gateware: 2 events identical"


def test_the_first_event_that_differs_is_named(run_of):
    run_result = run_of([[1000, 2000]])
    one, other = (replace(run_result, events=events(5, last)) for last in (9, 10))
    found = judged("twin", one, "gateware", other)
    assert found.findings[0].text == (
        "event 1: twin has a rise of ch0 at 9 ticks, gateware has a rise of ch0 at 10 ticks"
    )


def test_events_that_lack_are_counted(run_of):
    run_result = run_of([[1000, 2000]])
    one, other = (replace(run_result, events=events(*times)) for times in ((5,), (5, 9)))
    found = judged("twin", one, "gateware", other)
    assert found.findings[0].text == "twin has 1 event, gateware 2"


def test_another_end_is_found(run_of):
    run_result = run_of([[1000, 2000]])
    other = replace(run_result, end_ticks=run_result.end_ticks + 8)
    assert "end_ticks" in judged("twin", run_result, "gateware", other).findings[0].text


def test_only_a_simulated_instrument_has_another_core():
    class Board:
        name = "serial:/dev/ttyUSB0"

    with pytest.raises(UsageError, match="against: is for sim: links"):
        selftested(Board(), against="gateware")
