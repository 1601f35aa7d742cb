# SPDX-License-Identifier: Apache-2.0
"""A burst scan's picture and page, whatever it found."""

import re
import xml.etree.ElementTree as ET

import pytest

from plexor.show.pictures.burst import burst_page, burst_picture, burst_plot
from plexor.show.pictures.canvas import Outline
from plexor.show.terminal.burst import burst_text

from ..scans_to_draw import NAME, burst_result, limit, svg_of


@pytest.mark.parametrize("width", [20, 40, 79, 200])
def test_a_burst_scan_fits_the_terminal_and_is_drawn(width):
    result = burst_result(limit(1, 0), limit(2, 4, max_ticks=900), limit(4, 64), limit(4, 9, 9))
    lines = burst_text(result, width=width, colour=False).splitlines()
    assert max(map(len, lines)) <= max(width, 40)
    for text in (burst_picture(result), svg_of(burst_page(result))):
        assert NAME in "".join(ET.fromstring(text).itertext())


def test_a_burst_scan_that_was_interrupted_at_once_is_drawn():
    result = burst_result(interrupted=True)
    assert "interrupted" in burst_text(result, width=100, colour=False)
    assert "no limit" in burst_picture(result)


def test_a_longer_burst_lies_higher_and_none_lies_at_the_bottom():
    canvas = burst_plot(burst_result(limit(1, 0), limit(2, 4), limit(3, 5), limit(4, 64)))
    dots = [mark for mark in canvas.marks if isinstance(mark, Outline) and " s0" in mark.style]
    heights = [float(re.match(r"M\S+ ([\d.]+)", dot.data)[1]) for dot in dots]
    assert len(heights) == 4
    assert heights == sorted(heights, reverse=True)
    assert len(set(heights)) == 4
    assert heights[0] == pytest.approx(canvas.axes[0].bottom)
