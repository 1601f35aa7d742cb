# SPDX-License-Identifier: Apache-2.0
"""What a run under way says of itself in words."""

import pytest

from plexor.library.watch import progress_text, worst_text
from plexor.model.results import SnapshotResult

from ..progress_told import progress


def test_the_text_has_part_strikes_rate_time_and_what_is_left():
    pieces = progress_text(progress()).strip().split("  ")
    values = ["25%", "2,500 of 10,000", "20 kHz", "125 ms", "3 s"]
    assert [piece[: len(value)] for piece, value in zip(pieces, values, strict=True)] == values


def test_what_is_not_known_is_left_out():
    text = progress_text(
        progress(strikes=0, expected_strikes=None, elapsed_s=0.0, remaining_wall_s=None)
    )
    assert text.startswith("0 strikes  0 s")
    assert not [word for word in ("%", "Hz", "left", "dropped", " of 1") if word in text]


@pytest.mark.parametrize(("dropped", "lost"), [(1200, 0), (0, 3), (1200, 3)])
def test_losses_are_told_as_soon_as_there_are_any(dropped, lost):
    text = progress_text(progress(dropped=dropped, frames_lost=lost))
    told = text.split("  ")[-1]
    assert f"{dropped:,} " in told
    assert f"{lost} " in told


def test_the_worst_is_the_maximum_of_all_channels_and_their_missed_strikes_together(run_of):
    run = run_of([[1000, None, 3000], [2000, None, None]])
    assert worst_text(SnapshotResult(1, 9, run.channels), 1_000_000) == "max seen 3 µs  missed 3"


def test_without_a_response_only_missed_strikes_are_said(run_of):
    run = run_of([[None, None]])
    assert worst_text(SnapshotResult(1, 9, run.channels), 1_000_000) == "missed 2"
