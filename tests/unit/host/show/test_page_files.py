# SPDX-License-Identifier: Apache-2.0
"""The files that a page carries: what is saved is the data, by other readers of CSV and JSON."""

import base64
import csv
import io
import json
import re

import numpy as np
import pandas as pd
import pytest

from plexor.figures.analyse.analyse import analyse
from plexor.library.run import Run
from plexor.show.drawn import run_data
from plexor.show.page_files import histogram_csv, html_files, table_csv

from .runs_to_draw import KINDS


def carried(page):
    """Return the files of a page by their names."""
    links = re.findall(r'download="([^"]+)" href="data:[\w/]+;base64,([^"]*)"', page)
    return {name: base64.b64decode(text).decode() for name, text in links}


def test_a_page_carries_the_document_of_its_run(runs):
    run = Run(runs["usual"])
    assert json.loads(carried(run.page())["run.json"]) == json.loads(json.dumps(run.document()))


def test_the_histogram_has_each_response_once(run_of):
    random = np.random.default_rng(3)
    values = {"ISR": random.integers(2000, 2500, 500), "TASK": random.integers(9000, 9900, 500)}
    run = run_of([values["ISR"].tolist(), values["TASK"].tolist()], names=list(values))
    table = pd.read_csv(io.StringIO(histogram_csv(run_data(analyse(run)))))
    for name, planted in values.items():
        own = table[table.channel == name]
        found = np.repeat(own.from_s.to_numpy(), own.responses.to_numpy())
        assert found == pytest.approx(np.sort(planted) * 1e-9, rel=1e-12)
    assert ((table.to_s - table.from_s) * 1e9).round(6).eq(1).all()


@pytest.mark.parametrize("kind", KINDS)
def test_the_histogram_of_every_run_counts_its_responses(runs, kind):
    report = analyse(runs[kind])
    rows = list(csv.DictReader(io.StringIO(histogram_csv(run_data(report)))))
    for channel in report.channels:
        own = sum(int(row["responses"]) for row in rows if row["channel"] == channel.name)
        assert own == (0 if channel.rise is None else channel.rise.count)


def test_a_table_keeps_its_notes_and_what_csv_must_quote():
    text = table_csv((["a", "b"], [[("x, y", ""), ('1 "µs"', "0.9 to 1.1 µs")]]))
    assert list(csv.reader(io.StringIO(text))) == [["a", "b"], ["x, y", '1 "µs" (0.9 to 1.1 µs)']]


def test_no_spreadsheet_takes_a_name_for_a_formula():
    text = table_csv((["a", "b"], [[("=1+1", ""), ("-5 ns", "")]]))
    assert list(csv.reader(io.StringIO(text)))[1] == ["_1+1", "-5 ns"]


def test_what_is_not_there_has_no_button():
    assert html_files("run", "", "") == ""
    assert re.findall(r'download="(.+?)"', html_files("a<b", "{}", "")) == ["a&lt;b.json"]
