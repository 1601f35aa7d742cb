# SPDX-License-Identifier: Apache-2.0
"""A run has the same figures in the terminal, on its page, live, in its document and in Python.

So has each of two runs that are compared.

Each text is made again from the numbers of the document, as `--json` prints it, and looked for in
the tables that people see; the library's floats are made texts in the same way.
"""

import base64
import json
import random
import re
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser

import numpy as np
import pytest

import plexor
from plexor import cli
from plexor.base.units import format_mean, format_seconds, format_variance
from plexor.scope.conductor import final
from plexor.scope.figures import HEADS, figures

SHORT, FULL = 10, 200
A_DEVICE = 5
"""Runs of each device: opening one takes longest."""
QUANTILES = {"p50": "p50", "p99": "p99", "p99.9": "p999"}
CLASSES = ("missed", "late", "duplicate", "spurious")
OTHER_CLASSES = ("answered", "early", "pending")
TICK_S = 500e-12
"""Of the simulated instrument."""
COMPARED = {"min", "p50", "p99", "p99.9", "max seen", "peak-to-peak", "variance"}
"""Figures whose text is the same in a comparison and in a run's tables."""
WORDS = {"max": "max seen", "peak_to_peak": "peak-to-peak"}
"""What people read for keys of a document."""
LATENCIES = (
    "fixed:{us}us",
    "lognormal:{us}us:0.4",
    "uniform:{us}us:{more}us",
    "exponential:{us}us",
    "normal:{us}us:200ns",
    "0.9*fixed:{us}us+0.1*lognormal:{more}us:0.3",
)


def of_document(document):
    """The texts of each channel's figures, from the numbers of a document."""
    found = {}
    for channel in document["channels"]:
        known = channel["latency"]
        texts = {name: f"{channel[name]:,}" for name in CLASSES}
        texts["n"] = f"{channel['answered'] + channel['late']:,}"
        names = ("min", *QUANTILES, "max seen", "mean", "peak-to-peak", "RMS", "variance")
        if known is None or not known["count"]:
            found[channel["name"]] = texts | dict.fromkeys(names, "-")
            continue
        for name, key in (("min", "min"), ("max seen", "max"), ("RMS", "rms")):
            texts[name] = format_seconds(float(known[f"{key}_s"]))
        texts["peak-to-peak"] = format_seconds(float(known["peak_to_peak_s"]))
        for name, key in QUANTILES.items():
            value = known[f"{key}_s"]
            texts[name] = "too few" if value is None else format_seconds(float(value))
        variance = known["variance_ticks2"]
        mean = known["sum_ticks"] / known["count"]
        tick_fs = document["tick_fs"]
        texts["mean"] = format_mean(mean, variance, known["count"], tick_fs)
        texts["variance"] = format_variance(variance, tick_fs)
        found[channel["name"]] = texts
    return found


def of_terminal(text, names):
    """The same of the tables of a terminal: blocks that begin with a row of heads.

    `names` are those of the channels: other rows are notes.
    """
    found, heads = {}, []
    for line in text.splitlines():
        cells = re.split(r"\s{2,}", line.rstrip())
        if cells[0] == "channel":
            heads = cells
        elif not line.strip():
            heads = []
        elif heads and cells[0] in names and len(cells) == len(heads):
            own = found.setdefault(cells[0], {})
            own |= {head: cell for head, cell in zip(heads, cells, strict=True) if head not in own}
    return found


class Tables(HTMLParser):
    """The tables of a page: texts of cells, without the notes below them."""

    def __init__(self):
        super().__init__()
        self.tables, self.files = [], {}
        self.notes, self.in_cell = 0, False

    def handle_starttag(self, tag, attrs):
        known = dict(attrs)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr" and self.tables:
            self.tables[-1].append([])
        elif tag in ("td", "th") and self.tables:
            self.tables[-1][-1].append("")
            self.in_cell = True
        elif tag == "small":
            self.notes += 1
        elif tag == "a" and known.get("download"):
            content = base64.b64decode(known["href"].partition("base64,")[2]).decode()
            self.files[known["download"].rpartition(".")[2]] = content

    def handle_endtag(self, tag):
        self.notes -= tag == "small"
        if tag in ("td", "th"):
            self.in_cell = False

    def handle_data(self, data):
        if self.in_cell and not self.notes:
            self.tables[-1][-1][-1] += data


