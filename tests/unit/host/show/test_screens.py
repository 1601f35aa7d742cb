# SPDX-License-Identifier: Apache-2.0
"""Pages on screens of any width: text of a size that can be read, nothing wider than the screen.

What a browser would show is worked out from the page's own style and its pictures' boxes.
"""

import re
import xml.etree.ElementTree as ET

import pytest

from plexor.figures.analyse.analyse import analyse
from plexor.figures.judge.budget import judge
from plexor.figures.judge.budget_file import parse
from plexor.show.html import WIDTHS
from plexor.show.page import page
from plexor.show.pictures.burst import burst_page, burst_plot
from plexor.show.pictures.phase import phase_page, phase_plot
from plexor.show.sweep_page import sweep_page

from ..pictures import SVG, assert_no_texts_touch, assert_texts_lie_within
from .scans_to_draw import MASKS, burst_result, limit, phase_result
from .sweeps_to_draw import SWEEPS

LEAST_PX = 11
SCREENS = (400, 640, 700, 701, 800, 980, 981, 1100, 1400)
NAMES = [f"channel number {n}" for n in range(8)]


@pytest.fixture(scope="module")
def pages(run_of):
    """Return a page of each kind."""
    few = run_of([[2000, 2100, 3000] * 200, [9000, 9900, None] * 200])
    many = run_of([[2000, 2100, 3000] * 200] * 8, names=NAMES)
    verdict = judge(analyse(few), parse('[all]\nmax = "4 us"\np99 = "9 us"', "b"))
    limits = [limit(n, n, channel=name) for n in (1, 2, 4) for name in ("ISR", "TASK")]
    return {
        "measure": page(analyse(few), verdict),
        "eight channels": page(analyse(many)),
        "nothing kept": page(analyse(run_of([[2000, 2100]], keep_events=False))),
        "sweep": sweep_page(SWEEPS["eight loads"]),
        "burst": burst_page(burst_result(*limits)),
        "phase": phase_page(phase_result(MASKS["missed, then late"])),
    }


def style_at(content, screen):
    """Return the declarations in force on a screen: selector to property to value."""
    (text,) = re.findall(r"<style>(.*?)</style>", content, re.DOTALL)
    blocks = re.findall(r"@media ?\(max-width:(\d+)px\)\{((?:[^{}]*\{[^{}]*\})*)\s*\}", text)
    plain = re.sub(r"@media[^{]*\{(?:[^{}]*\{[^{}]*\})*\s*\}", "", text)
    found = {}
    for rules in (plain, *(rules for most, rules in blocks if screen <= int(most))):
        for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", rules):
            for selector in selectors.split(","):
                declared = (entry.partition(":") for entry in body.split(";") if entry.strip())
                known = {name.strip(): value.strip() for name, _, value in declared}
                found.setdefault(selector.strip(), {}).update(known)
    return found


def pixels(text):
    return float(re.search(r"([\d.]+)px", text)[1])


def shown_at(content, screen):
    """Return (the pictures shown, pixels a unit) of a screen so wide."""
    style = style_at(content, screen)
    side = pixels(style["main"]["padding"].split()[1])
    room = min(screen, pixels(style["main"]["max-width"])) - 2 * side
    assert style["svg"]["width"] == "100%"
    pictures = re.findall(r'<div class="(\w+)">(<svg.*?</svg>)', content, re.DOTALL)
    shown = [
        ET.fromstring(text)
        for name, text in pictures
        if style.get(f".{name}", {}).get("display") != "none"
    ]
    assert len(shown) * len(WIDTHS) == len(pictures) == content.count("<svg")
    return [(svg, room / float(svg.get("viewBox").split()[2])) for svg in shown]


KINDS = ("measure", "eight channels", "nothing kept", "sweep", "burst", "phase")


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_text_of_every_plot_can_be_read_on_every_screen(pages, kind, screen):
    found = shown_at(pages[kind], screen)
    assert found
    sizes = [
        float(text.get("font-size")) * scale
        for svg, scale in found
        for text in svg.iter(f"{SVG}text")
    ]
    assert sizes
    assert min(sizes) >= LEAST_PX
    assert max(sizes) <= 2 * LEAST_PX


@pytest.mark.parametrize("kind", KINDS)
def test_titles_are_text_that_wraps_and_no_picture_has_one_of_its_own(pages, kind):
    content = pages[kind]
    figures = re.findall(r"<figure>(.*?)</figure>", content, re.DOTALL)
    assert figures
    for figure in figures:
        title, source, _ = re.match(
            r'<figcaption><b>(.+?)</b><small class="bad">(.+?)</small><p>(.*?)</p></figcaption>',
            figure,
        ).groups()
        assert source == "simulated"
        assert f">{title}</text>" not in figure
    assert "white-space" not in style_at(content, 400).get("figcaption p", {})


@pytest.mark.parametrize("screen", SCREENS)
def test_no_letter_of_a_page_is_smaller_than_can_be_read(pages, screen):
    style = style_at(pages["measure"], screen)
    sizes = [
        pixels(rules[name])
        for rules in style.values()
        for name in ("font", "font-size")
        if rules.get(name, "inherit") != "inherit"
    ]
    assert len(sizes) > 5
    assert min(sizes) >= LEAST_PX


@pytest.mark.parametrize("width", WIDTHS.values())
@pytest.mark.parametrize("mask", MASKS)
def test_a_phase_plot_holds_its_texts_apart_on_every_screen(width, mask):
    result = phase_result(MASKS[mask])
    canvas = phase_plot(result, result.scans[0], width)
    assert_texts_lie_within(canvas, heading=False)
    assert_no_texts_touch(canvas, heading=False)


@pytest.mark.parametrize("width", WIDTHS.values())
@pytest.mark.parametrize("names", [("ISR",), ("ISR", "TASK"), NAMES])
def test_a_burst_plot_holds_its_texts_apart_on_every_screen(width, names):
    result = burst_result(*(limit(n, n, channel=name) for n in (1, 2, 4) for name in names))
    canvas = burst_plot(result, width)
    assert_texts_lie_within(canvas, heading=False)
    assert_no_texts_touch(canvas, heading=False)
