# SPDX-License-Identifier: Apache-2.0
"""How far a run is, by its strikes and by its time."""

import pytest

from plexor.protocol.registers import RunState
from plexor.run.session.progress import Progress


def progress(**given):
    """Return the progress of a run that has just begun, save for what is given."""
    begun = {
        "strikes": 0,
        "expected_strikes": None,
        "elapsed_s": 0.0,
        "expected_s": None,
        "wall_s": 0.0,
        "remaining_wall_s": None,
        "events_received": 0,
        "dropped": 0,
        "frames_lost": 0,
        "decode_faults": 0,
        "state": RunState.RUNNING,
    }
    return Progress(**begun | given)


@pytest.mark.parametrize(("strikes", "elapsed_s", "hz"), [(500, 0.25, 2000), (0, 1.0, 0)])
def test_the_rate_is_strikes_by_the_instruments_time_not_by_the_wall(strikes, elapsed_s, hz):
    assert progress(strikes=strikes, elapsed_s=elapsed_s, wall_s=9.0).rate_hz == hz


def test_a_run_that_has_not_begun_has_no_rate():
    assert progress(strikes=1, wall_s=9.0).rate_hz == 0


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ({"expected_strikes": 200}, 0.25),
        ({"expected_s": 10.0}, 0.2),
        # Whatever comes first ends the run.
        ({"expected_strikes": 200, "expected_s": 10.0}, 0.25),
        ({"expected_strikes": 1000, "expected_s": 10.0}, 0.2),
        # The last snapshot of a run may be of what comes after its end.
        ({"expected_strikes": 49}, 1.0),
        ({"expected_s": 1.5}, 1.0),
    ],
)
def test_the_part_done_is_that_of_the_end_that_is_nearest(given, part):
    assert progress(strikes=50, elapsed_s=2.0, **given).fraction == part


@pytest.mark.parametrize("given", [{}, {"expected_strikes": 0}, {"expected_s": 0.0}])
def test_a_run_without_an_end_has_no_part_done(given):
    assert progress(strikes=50, elapsed_s=2.0, **given).fraction is None
