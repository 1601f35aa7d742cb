# SPDX-License-Identifier: Apache-2.0
"""The list of an archive's runs: each can be opened, ticked and chosen by what tells it apart."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest

from plexor.files.archive.origin import Origin
from plexor.files.archive.query import ArchivedRun
from plexor.show.archive.list_page import ListedRuns, list_page, refused_page, with_way_back

BEGAN = datetime(2026, 11, 1, 8, 0, tzinfo=UTC)
RUN = ArchivedRun(
    "20261101T080000-0123456789abcdef0123", BEGAN, Origin("a" * 40, "main", False), True, True, "",
    False, 10**6, 10**6, 400, {"load": "none", "board": "stm32", "rate": "20 kHz"},
)  # fmt: skip
OTHER = replace(
    RUN,
    run="20261102T080000-fedcba9876543210fedc",
    origin=Origin("b" * 40, "<tidy>", False),
    configuration={**RUN.configuration, "load": "cpu"},
)
FOLDERS = "/srv/ci/nightly/"
OSBENCH = "freertos:program=osbench,iterations=20,codes=strobed,self=1"
KEYS = {
    "dut": {f"{FOLDERS}irq.toml", OSBENCH},
    "load": {"none", "cpu"},
    "board": {"stm32"},
    "rate": {"20 kHz"},
}


def listed(*where, runs=(OTHER, RUN), **other):
    made = ListedRuns("nightly", runs, len(runs), where, KEYS, ["ISR"])
    return list_page(replace(made, **other))


def links(page):
    """The links of a page: (page, its questions)."""
    found = [urlsplit(unescape(text)) for text in re.findall(r'href="([^"#]+)"', page)]
    return [(each.path, parse_qs(each.query)) for each in found if each.scheme == ""]


def test_each_run_opens_and_can_be_ticked_for_a_comparison():
    page = listed()
    opened = [asked["run"] for path, asked in links(page) if path == "run"]
    assert opened == [[OTHER.run], [RUN.run]]
    ticked = re.findall(r'<input type="checkbox" name="run" value="([^"]+)"', page)
    assert ticked == [OTHER.run, RUN.run]
    assert '<form action="compare">' in page
    assert "2 runs." in page


def test_runs_are_chosen_by_what_tells_them_apart_and_by_nothing_else():
    asked = [tuple(found.get("where", ())) for path, found in links(listed()) if path == ""]
    assert asked == [
        ("branch=<tidy>",), ("branch=main",),
        (f"commit={'a' * 40}",), (f"commit={'b' * 40}",),
        (f"dut={FOLDERS}irq.toml",), (f"dut={OSBENCH}",),
        ("load=cpu",), ("load=none",),
    ]  # fmt: skip


def test_a_choice_is_kept_by_the_others_and_can_be_taken_back():
    page = listed("load=cpu", runs=(OTHER,))
    asked = [found.get("where", []) for path, found in links(page) if path in ("", "./")]
    assert [] in asked
    assert ["load=none"] in asked
    assert '<a href="?where=load%3Dcpu" aria-current=true>cpu</a>' in page
    trends = [found for path, found in links(page) if path == "trend"]
    assert {found["by"][0] for found in trends} == {"commit", "board", "load"}
    assert all(found["where"] == ["load=cpu"] for found in trends)
    assert "1 run with load=cpu." in page


def test_names_from_outside_are_text():
    page = listed("branch=<b>")
    assert "<tidy>" not in page
    assert "<b>&lt;" not in page
    assert "with branch=&lt;b&gt;." in page


def test_of_many_runs_the_newest_are_shown_and_said_to_be():
    assert "The newest 2 of 1,234 runs." in listed(total=1234)


def test_an_invalid_run_is_seen_and_an_archive_without_runs_says_so():
    assert '<tr class="bad">' in listed(runs=(replace(RUN, valid=False, invalid_reasons="x"),))
    assert '<tr class="bad">' not in listed()
    assert "the archive has none of this kind" in listed("load=cpu", runs=())


def test_every_page_leads_back_to_the_list_that_it_came_from():
    page = with_way_back("<main><h1>x</h1></main>", ["load=cpu"])
    assert page.startswith('<main><p class="back"><a href="./?where=load%3Dcpu">All runs</a></p>')
    refused = refused_page("no <such> run")
    assert "no &lt;such&gt; run" in refused
    assert 'href="./"' in refused


@pytest.mark.parametrize(("bad", "doubt"), [(0, False), (1, True), (2, True)])
def test_the_tile_of_invalid_runs_is_marked_where_there_are_any(bad, doubt):
    runs = [RUN, OTHER, replace(OTHER, run="20261103T080000-00000000000000000000")]
    for place in range(bad):
        runs[place] = replace(runs[place], valid=False, invalid_reasons="x")
    page = listed(runs=tuple(runs))
    shown = re.search(r"<dt>invalid or interrupted</dt><dd><b([^>]*)>(\d+)</b>", page)
    assert shown is not None
    assert shown.groups() == (' class="doubt"' if doubt else "", str(bad))


def test_a_device_is_chosen_by_its_short_name_under_the_word_of_the_table():
    page = listed()
    assert ">irq.toml</a>" in page
    assert ("?", {"where": [f"dut={FOLDERS}irq.toml"]}) in [("?", q) for _, q in links(page)]
    assert "<b>device</b>" in page
