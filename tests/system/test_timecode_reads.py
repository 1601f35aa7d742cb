# SPDX-License-Identifier: Apache-2.0
"""A device that reads the timecode asynchronously, with skew between its bits."""

from pathlib import Path

import numpy as np
import pytest
from executor_run import TICK_PS, TIMECODE, device, fires, paced, rises

from plexor.protocol.registers import StopReason

READER = Path(__file__).with_name("reader")
READ_PS = 96 * 16_013
STEP_TICKS = 2123


def reads(code, count):
    """Return by how many steps each of at least so many reads is off, at its strobe."""
    steps = count * READ_PS // (STEP_TICKS * TICK_PS) + 2
    with paced(device(f"{READER / code}.toml"), pace_ps=1_000_000_000) as run:
        run.prepare(steps, step_ticks=STEP_TICKS, strobe=0, gray=code == "gray")
        run.start()
        batch = run.until_end()
        assert run.link.get("status", "stop_reason") == StopReason.TIME
        assert run.link.get("status", "upload_dropped") == 0
    found = fires(batch)
    due = rises(batch, TIMECODE)
    assert len(due) == steps
    assert len(found) >= count
    true = np.searchsorted(due, found[:, 0], side="right")
    return ((found[:, 1] & 0xFF) - true + 128) % 256 - 128


@pytest.mark.parametrize(
    "count", [1000, *(pytest.param(n, marks=pytest.mark.full) for n in (3000, 100_000))]
)
def test_no_asynchronous_gray_read_is_off_by_more_than_one(count):
    off = reads("gray", count)
    # The skew makes some late; the pins change up to a clock before the strike's own tick.
    assert np.abs(off).max() == 1


@pytest.mark.full
def test_a_binary_timecode_would_be_off_by_more_than_one():
    assert np.abs(reads("binary", 1000)).max() > 1
