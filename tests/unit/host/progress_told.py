# SPDX-License-Identifier: Apache-2.0
"""Progress of a run that is under way."""

from plexor.protocol.registers import RunState
from plexor.run.session.progress import Progress


def progress(**given):
    """Return the progress of a run a quarter of which is done, save for what is given."""
    told = {
        "strikes": 2500,
        "expected_strikes": 10_000,
        "elapsed_s": 0.125,
        "expected_s": None,
        "wall_s": 1.0,
        "remaining_wall_s": 3.4,
        "events_received": 9,
        "dropped": 0,
        "frames_lost": 0,
        "decode_faults": 0,
        "state": RunState.RUNNING,
    }
    return Progress(**told | given)
