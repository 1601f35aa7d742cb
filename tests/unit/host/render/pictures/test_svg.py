# SPDX-License-Identifier: Apache-2.0
"""A canvas of SVG: escaped, stacked, and with colours that can be read."""

import xml.etree.ElementTree as ET

import pytest

from plexor.render.pictures.svg import (
    CHANNEL_DARK,
    CHANNEL_LIGHT,
    DARK,
    LIGHT,
    Canvas,
    stack,
    text_width,
)

from ...pictures import SVG

WILD = "<b> & \"co'"


def test_texts_and_title_read_as_they_were_given():
    canvas = Canvas(100, 50, WILD)
    canvas.text(1, 2, WILD)
    for svg in (canvas.render(style=True), canvas.plot()):
        root = ET.fromstring(svg)
        assert root.get("aria-label") == WILD
        assert root.find(f"{SVG}title").text == WILD
        assert root.find(f"{SVG}text").text == WILD


def test_a_plot_leaves_its_heading_out_and_keeps_the_rest_where_it_is():
    canvas = Canvas(100, 50, "t", top=20)
    canvas.head.append("<text>heading</text>")
    canvas.line(0, 30, 10, 40)
    plot = ET.fromstring(canvas.plot())
    assert plot.get("viewBox") == "0 20 100 30"
    assert plot.find(f"{SVG}text") is None
    assert plot.find(f"{SVG}path").get("d") == "M0.0 30.0L10.0 40.0"
    assert ET.fromstring(canvas.render(style=False)).get("viewBox") == "0 0 100 50"


def test_no_rectangle_has_a_size_below_0():
    canvas = Canvas(10, 10, "t")
    canvas.rect(1, 2, -3, -4, "panel")
    assert 'width="0.0" height="0.0"' in canvas.body()


def test_pictures_are_stacked_a_gap_apart_on_paper_as_wide_as_the_widest():
    one, other = Canvas(100, 50, "a"), Canvas(80, 30, "b")
    sheet = stack("both", [one, other], gap=7)
    assert (sheet.width, sheet.height) == (100, 87)
    root = ET.fromstring(sheet.render(style=False))
    places = [group.get("transform") for group in root.findall(f"{SVG}g")]
    assert places == ["translate(0 0)", "translate(0 57)"]


def luminance(colour):
    """WCAG 2.1, relative luminance."""
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize(
    ("paper", "colours"),
    [
        (LIGHT["paper"], (*CHANNEL_LIGHT, LIGHT["ink"], LIGHT["muted"], LIGHT["worst"])),
        (DARK["paper"], (*CHANNEL_DARK, DARK["ink"], DARK["muted"], DARK["worst"])),
    ],
)
def test_every_colour_of_text_has_the_contrast_that_small_text_needs(paper, colours):
    for colour in colours:
        low, high = sorted((luminance(paper), luminance(colour)))
        assert (high + 0.05) / (low + 0.05) >= 4.5, colour


def test_a_text_is_wider_with_each_letter_its_size_and_in_bold():
    assert text_width("", 12) == 0
    assert text_width("WW", 12) == 2 * text_width("W", 12)
    assert text_width("i", 12) < text_width("a", 12) < text_width("A", 12) < text_width("W", 12)
    assert text_width("abc", 24) == pytest.approx(2 * text_width("abc", 12))
    assert text_width("abc", 12, bold=True) > text_width("abc", 12)
