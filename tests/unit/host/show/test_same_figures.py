# SPDX-License-Identifier: Apache-2.0
"""The same figure has the same value on the page and in the JSON document that it carries."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from plexor.library.run import Run

from .runs_to_draw import KINDS
from .test_page_files import carried

UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
TIME = re.compile(r"(-?[\d.]+(?:e[+-]?\d+)?)\s(s|ms|µs|ns)")


class _Tiles(HTMLParser):
    """Reads the tiles of each channel: (name, text, note), by the channel's name."""

    def __init__(self):
        super().__init__()
        self.found, self.path, self.own = {}, [], []

    def handle_starttag(self, tag, attrs):
        self.path.append(tag)
        if tag == "section":
            self.name, self.own = "", []
        if tag == "dt" and "section" in self.path:
            self.own.append(["", "", ""])

    def handle_endtag(self, tag):
        if tag not in self.path:
            return
        while self.path.pop() != tag:
            pass
        if tag == "section":
            self.found.setdefault(self.name, self.own)

    def handle_data(self, data):
        if "section" not in self.path:
            return
        if self.path[-1] == "h2":
            self.name += data
        elif "dl" in self.path:
            self.own[-1][{"dt": 0, "b": 1, "small": 2}[self.path[-1]]] += data


def tiles_of(page):
    reader = _Tiles()
    reader.feed(page.partition("<script")[0])
    return reader.found


def seconds(text):
    """Return the last time in a text, in seconds."""
    value, unit = TIME.findall(text)[-1]
    return float(value) * UNITS[unit]


def is_shown(text, value_s):
    """Return whether a text of four digits shows a value in seconds."""
    if float(value_s) == 0:
        return text.startswith("0 s") or text.startswith("0\N{NO-BREAK SPACE}s")
    return seconds(text) == pytest.approx(float(value_s), rel=5.1e-4)


def assert_same(page):
    """Check the tiles of a run's page against the document in it; return how many there were."""
    document = json.loads(carried(page)["run.json"])
    shown = tiles_of(page)
    checked = 0
    for channel in document["channels"]:
        own = shown[channel["name"]]
        if own[0][0] == "mean period":
            continue
        percentile, most, missed = own
        assert missed[1].replace(",", "") == str(channel["missed"])
        assert re.search(r"of ([\d,]+)", missed[2])[1].replace(",", "") == str(channel["strikes"])
        latency = channel["latency"]
        if latency is None or percentile[1] in ("-", "too few"):
            continue
        q = float(percentile[0].removeprefix("p")) / 100
        (found,) = [each for each in latency["quantiles"] if each["q"] == pytest.approx(q)]
        if found["seconds"] is not None:
            assert is_shown(percentile[1], found["seconds"])
            assert is_shown(percentile[2], found["upper_s"])
            checked += 1
        if latency["max_s"] is not None:
            assert is_shown(most[1], latency["max_s"])
            checked += 1
        if latency["max_at_s"] is not None:
            assert is_shown(most[2], latency["max_at_s"])
    return checked


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "eight"])
def test_the_tiles_of_a_page_are_the_figures_of_its_document(runs, kind):
    checked = assert_same(Run(runs[kind]).page())
    assert checked or kind in ("none", "ambiguous", "no channel", "one", "zero", "early")


@pytest.mark.parametrize(
    "seed", [*range(8), *(pytest.param(n, marks=pytest.mark.full) for n in range(8, 100))]
)
def test_the_tiles_of_random_runs_are_the_figures_of_their_documents(run_of, seed):
    random = np.random.default_rng(seed)
    count = int(random.integers(6, 900))
    latencies = []
    for _ in range(int(random.integers(1, 4))):
        scale = 10 ** random.uniform(1, 4)
        own = (random.exponential(scale, count) + random.integers(1, 2000)).astype(int)
        own = np.minimum(own, 40_000)
        missing = random.random(count) < random.choice([0, 0.01])
        latencies.append([None if lost else int(v) for v, lost in zip(own, missing, strict=True)])
    run = Run(run_of(latencies, names=[f"pin{n}" for n in range(len(latencies))]))
    assert_same(run.page())
