"""Bins are bounded by the sheets' duty and phase, as they were computed from them."""

from dataclasses import replace

import pytest

from plexor.model.identity import Identity
from plexor.prove.bins import widths_ps

from ..scenario import GEOMETRY


@pytest.mark.parametrize(
    ("board", "tick_fs", "least", "most"),
    [
        ("ulx3s25f", 500_000, 281, 714),
        ("orngcrab", 520_833, 292.7, 743.7),
        ("hx8kevn", 1_041_667, 93, 1678.5),
        ("icebrkr", 2_604_167, 1767.1, 3850.2),
        # Another: a bin that no edge ends in is a defect, and one of two ticks.
        ("other", 1_000_000, 50, 2000),
    ],
)
def test_each_family_has_its_own_bounds(board, tick_fs, least, most):
    identity = Identity(replace(GEOMETRY, board=board, tick_fs=tick_fs), 1)
    assert widths_ps(identity) == pytest.approx((least, most), rel=2e-3)