def of_page(html):
    """The same of the tables of a page, and the document that it carries."""
    parsed = Tables()
    parsed.feed(html)
    found = {}
    for heads, *rows in filter(None, parsed.tables):
        if heads and heads[0] == "channel":
            for row in rows:
                own = found.setdefault(row[0].strip(), {})
                cells = zip(heads, row, strict=True)
                own |= {head: cell.strip() for head, cell in cells if head not in own}
    return found, json.loads(parsed.files["json"])


def of_live(run):
    """The same of the live page's table, when the run has ended."""
    shown = figures(final(run.report, None))
    found = {}
    for row in shown["rows"]:
        texts = (text for text, _, _ in row["cells"])
        heads = (head for head, _ in HEADS[1:])
        found[row["name"]] = dict(zip(heads, texts, strict=True))
    return found


def of_library(run):
    """The same of the library's numbers."""
    found = {}
    for reading in run.channels:
        texts = {name: f"{getattr(reading, name):,}" for name in CLASSES}
        texts["n"] = f"{reading.answered + reading.late:,}"
        for name, value_s in (
            ("min", reading.min_s),
            ("max seen", reading.max_s),
            ("peak-to-peak", reading.peak_to_peak_s),
            ("RMS", reading.rms_s),
        ):
            texts[name] = "-" if value_s is None else format_seconds(value_s)
        texts["variance"], texts["mean"] = variance_and_mean(reading)
        for name in QUANTILES:
            paired = reading.figures.rise is not None
            known = reading.percentile(float(name[1:])) if paired else None
            if known is None:
                texts[name] = "-"
            else:
                few = known.upper_s is None
                texts[name] = "too few" if few else format_seconds(known.value_s)
        found[reading.name] = texts
    return found


def variance_and_mean(reading):
    """Return both of a channel as texts, from its exact sums."""
    known = reading.statistics() if reading.figures.rise is not None else None
    if known is None or not known.count:
        return "-", "-"
    mean = Fraction(known.sum_ticks, known.count)
    variance = Fraction(known.sum_sq_ticks2, known.count) - mean**2
    tick_fs = reading.tick_fs
    return format_variance(variance, tick_fs), format_mean(mean, variance, known.count, tick_fs)


def check_jitter128(run, document):
    """Assert that the span of 128 latencies in a row is that of the library's samples."""
    for reading, channel in zip(run.channels, document["channels"], strict=True):
        known = channel["latency"]
        if known is None or known["jitter128_max_ticks"] is None:
            continue
        windows = np.lib.stride_tricks.sliding_window_view(reading.samples().value_ticks, 128)
        spans = windows.max(axis=1) - windows.min(axis=1)
        assert known["jitter128_max_ticks"] == spans.max()
        assert known["jitter128_ticks"] == spans[-1]


def same(one, other, names, way):
    """Assert that each channel has the same texts, by these names."""
    assert set(one) == set(other), way
    for channel, texts in one.items():
        for name in names:
            assert other[channel].get(name) == texts[name], f"{way}: {channel} {name}"


def random_runs(number, folder):
    """Yield runs of random devices, with random strikes, in random modes."""
    for first in range(0, number, A_DEVICE):
        draw = random.Random(first)
        us = draw.choice((1, 3, 7))
        latency = draw.choice(LATENCIES).format(us=us, more=us + 5)
        drop = draw.choice(("", ",drop=0.02", ",drop=0.3"))
        link = f"sim:?dut=synthetic:latency={latency}{drop},seed={first + 1}"
        with plexor.open(link) as instrument:
            for taken in range(min(A_DEVICE, number - first)):
                out = folder / f"run{first + taken}"
                options = {
                    "rate": draw.choice(("1k", "5k", "11k")),
                    "count": draw.choice((5, 60, 300, 700)),
                    "mode": draw.choice((None, "dump")),
                    "dither": draw.choice(("0", "1us", "5us")),
                    "deadline": draw.choice((None, f"{us + 1}us")),
                    "seed": first + taken + 1,
                    "channels": ["ISR=ch0", "TASK=ch1"][: draw.choice((1, 2))],
                }
                yield instrument.run(out=out, **options), out


