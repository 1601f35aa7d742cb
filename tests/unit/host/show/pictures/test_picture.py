# SPDX-License-Identifier: Apache-2.0
"""A run's picture as one file, and two runs beside each other."""

import dataclasses
import itertools
import xml.etree.ElementTree as ET
from fractions import Fraction

import pytest

from plexor.figures.analyse.analyse import analyse
from plexor.show.pictures.frame import MARGIN, WIDTH
from plexor.show.pictures.picture import picture

from ...pictures import SVG, places
from ..runs_to_draw import KINDS


def texts(svg):
    return [content for content, *_ in places(ET.fromstring(svg))]


def changed(result, device=None, **stimulus):
    """Return a run of another device, or struck otherwise."""
    strikes = tuple(dataclasses.replace(s, **stimulus) for s in result.settings.strikes)
    settings = dataclasses.replace(result.settings, strikes=strikes)
    return dataclasses.replace(result, settings=settings, device=device or result.device)


def test_a_picture_of_two_runs_draws_them_on_the_same_axes(runs):
    both = ET.fromstring(picture(analyse(runs["usual"]), analyse(runs["wide"])))
    rows = {}
    for content, left, _, baseline, _ in places(both):
        rows.setdefault(baseline, set()).add((content, left))
    axes = [row for row in rows.values() if len(row) > 3]
    assert any(one == other for one, other in itertools.combinations(axes, 2))


def test_each_plot_of_several_runs_names_its_run_and_the_title_what_is_common(runs):
    usual = runs["usual"]
    two = changed(usual, {"dut": "one"}), changed(usual, {"dut": "two"}, period_s=Fraction(1, 500))
    found = texts(picture(*map(analyse, two), names=("base", "fast")))
    assert found[0] == "Response latency of 2 devices"
    assert found[1] == "Latency in 2 runs, which differ in rate and dut"
    assert "base, latency" in found
    assert "fast, latency" in found
    assert "fast, every response" in found
    assert any(text.startswith("dut one · ") for text in found)
    assert any(text.startswith("dut two · ") and "500 Hz" in text for text in found)
    assert not any("same device" in text for text in found)


def test_runs_that_differ_in_nothing_say_so_and_have_numbers(runs):
    device = {"dut": "one"}
    found = texts(picture(*[analyse(changed(runs["usual"], device))] * 3))
    assert found[:2] == ["one", "Latency in 3 runs of the same settings and device"]
    assert [f"run {n}, latency" in found for n in (1, 2, 3)] == [True] * 3


def test_a_picture_of_one_run_names_its_device_and_what_was_done(runs):
    found = texts(picture(analyse(changed(runs["usual"], {"dut": "one"})), names=("base",)))
    assert found[0] == "one"
    assert "strikes" in found[1]
    assert not any("base" in text for text in found)


def test_no_text_of_many_runs_is_wider_than_the_picture(runs):
    devices = [{"dut": f"{n} " + "a long name " * 30, "board": "ecp5 " * 20} for n in range(5)]
    reports = [analyse(changed(runs["usual"], device)) for device in devices]
    svg = ET.fromstring(picture(*reports, names=["deep/folder/" * 20] * 5))
    assert max(right for _, _, right, *_ in places(svg)) <= MARGIN + WIDTH


@pytest.mark.parametrize("kind", KINDS)
def test_the_picture_is_one_file_for_light_and_dark(runs, kind):
    svg = ET.fromstring(picture(analyse(runs[kind])))
    assert "prefers-color-scheme:dark" in svg.find(f"{SVG}style").text
