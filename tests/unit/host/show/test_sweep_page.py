# SPDX-License-Identifier: Apache-2.0
"""A sweep's page and its picture as one file."""

import dataclasses
import xml.etree.ElementTree as ET

import pytest

from plexor.show.facts import load_word
from plexor.show.sweep_page import sweep_page, sweep_svg

from ..pictures import texts_of_page
from .sweeps_to_draw import SWEEPS


def test_the_picture_says_where_its_figures_come_from():
    board = dataclasses.replace(SWEEPS["two loads"], simulated=False)
    assert "simulated" not in sweep_svg(board)
    assert ">measured<" in sweep_svg(board)
    assert ">simulated<" in sweep_svg(SWEEPS["two loads"])


@pytest.mark.parametrize("kind", SWEEPS)
def test_the_page_is_whole_and_tells_each_bracket(kind):
    texts = texts_of_page(sweep_page(SWEEPS[kind]))
    for entry in SWEEPS[kind].knees:
        assert load_word(entry.load) in texts
        assert entry.channel in texts
    assert ("Interrupted: these are the results up to that point" in texts) == (
        kind == "interrupted"
    )


def test_a_load_s_name_is_text():
    assert "<storm" not in sweep_page(SWEEPS["eight loads"])
    ET.fromstring(sweep_svg(SWEEPS["eight loads"]))