def of_document_s(channel, figure):
    """Return a figure of a channel in a document, as a comparison has it: in seconds, or a share.

    None: the channel has no such figure, or too few samples for it.
    """
    if figure in CLASSES or figure in OTHER_CLASSES:
        return channel[figure] / channel["strikes"] if channel["strikes"] else None
    known = channel["latency"]
    if known is None or not known["count"]:
        return None
    if figure == "mean":
        return known["sum_ticks"] / known["count"] * TICK_S
    if figure == "variance":
        return known["variance_ticks2"] * TICK_S**2
    return known[f"{figure.replace('p99.9', 'p999')}_s"]


def check_comparison(one, other, capsys):
    """Assert that two runs have the same figures when they are compared as they have alone."""
    (before, old, old_texts), (after, new, new_texts) = one, other
    assert cli.main(["compare", str(before), str(after), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    sides = [{c["name"]: c for c in known["channels"]} for known in (old, new)]
    found = {(entry["channel"], entry["figure"]): entry for entry in document["differences"]}
    assert {channel for channel, _ in found} == set(sides[0]) & set(sides[1])
    for (channel, figure), entry in found.items():
        values = [of_document_s(side[channel], figure) for side in sides]
        assert [entry["before"], entry["after"]] == [
            None if value is None else pytest.approx(float(value), rel=1e-12) for value in values
        ], f"{channel} {figure}"
    compared = plexor.compare(before, after, columns="all")
    parsed = Tables()
    parsed.feed(compared.page())
    page = next(rows for rows in parsed.tables if rows and rows[0][:2] == ["channel", "figure"])
    lines = (re.split(r"\s{2,}", line) for line in compared.text(width=200).splitlines())
    for way, rows in (("text", lines), ("page", page)):
        cells = {(row[0], row[1]): row[2:4] for row in rows if row[0] in old_texts}
        named = {(channel, WORDS.get(figure, figure)) for channel, figure in found}
        assert set(cells) == named, way
        for (channel, word), shown in cells.items():
            if word in COMPARED:
                texts = [old_texts[channel][word], new_texts[channel][word]]
                assert [text.strip() for text in shown] == texts, f"{way}: {channel} {word}"


def check_runs(number, folder, capsys):
    checked, earlier = 0, None
    for run, out in random_runs(number, folder):
        assert cli.main(["show", str(out), "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        told = of_document(document)
        every = next(iter(told.values())).keys()
        assert cli.main(["show", str(out), "--columns", "all"]) == 0
        same(told, of_terminal(capsys.readouterr().out, told), every, "terminal")
        page, carried = of_page(run.less(columns="all").page())
        same(told, page, every, "page")
        assert carried["channels"] == document["channels"]
        live = [name for name in every if name not in ("mean", "variance")]
        same(told, of_live(run), live, "live")
        same(told, of_library(run), every, "library")
        check_jitter128(run, document)
        if checked % A_DEVICE:
            check_comparison(earlier, (out, document, told), capsys)
        earlier = out, document, told
        checked += 1
    assert checked == number


def test_ten_random_runs_have_the_same_figures_in_five_ways(tmp_path, capsys):
    check_runs(SHORT, tmp_path, capsys)


@pytest.mark.full
def test_two_hundred_random_runs_have_the_same_figures_in_five_ways(tmp_path, capsys):
    check_runs(FULL, tmp_path, capsys)


def test_a_figure_that_differs_in_one_way_is_found(tmp_path, capsys):
    """A run's greatest latency is planted twice as long in one of the ways."""
    run, _ = next(random_runs(1, tmp_path))
    told = of_document(run.document())
    channel = run.result.channels[0]
    rise = channel.measurements[0]
    most = replace(rise.statistics, max_ticks=2 * rise.statistics.max_ticks)
    changed = replace(
        channel, measurements=(replace(rise, statistics=most), *channel.measurements[1:])
    )
    other = plexor.Run(replace(run.result, channels=(changed, *run.result.channels[1:])))
    with pytest.raises(AssertionError, match="live: ISR max seen"):
        same(told, of_live(other), ("max seen",), "live")
