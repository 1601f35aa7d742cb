# SPDX-License-Identifier: Apache-2.0
"""Burst scans that were kept: back as they were, or what contradicts itself is told."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from plexor.base.constraints import MOST_TICKS as MOST
from plexor.experiments.burst.model import Lengths
from plexor.experiments.burst.store import BURST

from ...documented import wrong
from ...show.scans_to_draw import burst_result, limit

SCAN = burst_result(limit(1, 0), limit(2, 4, max_ticks=900), limit(4, 64))


def test_a_burst_scan_comes_back_as_it_was(tmp_path):
    (tmp_path / "burst.json").write_text(json.dumps(BURST.of(SCAN)))
    assert BURST.read(tmp_path / "burst.json") == SCAN


def told(**changes):
    """Return what is wrong with a scan whose one limit is changed."""
    one = replace(SCAN.limits[1], **changes)
    return wrong(BURST, replace(SCAN, limits=(one,)))


def test_nothing_is_told_of_a_scan_that_was_taken():
    assert wrong(BURST, SCAN) == ""
    assert wrong(BURST, replace(SCAN, limits=(), tick_fs=0)) == ""


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"tick_fs": 0}, "tick_fs: 0; must be above 0"),
        ({"tick_fs": MOST}, "tick_fs"),
        ({"tick_fs": 1 << 62}, "tick_fs: 4611686018427387904; must be 0 or more, below"),
        ({"timeout_s": SCAN.period_s}, ""),
        ({"timeout_s": SCAN.period_s + 1}, "a time-out of"),
        ({"timeout_s": Fraction(0)}, "timeout_s: 0; must be above 0"),
    ],
)
def test_a_time_out_is_within_the_period(changes, says):
    found = wrong(BURST, replace(SCAN, **changes))
    assert bool(found) == bool(says)
    assert says in found


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"spacing_s": Fraction(0)}, "must be above 0"),
        ({"lengths": Lengths(64), "most": 64}, ""),
        ({"lengths": Lengths(65), "most": 64}, "65 passes; must be 0 to 64"),
        ({"lengths": Lengths(-1), "most": 64}, "lengths.passing: -1; must be 0 or more"),
        ({"lengths": Lengths(0), "most": 0}, "most: 0; must be 1 or more"),
        ({"lengths": Lengths(4, 5), "most": 5}, ""),
        ({"lengths": Lengths(4, 4), "most": 64}, "fails at 4; must be above 4, at most 64"),
        ({"lengths": Lengths(4, 65), "most": 64}, "fails at 65"),
        ({"lengths": Lengths(4, 6, (1, 64)), "most": 64}, ""),
        (
            {"lengths": Lengths(4, 6, (0,)), "most": 64},
            "undecided[0]: 0; must be 1 or more",
        ),
        ({"lengths": Lengths(4, 6, (65,)), "most": 64}, "undecided at (65,)"),
        ({"strikes": -1}, "strikes: -1; must be 0 or more"),
        ({"strikes": 0}, ""),
        ({"max_ticks": 0}, ""),
        ({"max_ticks": MOST - 1}, ""),
        ({"max_ticks": MOST}, "max_ticks: 4611686018427387904; must be 0 or more, below"),
    ],
)
def test_a_limit_that_contradicts_itself_is_told_with_channel_and_spacing(changes, says):
    found = told(**changes)
    assert bool(found) == bool(says)
    assert says in found
    own = f"{SCAN.limits[1].channel!r} at "
    assert not says or found.startswith(("limits[0].", own))
