# SPDX-License-Identifier: Apache-2.0
"""What must hold for every picture and every page."""

import re
import xml.etree.ElementTree as ET
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import matplotlib
from fontTools.ttLib import TTFont

from plexor.show.pictures.svg import svg_picture, svg_plot

FACES = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")
SVG = "{http://www.w3.org/2000/svg}"


@cache
def _widths(bold):
    """Return each letter's width in a face that matplotlib carries, as a part of its size."""
    font = TTFont(Path(matplotlib.get_data_path(), "fonts", "ttf", FACES[bold]))
    widths, per_em = font["hmtx"], font["head"].unitsPerEm
    return {chr(code): widths[name][0] / per_em for code, name in font.getBestCmap().items()}


def text_width(content, size, bold):
    """Return a text's width by the font's own file; of a letter it lacks, as wide as high."""
    return sum(_widths(bold).get(letter, 1) for letter in content) * size


def places(svg):
    """Yield (content, left, right, baseline, size) of all texts, groups' shifts added."""

    def walk(element, x, y):
        shift = re.match(r"translate\((\S+) (\S+)\)", element.get("transform", ""))
        if shift:
            x, y = x + float(shift[1]), y + float(shift[2])
        if element.tag == f"{SVG}text":
            size = float(element.get("font-size"))
            width = text_width(element.text, size, element.get("font-weight") is not None)
            at = x + float(element.get("x"))
            left = (
                at
                - width * {"start": 0, "middle": 0.5, "end": 1}[element.get("text-anchor", "start")]
            )
            yield element.text, left, left + width, y + float(element.get("y")), size
        for child in element:
            yield from walk(child, x, y)

    yield from walk(svg, 0, 0)


def element(canvas, heading):
    """Return a picture as an element: by itself, or as a page has it, without its heading."""
    return ET.fromstring(svg_picture(canvas) if heading else svg_plot(canvas))


def assert_texts_lie_within(canvas, heading=True):
    """Check that a picture is well formed and holds its texts."""
    svg = element(canvas, heading)
    _, top, width, height = map(float, svg.get("viewBox").split())
    found = list(places(svg))
    assert found
    for content, left, right, baseline, size in found:
        assert left >= -1, content
        assert right <= width + 1, content
        assert top + size * 0.7 <= baseline <= top + height - 1, content


def assert_no_texts_touch(canvas, heading=True):
    """Check that each text is beside or above every other."""
    found = list(places(element(canvas, heading)))
    for place, (one, left, right, baseline, size) in enumerate(found):
        for other, left2, right2, baseline2, size2 in found[place + 1 :]:
            apart = right <= left2 + 2 or right2 <= left + 2
            above = baseline <= baseline2 - size2 * 0.8 or baseline2 <= baseline - size * 0.8
            assert apart or above, (one, other)


def size_and_faces(content):
    """Return the box of a PDF's page and the names of its typefaces."""
    (box,) = re.findall(rb"/MediaBox \[([^\]]*)\]", content)
    return [float(word) for word in box.split()], set(re.findall(rb"/BaseFont ?/(\S+)", content))


class Checker(HTMLParser):
    """Checks that elements are closed in order and that nothing is fetched."""

    VOID = frozenset({"meta"})

    def __init__(self):
        super().__init__()
        self.open, self.fetched, self.texts, self.scripts = [], [], [], []

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)
        self.fetched += self._fetched(attrs)

    def handle_startendtag(self, tag, attrs):
        self.fetched += self._fetched(attrs)

    @staticmethod
    def _fetched(attrs):
        """Return what a browser would fetch: what the page carries itself it does not."""
        links = [value for name, value in attrs if name in ("src", "href")]
        return [link for link in links if not link.startswith("data:")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "script" in self.open:
            self.scripts.append(data)
        else:
            self.texts.append(data)


def texts_of_page(content):
    """Return the texts of a page that must be whole and fetch nothing, its scripts neither."""
    checker = Checker()
    checker.feed(content)
    assert checker.open == []
    assert checker.fetched == []
    script = "".join(checker.scripts)
    for way in ("fetch(", "import(", "XMLHttpRequest", "WebSocket", "http:", "https:", "eval("):
        assert way not in script
    assert "url(" not in content
    return checker.texts
