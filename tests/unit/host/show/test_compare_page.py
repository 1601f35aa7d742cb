# SPDX-License-Identifier: Apache-2.0
"""A comparison as a page and a picture: each result, what differs, the verdict; nothing fetched."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from plexor.base.errors import UsageError
from plexor.library.compare import compare
from plexor.library.run import Run
from plexor.library.scans.sweep import Sweep
from plexor.model.identity import Identity
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry

from ..pictures import SVG, places, texts_of_page
from ..sweeps import swept
from .test_page_files import carried

EARLIER, LATER = [1000, 1100, 1200] * 50, [1500, 2000, 3000] * 50


@pytest.fixture
def two(run_of):
    return Run(run_of([EARLIER])), Run(run_of([LATER], names=["ISR"]))


def test_a_page_has_both_results_their_histograms_and_the_verdict(two):
    found = compare(*two, fail_on="p50>+5%")
    page = found.page()
    texts = " ".join(" ".join(texts_of_page(page)).split())
    assert "B against A simulated" in texts
    assert "ISR: B is 2.5 times A at p90" in texts
    assert "FAIL 1 of 1 changes are too large" in texts
    assert "same settings and device as A" in texts
    assert "TOO LARGE ISR p50>+5%: +81.82 %" in texts
    for wall in ("max seen 1.2 µs", "max seen 3 µs"):
        assert wall in page
    row = re.search(r"<tr><td class=\"name\">ISR</td><td>max seen</td>(.*?)</tr>", page)[1]
    assert re.findall(r"<td>(.*?)</td>", row)[:4] == ["1.2 µs", "3 µs", "+150.00 %", "x2.500"]


def test_without_a_condition_there_is_no_verdict(two):
    page = compare(*two).page()
    assert 'class="verdict' not in page
    assert "<h2>Conditions</h2>" not in page


def test_the_runs_are_drawn_on_top_of_each_other_for_each_width_of_screen(two):
    page = compare(*two).page()
    # Persistence, and the latency of the one channel.
    assert page.count("<figure>") == 2
    assert page.count('data-axes="') == 6


def test_a_setting_that_differs_is_marked_by_more_than_its_colour(two):
    other = Run(replace(two[1].result, device={**two[1].result.device, "os": "other <os>"}))
    page = compare(two[0], other).page()
    row = re.search(r'<tr><td class="name">os</td>(.*?)</tr>', page)[1]
    assert re.findall(r"<b(.*?)>(.*?)</b>", row) == [
        ("", "FreeRTOS 11.2.0"),
        (' class="bad"', "≠ other &lt;os&gt;"),
    ]


def test_the_page_carries_what_compare_prints_as_json(two):
    found = compare(*two)
    files = carried(found.page())
    assert json.loads(files["comparison.json"]) == json.loads(json.dumps(found.document()))
    rows = list(csv.DictReader(io.StringIO(files["comparison.csv"])))
    assert [row["figure"] for row in rows] == [entry.word for entry in found.shown]


def test_a_picture_names_each_result_by_its_letter(two):
    svg = ET.fromstring(compare(two[0], two).picture())
    titles = [text for text, *_ in places(svg)]
    assert [t for t in titles if t.endswith(", latency")] == [
        f"{letter}, the run begun 2026-11-21T08:00:00Z, latency" for letter in "ABC"
    ]
    assert len([e for e in svg.iter(f"{SVG}rect") if e.get("class") == "panel"]) == 4


def test_sweeps_have_a_page_and_no_picture():
    sweeps = Sweep(swept({"none": 100_000})), Sweep(swept({"none": 40_000}))
    found = compare(*sweeps)
    assert "B is 0.40 times A at saturation" in found.page()
    assert "<svg" not in found.page()
    with pytest.raises(UsageError, match=r"a\s+page \(\.html\) shows the others too"):
        found.picture()


def test_runs_of_different_ticks_and_sources_have_a_page_that_names_both_sources(run_of):
    board = Geometry(features=ALL_FEATURES & ~Feature.SIMULATED, board="ulx3s", tick_fs=500_000)
    runs = Run(run_of([EARLIER])), Run(run_of([LATER], identity=Identity(board, 7)))
    found = compare(*runs)
    assert found.source == "measured on ulx3s and simulated"
    assert found.reports == ()
    assert '<span class="badge bad">measured on ulx3s and simulated</span>' in found.page()


def test_an_invalid_run_is_said_first(two):
    invalid = Run(replace(two[1].result, invalid_reasons=("a bin is saturated",)))
    page = compare(two[0], invalid).page()
    assert page.index("a bin is saturated") < page.index("What is compared")
