# SPDX-License-Identifier: Apache-2.0
"""The results of a run at one moment."""

import pytest

from plexor.base.errors import UsageError
from plexor.library.snapshot import Snapshot
from plexor.model.results import SnapshotResult


def test_its_channels_are_found_by_name(run_of):
    result = SnapshotResult(4, 9, run_of([[1000, None], [2000, 3000]]).channels)
    snapshot = Snapshot(result, 1_000_000, True, None, False, lambda: pytest.fail("not asked"))
    assert snapshot.number == 4
    assert [reading.name for reading in snapshot.channels] == ["ISR", "TASK"]
    assert (snapshot["ISR"].missed, snapshot["TASK"].max_s) == (1, 3e-6)
    with pytest.raises(UsageError, match="there is none; this run has ISR, TASK"):
        _ = snapshot["APP"]


def test_its_run_is_that_which_it_waits_for():
    run = object()
    snapshot = Snapshot(SnapshotResult(1, 0, ()), 1_000_000, False, None, True, lambda: run)
    assert snapshot.run is run
