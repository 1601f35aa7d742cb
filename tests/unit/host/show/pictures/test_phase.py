# SPDX-License-Identifier: Apache-2.0
"""A phase scan's picture and page: as wide as its window, and whole."""

import re
import xml.etree.ElementTree as ET

import pytest

from plexor.show.pictures.frame import LEFT, RIGHT, WIDTH
from plexor.show.pictures.phase import phase_page, phase_picture
from plexor.show.terminal.phase import phase_text, widest

from ..scans_to_draw import MASKS, NAME, PERIOD, phase_result, svg_of


@pytest.mark.parametrize("width", [20, 40, 79, 200])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("periodic", [True, False])
def test_a_phase_scan_fits_the_terminal_and_is_drawn(mask, width, periodic):
    result = phase_result(MASKS[mask], periodic=periodic)
    lines = phase_text(result, width=width, colour=False).splitlines()
    assert max(map(len, lines)) <= max(width, 40)
    for text in (phase_picture(result), svg_of(phase_page(result))):
        assert NAME in "".join(ET.fromstring(text).itertext())


@pytest.mark.parametrize("mask", ["wraps", "missed", "missed, then late"])
def test_the_page_shades_the_window_that_it_states(mask):
    result = phase_result(MASKS[mask])
    (window,) = result.scans[0].windows
    picture = svg_of(phase_page(result))
    (shade,) = re.findall(r'<path class="alarm" d="([^"]*)"', picture)
    parts = re.findall(r"M([\d.]+) [\d.]+H([\d.]+)", shade)
    shaded = sum(float(high) - float(low) for low, high in parts)
    assert abs(shaded / (WIDTH - LEFT - RIGHT) - float(window.width_ticks) / PERIOD) < 0.001


@pytest.mark.parametrize(("mask", "doubted"), [("missed", True), ("none", False)])
def test_the_tile_of_missed_strikes_is_in_doubt_where_there_are_any(mask, doubted):
    tiles = phase_page(phase_result(MASKS[mask])).partition("</header>")[0]
    (missed,) = re.findall(r'<dt>missed</dt><dd><b(?: class="(\w+)")?>', tiles)
    assert (missed == "doubt") == doubted


@pytest.mark.parametrize("mask", MASKS)
def test_a_page_gives_the_width_of_the_widest_window_with_the_terminals_digits(mask):
    result = phase_result(MASKS[mask])
    (scan,) = result.scans
    page = phase_page(result).replace("\N{NO-BREAK SPACE}", " ")
    wide = re.search(r"on, (.+?) wide", widest(scan, result.tick_fs))
    if wide is None:
        assert not scan.windows
        return
    assert f"<b>{wide[1]}</b>" in page
    assert f"masked for {wide[1]}" in page
    missed = any(entry.missed for entry in scan.bins)
    assert (">missed</text>" in page) == missed
