# SPDX-License-Identifier: Apache-2.0
"""A figure has one word on terminals, on pages, in files for people and in notebooks.

A run is made whose figures all differ. Wherever the text of one of them stands, its name is read.
"""

import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest

import plexor
from plexor.base.figure_words import MAX_SEEN
from plexor.base.units import format_seconds
from plexor.figures.judge.budget_file import parse
from plexor.files.archive.archived import Archived
from plexor.library.compare import compare
from plexor.library.run import Run
from plexor.library.watch import worst_text
from plexor.model.results import SnapshotResult
from plexor.scope.figures import figures as live_figures
from plexor.show.archive.page import trend_page
from plexor.show.archive.run_page import archived_page
from plexor.show.archive.text import trend_text
from plexor.show.export.markdown import write_markdown
from plexor.show.export.source import ExportSource
from plexor.show.notebook import channel_line, run_html
from plexor.show.pictures.scale import scales_js
from plexor.show.terminal.live import live_text

from ..files.archive.trends import TRENDS
from ..scope.shots import shot_of
from .archive.test_list_page import RUN as ARCHIVED

ROOMS = {room: Path(plexor.__file__).parent / room / "assets" for room in ("show", "scope")}
OTHER_WORDS = re.compile(r"\b(max(?! seen)|maximum|peak_to_peak|longest|worst|back wall)\b")
"""What the same figures might be called."""
BUDGET = parse(
    '[all]\nmin = "1 ns"\nmax = "9 us"\np99 = "9 us"\npeak_to_peak = "9 us"\nrms = "9 us"', "b"
)
LIMITED = {"min", "p99", "max seen", "peak-to-peak"}
FIRST = {"p99", "max seen"}
"""What tiles and lines tell of a latency."""


@pytest.fixture(scope="module")
def latencies():
    random = np.random.default_rng(3)
    return 2000 + random.geometric(0.004, 5000)


@pytest.fixture(scope="module")
def run(run_of, latencies):
    return Run(run_of([latencies.tolist()], names=["ISR"]))


