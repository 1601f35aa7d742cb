# SPDX-License-Identifier: Apache-2.0
"""The page of a trend: whole, without scripts, and every change on it."""

from dataclasses import replace

import pytest

from plexor.show.archive.page import MOST_PLOTS, trend_page
from plexor.show.archive.words import METHOD

from ...files.archive.trends import FLAT, TRENDS, course, history, level, trend
from ...pictures import texts_of_page


@pytest.mark.parametrize("name", TRENDS)
def test_a_page_is_whole_and_says_what_it_is(name):
    found = TRENDS[name]
    content = trend_page(found)
    text = " ".join(" ".join(texts_of_page(content)).split())
    assert METHOD in text
    assert ("simulated" in text) == found.simulated
    changes = sum(len(own.steps) for each in found.histories for own in each.courses)
    assert ("No change" in text) == (not changes)
    head = {0: "No change", 1: "One change"}.get(changes, f"{changes} changes")
    assert head in text


def test_a_name_is_never_markup():
    assert "<a channel" not in trend_page(TRENDS["long names"])


def test_what_is_common_to_all_is_listed_once_and_what_differs_is_not():
    content = trend_page(TRENDS["two loads by commit"])
    assert "<dt>os</dt><dd>FreeRTOS</dd>" in content
    assert "<dt>load</dt>" not in content


def test_more_plots_than_a_reader_looks_at_are_left_out_and_counted():
    many = trend(*(history({"rate": f"{n} kHz"}, FLAT) for n in range(MOST_PLOTS + 3)))
    content = trend_page(many)
    assert content.count("<figure>") == MOST_PLOTS
    assert "3 more plots are left out" in content
    assert f"rate {MOST_PLOTS + 2} kHz" in content


def test_a_history_of_too_few_runs_is_not_called_unchanged():
    few = replace(course("p99", level(3.0, 6) + level(3.6, 4)), lacking=1)
    text = " ".join(" ".join(texts_of_page(trend_page(trend(history({}, few))))).split())
    assert "Too few runs to tell" in text
    assert "No change" not in text
    assert "needs 11" in text
