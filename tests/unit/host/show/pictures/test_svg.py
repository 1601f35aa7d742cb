# SPDX-License-Identifier: Apache-2.0
"""Pictures as SVG: escaped, with their heading or without it, and no more than was said."""

import xml.etree.ElementTree as ET

from plexor.show.pictures.canvas import Canvas, Stroke, Text
from plexor.show.pictures.svg import svg_picture, svg_plot

from ...pictures import SVG

WILD = "<b> & \"co'"


def test_texts_and_title_read_as_they_were_given():
    canvas = Canvas(100, 50, WILD)
    canvas.text(1, 2, WILD)
    for svg in (svg_picture(canvas), svg_plot(canvas)):
        root = ET.fromstring(svg)
        assert root.get("aria-label") == WILD
        assert root.find(f"{SVG}title").text == WILD
        assert root.find(f"{SVG}text").text == WILD


def test_a_plot_leaves_its_heading_out_and_keeps_the_rest_where_it_is():
    canvas = Canvas(100, 50, "t", top=20)
    canvas.head.append(Text(0, 9, "heading", 12, "ink", "start", False))
    canvas.line(0, 30, 10, 40)
    plot = ET.fromstring(svg_plot(canvas))
    assert plot.get("viewBox") == "0 20 100 30"
    assert plot.find(f"{SVG}text") is None
    assert plot.find(f"{SVG}path").get("d") == "M0.0 30.0L10.0 40.0"
    assert ET.fromstring(svg_picture(canvas, style=False)).get("viewBox") == "0 0 100 50"


def test_marks_say_only_what_differs_from_what_svg_takes_without_them():
    canvas = Canvas(100, 50, "t")
    canvas.line(0, 0, 9, 9, "grid")
    canvas.path("M0 0h9", "s1", Stroke(1.4, (5, 3), 0.456, True, True), crisp=True)
    canvas.area("M0 0h9v9z", "f2", 0.62)
    canvas.shape("M0 0h9v9z", "f3 s3")
    canvas.rect(1, 2, 3, 4, "panel", radius=4, opacity=0.28)
    *paths, box = (dict(mark.attrib) for mark in ET.fromstring(svg_plot(canvas))[1:])
    assert paths == [
        {"class": "grid", "fill": "none", "d": "M0.0 0.0L9.0 9.0"},
        {
            "class": "s1", "fill": "none", "d": "M0 0h9", "stroke-width": "1.4",
            "stroke-dasharray": "5 3", "stroke-opacity": "0.46", "stroke-linecap": "round",
            "stroke-linejoin": "round", "shape-rendering": "crispEdges",
        },
        {"class": "f2", "d": "M0 0h9v9z", "fill-opacity": "0.62", "shape-rendering": "crispEdges"},
        {"class": "f3 s3", "d": "M0 0h9v9z"},
    ]  # fmt: skip
    size = {"x": "1.0", "y": "2.0", "width": "3.0", "height": "4.0"}
    assert box == {"class": "panel", **size, "rx": "4", "fill-opacity": "0.28"}
