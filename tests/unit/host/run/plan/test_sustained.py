# SPDX-License-Identifier: Apache-2.0
"""How fast strikes may come: the rule is the table of the documentation."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from plexor.protocol.geometry import Feature, Geometry
from plexor.run.plan.sustained import sustained_clocks

TEXT = " ".join((Path(__file__).parents[5] / "docs" / "instrument.md").read_text().split())
COUNTS = (1, 2, 4, 8)


def test_the_rule_gives_what_the_documentation_says():
    said = re.search(
        r"every (\d+) core clocks with one channel matched, every (\d+) with two, (\d+) with four, "
        r"(\d+) with eight",
        TEXT,
    )
    live = re.search(
        r"one channel takes (\d+) clocks,.* two channels take (\d+) clocks, four (\d+), "
        r"eight (\d+),",
        TEXT,
    )
    for found, lively in ((said, False), (live, True)):
        assert [int(number) for number in found.groups()] == [
            sustained_clocks(Geometry(), count, live=lively) for count in COUNTS
        ]


@pytest.mark.parametrize("feature", [Feature.FALL, Feature.INTERVALS])
def test_nothing_is_known_of_a_build_that_counts_other_values(feature):
    geometry = Geometry()
    lesser = replace(geometry, features=geometry.features & ~feature)
    assert sustained_clocks(lesser, 1, live=False) is None
