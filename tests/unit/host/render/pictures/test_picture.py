"""A run's picture as one file, and two runs beside each other."""

import dataclasses
import itertools
import xml.etree.ElementTree as ET

import pytest

from plexor.analyse.analyse import analyse
from plexor.render.pictures.picture import picture

from ...pictures import SVG, places
from ..runs_to_draw import KINDS


def test_a_picture_of_two_runs_draws_them_on_the_same_axes(runs):
    usual = analyse(runs["usual"])
    loaded = dataclasses.replace(
        runs["wide"], settings=dataclasses.replace(runs["wide"].settings, load=True)
    )
    both = ET.fromstring(picture(usual, analyse(loaded)))
    texts = [content for content, *_ in places(both)]
    assert "Idle, latency" in texts
    assert "Under load, latency" in texts
    rows = {}
    for content, left, _, baseline, _ in places(both):
        rows.setdefault(baseline, set()).add((content, left))
    axes = [row for row in rows.values() if len(row) > 3]
    assert any(one == other for one, other in itertools.combinations(axes, 2))


@pytest.mark.parametrize("kind", KINDS)
def test_the_picture_is_one_file_for_light_and_dark(runs, kind):
    svg = ET.fromstring(picture(analyse(runs[kind])))
    assert "prefers-color-scheme:dark" in svg.find(f"{SVG}style").text
