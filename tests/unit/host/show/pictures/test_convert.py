# SPDX-License-Identifier: Apache-2.0
"""A picture as PNG and PDF: what Pillow finds in one, and what PDF 1.7 declares in the other."""

import re
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from plexor.show.pictures.canvas import Canvas
from plexor.show.pictures.colours import CHANNEL_LIGHT, LIGHT
from plexor.show.pictures.convert import converted
from plexor.show.pictures.scale import power_of_ten
from plexor.show.pictures.svg import svg_picture

from ...pictures import size_and_faces


def planted():
    """Return a picture with a box of a channel's colour, and text beside it."""
    canvas = Canvas(200, 100, "planted")
    canvas.rect(0, 0, 200, 100, "paper")
    canvas.rect(50, 20, 40, 30, "f1")
    canvas.text(100, 50, "TASK 43.31 µs ≥ 10⁻³")
    return svg_picture(canvas)


def colour(text):
    return tuple(int(text[at : at + 2], 16) for at in (1, 3, 5))


def test_a_png_has_what_is_drawn_where_it_is_drawn_in_light_colours():
    image = Image.open(BytesIO(converted(planted(), Path("x.png"))))
    assert image.size == (400, 200)
    assert [round(dots) for dots in image.info["dpi"]] == [144, 144]
    pixels = image.convert("RGB")
    for x, y in ((51, 21), (89, 49), (70, 35)):
        assert pixels.getpixel((2 * x, 2 * y)) == colour(CHANNEL_LIGHT[1])
    for x, y in ((48, 21), (92, 35), (70, 52), (2, 2)):
        assert pixels.getpixel((2 * x, 2 * y)) == colour(LIGHT["paper"])


def test_a_pdf_has_its_texts_as_texts_with_their_typeface():
    content = converted(planted(), Path("x.pdf"))
    (_, _, width, height), faces = size_and_faces(content)
    assert (width, height) == (200, 100)
    assert len(faces) == 1
    assert b"/FontFile" in content
    # The table by which a reader finds a text has each of its letters; a power is raised digits.
    for letter in "TASK43.µ≥\u2212":
        assert re.search(rf"<\w{{4}}> <{ord(letter):04X}>\n", content.decode("latin-1"))


def test_no_text_of_a_picture_falls_back_to_another_typeface():
    canvas = Canvas(900, 60, "faces")
    powers = " ".join(power_of_ten(10.0**n) for n in range(-9, 10))
    canvas.text(0, 20, f"{powers} µs ≥ ≤ Δ · … ± 2,298 ns²")
    canvas.text(0, 40, powers, bold=True)
    svg = svg_picture(canvas)
    assert "10⁻³" in svg
    _, faces = size_and_faces(converted(svg, Path("x.pdf")))
    assert {face.partition(b"+")[2] for face in faces} == {
        b"LiberationSans",
        b"LiberationSans-Bold",
    }


@pytest.mark.parametrize("name", ["x.svg", "stdout"])
def test_svg_is_written_as_it_was_drawn(name):
    assert converted(planted(), Path(name)).decode() == planted()
