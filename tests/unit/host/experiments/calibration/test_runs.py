# SPDX-License-Identifier: Apache-2.0
"""Runs to their end, and once more where the link has lost a part: by results that are planted."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from plexor.base.errors import LinkError
from plexor.experiments.calibration.runs import TRIES, complete_run, dumped_run, whole_run
from plexor.model.results import Accounting
from plexor.model.settings import Settings
from plexor.protocol.registers import StopReason

DEVICE = SimpleNamespace(name="sim:")


@pytest.fixture
def brings(monkeypatch):
    """Return a function that plants the results of the runs to come; the last one stays."""

    def plant(*results):
        left = list(results)
        taken = []

        def measure(device, settings, on_progress=None, *, stop=None):
            taken.append(left.pop(0) if len(left) > 1 else left[0])
            return taken[-1]

        monkeypatch.setattr("plexor.run.session.session.measure", measure)
        return taken

    return plant


@pytest.fixture
def good(run_of):
    return run_of([[1000, 1100]])


def test_an_interrupted_run_is_no_result(brings, good):
    brings(replace(good, interrupted=True))
    with pytest.raises(KeyboardInterrupt):
        whole_run(DEVICE, Settings())


def test_a_run_whose_end_was_never_seen_is_a_link_error_with_its_reasons(brings, good):
    brings(replace(good, stop_reason=StopReason.NONE, invalid_reasons=("cut", "short")))
    with pytest.raises(LinkError) as caught:
        whole_run(DEVICE, Settings())
    assert str(caught.value) == "sim:: cut; short"


@pytest.mark.parametrize(("bad", "taken"), [(0, 1), (1, 2), (TRIES - 1, TRIES), (TRIES, TRIES)])
def test_a_run_that_lost_events_is_taken_again_and_the_last_try_is_as_it_is(
    brings, good, bad, taken
):
    lossy = replace(good, accounting=Accounting(8, 7, 0, 1))
    log = brings(*[lossy] * bad, good)
    found = complete_run(DEVICE, Settings())
    assert len(log) == taken
    assert (found is good) == (bad < TRIES)


def test_a_run_that_kept_no_events_is_taken_again(brings, good):
    log = brings(replace(good, events=None), good)
    assert complete_run(DEVICE, Settings()) is good
    assert len(log) == 2


@pytest.mark.parametrize("bad", [0, TRIES - 1])
def test_a_dump_that_never_came_is_asked_for_again_and_other_doubts_are_not(brings, good, bad):
    short = replace(good, invalid_reasons=("results never came: latency_bins",))
    doubted = replace(good, invalid_reasons=("a counter is saturated",))
    log = brings(*[short] * bad, doubted)
    assert dumped_run(DEVICE, Settings()) is doubted
    assert len(log) == bad + 1


def test_dumps_that_never_come_end_with_what_is_missing(brings, good):
    reasons = ("a counter is saturated", "results never came: classes")
    log = brings(replace(good, invalid_reasons=reasons))
    with pytest.raises(LinkError) as caught:
        dumped_run(DEVICE, Settings())
    assert str(caught.value) == "sim:: results never came: classes"
    assert len(log) == TRIES
