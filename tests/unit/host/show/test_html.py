# SPDX-License-Identifier: Apache-2.0
"""Parts of a page: what is text stays text, and pictures are there for each width of screen."""

import re

import pytest

from plexor.show.html import (
    WIDTHS,
    PageHeading,
    html_box,
    html_figure,
    html_list,
    html_page,
    html_table,
)
from plexor.show.pictures.frame import framed

from ..pictures import texts_of_page

WILD = "<b> & \"co'"


def test_whatever_is_text_is_escaped_and_reads_as_it_was_given():
    body = html_box("bad", WILD, WILD) + html_table(([WILD], [[(WILD, WILD)]]))
    page = html_page(PageHeading(WILD, "simulated", WILD), body + html_list([(WILD, WILD)]))
    assert "<b> & " not in page
    # Title and heading, lead, both of the box, head, cell and note, name and text.
    assert "".join(texts_of_page(page)).count(WILD) == 10


@pytest.mark.parametrize(("source", "style"), [("simulated", "bad"), ("measured on ulx3s", "good")])
def test_what_is_simulated_is_marked_as_no_measurement(source, style):
    page = html_page(PageHeading("t", source, ""), "")
    assert f'<span class="badge {style}">{source}</span>' in page


def drawn(width):
    canvas = framed("A & B", "below", 100, "simulated", width)
    canvas.line(0, 50, width, 60)
    return canvas


def test_a_figure_has_a_picture_for_each_width_and_its_heading_once():
    figure = html_figure(drawn)
    assert re.findall(r'<div class="(\w+)"><svg', figure) == list(WIDTHS)
    assert [float(w) for w in re.findall(r'viewBox="0 \S+ (\S+) ', figure)] == [*WIDTHS.values()]
    assert figure.count("<b>A &amp; B</b>") == 1
    assert "<text" not in figure


def test_without_a_wide_picture_there_is_no_figure():
    assert html_figure(lambda width: None) == ""
    assert html_figure(lambda width: drawn(width) if width < 1000 else None) == ""
    assert html_figure(lambda width: drawn(width) if width == 1000 else None).count("<svg") == 1


def test_the_first_cell_of_a_row_is_its_name_and_a_note_is_below_its_cell():
    table = html_table((["a", "b"], [[("x", ""), ("y", "z")]]))
    assert '<td class="name">x</td>' in table
    assert "<td>y<small>z</small></td>" in table
    assert table.count("<tr>") == 2


def test_a_name_without_a_text_is_left_out():
    assert html_list([("a", "1"), ("b", "")]) == "<dl><dt>a</dt><dd>1</dd></dl>"
