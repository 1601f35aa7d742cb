# SPDX-License-Identifier: Apache-2.0
"""The page of a run: whole, with its figures, and its doubts before anything else."""

import dataclasses

import pytest

from plexor.figures.analyse.analyse import analyse
from plexor.figures.judge.budget import judge
from plexor.show.facts import sentence
from plexor.show.page import page
from plexor.show.pictures.picture import picture
from plexor.show.terminal.run import text

from ..pictures import texts_of_page
from .runs_to_draw import BUDGET, KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_is_whole_and_fetches_nothing(runs, kind):
    report = analyse(runs[kind])
    content = page(report, judge(report, BUDGET))
    texts = texts_of_page(content)
    assert "motor <control>" in "".join(texts)


def test_the_page_tells_figures_books_and_verdict(runs):
    report = analyse(runs["usual"])
    content = page(report, judge(report, BUDGET))
    generated = runs["usual"].accounting.generated
    assert f"generated {generated:,} = received {generated:,}" in content
    assert "Over budget: motor &lt;control&gt;" in content
    assert "FreeRTOS 11.2.0 on VexRiscv 50 MHz" in content
    assert "prefers-color-scheme" in content


def test_an_invalid_run_says_so_before_anything_else(runs):
    report = analyse(runs["invalid"])
    content = page(report, judge(report, BUDGET))
    assert "these figures prove nothing" in content
    assert "books &amp; pens" in content
    assert "Within budget" not in content
    assert " ≠ received" in content
    assert "INVALID RUN: books & pens" in text(report, width=100, colour=False)
    assert "INVALID RUN" in picture(report)
    assert "INVALID" not in picture(analyse(runs["usual"]))


@pytest.mark.parametrize("kind", ["none", "ambiguous"])
def test_without_a_latency_a_page_has_no_empty_pictures_and_tables(runs, kind):
    content = page(analyse(runs[kind]))
    assert "<figure" not in content
    assert "Outliers" not in content
    assert "Latency of each channel" in content
    assert "<figure" in page(analyse(runs["one"]))


def test_a_channel_that_nothing_strikes_and_without_a_period_does_not_run_evenly(runs):
    quiet = runs["none"]
    (channel,) = quiet.channels
    classes = dict.fromkeys(channel.classes, 0)
    quiet = dataclasses.replace(
        quiet, channels=(dataclasses.replace(channel, classes=classes, measurements=()),)
    )
    assert sentence(analyse(quiet)).startswith("What was seen: ")
