# SPDX-License-Identifier: Apache-2.0
"""The picture of what a service took: it holds the bound, and what exceeds it."""

import re
from fractions import Fraction

import numpy as np
import pytest

from plexor.figures.analyse.percentiles import Distribution
from plexor.show.pictures.svg import svg_picture
from plexor_lab.bound.picture import under_bound

TICK_FS = 500_000


def distribution(*values):
    found, counts = np.unique(np.array(values), return_counts=True)
    return Distribution(found, found + 1, counts)


@pytest.mark.parametrize("bound_ns", [Fraction(60_000), Fraction(10_000)])
def test_bound_and_maximum_are_within_the_picture_and_named(bound_ns):
    canvas = under_bound(
        "On-width", "simulated", distribution(70_000, 70_000, 90_000), TICK_FS, bound_ns
    )
    picture = svg_picture(canvas)
    assert "max seen 45 µs" in picture
    assert f"bound {bound_ns / 1000} µs" in picture
    assert canvas.axes[0].high >= max(45e-6, float(bound_ns) / 1e9)
    # The legend is below everything.
    heights = {
        re.sub(r"<[^>]*>", "", text): float(re.search(r'y="([\d.]+)"', text)[1])
        for text in re.findall(r"<text[^>]*>[^<]*</text>", picture)
    }
    assert heights["samples"] == heights["bound"] == max(heights.values())