@pytest.fixture(scope="module")
def words(latencies):
    """Return the word of each figure, by its text, from the latencies in ns; all texts differ."""
    ranked = np.sort(latencies)
    count = len(ranked)
    found = {
        "min": ranked[0],
        "p50": ranked[-(-count * 50 // 100) - 1],
        "p99": ranked[-(-count * 99 // 100) - 1],
        "max seen": ranked[-1],
        "peak-to-peak": ranked[-1] - ranked[0],
        "RMS": np.std(latencies),
    }
    by_text = {format_seconds(float(value) * 1e-9): word for word, value in found.items()}
    assert len(by_text) == len(found)
    return by_text


def cells(html):
    """Yield the rows of each table of a page, its notes left out."""
    for table in re.findall(r"<table.*?</table>", html, re.DOTALL):
        rows = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
        yield [
            [
                unescape(re.sub(r"<small.*?</small>|<[^>]+>", "", cell)).strip()
                for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
            ]
            for row in rows
        ]


def lines_of(text):
    """Return the lines of a terminal, cut where two blanks or more are."""
    return [re.split(r"\s{2,}", line.strip()) for line in text.splitlines()]


def markdown_rows(text):
    return [
        [cell.strip().replace("\\", "") for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("|")
    ]


def by_heads(rows):
    """Yield (head, text) below each row of heads; lists of single responses are left out."""
    heads = []
    for row in rows:
        if row[0] == "channel":
            heads = [] if "which" in row else row
        elif len(row) == len(heads):
            yield from zip(heads, row, strict=True)


def by_rows(rows):
    """Yield (name, text) of rows that begin with a channel and the name of a figure."""
    for row in rows:
        for text in row[2:]:
            yield row[1], re.split(r" \(| ns to ", text)[0]


def tiles_of(html):
    """Yield (name, text) of the tiles of a page."""
    for name, text in re.findall(r"<dt>([^<]*)</dt><dd><b[^>]*>([^<]*)</b>", html):
        yield name, text.replace("\N{NO-BREAK SPACE}", " ")


def assert_named(pairs, words, least):
    """Check that each figure among pairs of (name, text) has its word, and that some are there."""
    found = [(name, words[text]) for name, text in pairs if text in words]
    assert {name for name, _ in found} >= set(least)
    assert [pair for pair in found if pair[0] != pair[1]] == []


def test_the_tables_of_the_terminal(run, words):
    text = run.text(run.judge(BUDGET), width=200)
    assert_named(by_heads(lines_of(text)), words, words.values())
    assert not OTHER_WORDS.search(text.replace("maximum ", "", 1))


def test_the_checks_of_a_budget(run, words):
    checks = run.text(run.judge(BUDGET), width=200).splitlines()
    named = re.findall(r"^pass +ISR (.+?) ([\d.]+ [nµm]?s), limit", "\n".join(checks), re.M)
    assert_named(named, words, LIMITED)


def test_tables_and_tiles_of_a_page(run, words):
    page = run.page(run.judge(BUDGET)).partition("<script")[0]
    for rows in cells(page):
        if rows[0][:2] == ["channel", "figure"]:
            assert_named(by_rows([[r[0], r[1], r[3]] for r in rows]), words, LIMITED)
        else:
            assert_named(by_heads(rows), words, ())
    assert_named(tiles_of(page), words, FIRST)


def test_a_file_of_markdown(run, words, tmp_path):
    write_markdown(ExportSource(run.result, BUDGET), tmp_path / "run.md", tmp_path)
    rows = markdown_rows((tmp_path / "run.md").read_text(encoding="utf-8"))
    checks = [row for row in rows if len(row) > 3 and row[2].startswith(("≤", "≥"))]
    assert_named(by_rows([[r[0], r[1], r[3]] for r in checks]), words, LIMITED)
    tables = [[cell.partition(" (")[0] for cell in row] for row in rows if row not in checks]
    assert_named(by_heads(tables), words, words.values())


def test_a_comparison(run, words):
    found = compare(run, run, columns="all")
    text = found.text(width=200)
    least = {*words.values()} - {"RMS"}
    assert_named(by_rows(lines_of(text)), words, least)
    page = found.page().partition("<script")[0]
    (table,) = (rows for rows in cells(page) if rows[0][:2] == ["channel", "figure"])
    assert_named(by_rows(table), words, least)
    assert_named(tiles_of(page), words, ())
    assert not OTHER_WORDS.search(text)


def test_a_comparison_of_three(run, words):
    text = compare(run, [run, run]).text(width=300)
    assert_named(by_rows(lines_of(text)), words, {*words.values()} - {"RMS"})


def test_the_live_page(run, words):
    found = live_figures(shot_of(run.result))
    heads = [head for head, _ in found["heads"]][1:]
    texts = [text for text, _, _ in found["rows"][0]["cells"]]
    assert_named(zip(heads, texts, strict=True), words, {"min", "max seen", "peak-to-peak", "RMS"})
    assert heads[0] == "n"


def test_the_live_view_of_a_terminal_and_its_line(run, words):
    snapshot = SnapshotResult(1, 7, run.result.channels, True)
    text = live_text(snapshot, "", run.tick_fs, 0, width=200, colour=False)
    line = worst_text(snapshot, run.tick_fs)
    for shown in (text, line):
        named = re.findall(r"([a-z]\w*(?: seen)?) ([\d.]+ [nµm]?s)", shown)
        assert_named(named, words, {"max seen"})


def test_a_notebook(run, words):
    (rows,) = cells(run_html(run.report))
    assert_named(by_heads(rows), words, {"min", "p50", "p99", "max seen"})
    line = channel_line(run.report.channels[0], run.tick_fs)
    assert_named(re.findall(r"(p\d+|max \w+) ([\d.]+ µs)", line), words, FIRST)


def test_a_run_of_an_archive(run, words):
    page = archived_page(Archived(ARCHIVED, run.report.channels)).partition("<script")[0]
    pairs = [pair for rows in cells(page) for pair in by_heads(rows)]
    assert_named(pairs, words, {"min", "p50", "p99", "max seen"})
    assert_named(tiles_of(page), words, FIRST)


def test_a_trend_names_its_figures_by_the_same_words():
    trend = next(t for t in TRENDS.values() if any(c.figure.name == "max" for c in courses(t)))
    page, text = trend_page(trend), trend_text(trend, width=200, colour=False)
    for shown in (page.partition("<script")[0], text):
        assert "max seen" in shown
    figures = {row[1] for rows in cells(page) if "figure" in rows[0] for row in rows[1:]}
    assert figures <= {course.figure.word for course in courses(trend)}
    assert "max" not in figures


def courses(trend):
    return trend.histories[0].courses


def test_what_draws_in_a_browser_takes_the_word_from_the_host():
    """Canvases have no text that could be read back, so their scripts are."""
    assert f'export const MAX_SEEN = "{MAX_SEEN}";' in scales_js()
    scripts = [*ROOMS["show"].glob("*.js"), *ROOMS["scope"].glob("*.js")]
    said = [
        f"{script.name}: {text}"
        for script in scripts
        for text in re.findall(r"`[^`]*`|\"[^\"]*\"", script.read_text())
        if re.search(r"\b(max|max seen|maximum) (?=\$\{format)", text)
    ]
    assert not said
    takes = {script.name for script in scripts if "${MAX_SEEN} ${format" in script.read_text()}
    assert takes == {"histogram.js", "sweep.js"}
