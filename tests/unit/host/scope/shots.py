# SPDX-License-Identifier: Apache-2.0
"""Snapshots of a live page, made of hand-made runs."""

import time

from plexor.protocol.registers import RunState
from plexor.run.session.progress import Progress
from plexor.scope.interface import Shot


def shot_of(run, number=1, elapsed_s=0.5, **progress):
    """Return a run's results as a snapshot of it."""
    known = {
        "strikes": 40,
        "expected_strikes": 100,
        "elapsed_s": elapsed_s,
        "expected_s": None,
        "wall_s": 2.0,
        "remaining_wall_s": None,
        "events_received": 160,
        "dropped": 0,
        "frames_lost": 0,
        "decode_faults": 0,
        "state": RunState.RUNNING,
    } | progress
    return Shot(
        number,
        Progress(**known),
        run.channels,
        run.tick_fs,
        run.simulated,
        run.start_ticks,
        time.time(),
        run.invalid_reasons,
    )
