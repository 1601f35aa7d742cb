# SPDX-License-Identifier: Apache-2.0
"""Names of a foreign run are text in every file that is made of it."""

import csv
import re
import zipfile
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from prometheus_client.parser import text_string_to_metric_families

from plexor.library.run import Run
from plexor.show.export.csv import write_csv
from plexor.show.export.hdr import write_hlog
from plexor.show.export.markdown import write_markdown
from plexor.show.export.openmetrics import write_openmetrics, write_prometheus
from plexor.show.export.sigrok import write_sr
from plexor.show.export.vcd import write_vcd

from . import planted

HOSTILE = (
    "=HYPERLINK(1)",
    "+1+cmd",
    "-2+3",
    "@SUM(A1)",
    ' =cmd|"x"',
    "a,=1;=2\n=3",
    "</script><img src=x onerror=evil()>",
    "<script>evil()</script>'\"><b>",
    "a | b | c\n|---|\n| d",
    "[here](http://evil.example)",
    "http://evil.example www.evil.example @evil x@evil.example",
    "--- <http://evil.example> &lt;b&gt; `x` $end\n#0\n[device 2]",
)


def hostile(name):
    """A run whose channels, device and command have this name."""
    run = planted.run()
    channels = tuple(replace(each, name=f"{name}{n or ''}") for n, each in enumerate(run.channels))
    return replace(
        run, channels=channels, device={"dut": name, name: name, "board": name}, command=name
    )


each_name = pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))


@each_name
def test_no_cell_of_csv_is_a_formula(name, tmp_path):
    path = planted.written(write_csv, tmp_path / "a.csv", hostile(name))
    rows = list(csv.reader(path.read_text().splitlines()))
    rows += [line.split(";") for line in path.read_text().splitlines()]
    cells = [cell.strip() for row in rows for cell in row]
    assert not [cell for cell in cells if re.match(r"[=+@]|-(?![\d.]+$)", cell)]
    assert len({len(row) for row in rows if not row[0].startswith("#") and len(row) > 3}) == 1


@each_name
def test_markdown_shows_names_and_nothing_else(name, tmp_path):
    path = planted.written(write_markdown, tmp_path / "a.md", hostile(name))
    text = path.read_text()
    bare = re.sub(r"\\[!-/:-@[-`{-~]", "", text.replace("&#8203;", "\u200b"))
    assert not re.search(r"<|://|www\.|@\w|&\w+;|\]\(|`", bare)
    assert set(re.findall(r"(?m)^(#+) ", bare)) <= {"#", "##"}
    assert not re.search(r"(?m)^(---|[-+] )", bare)
    tables = re.split(r"\n(?!\|)", bare)
    for table in tables:
        widths = {line.count("|") for line in table.splitlines() if line.startswith("|")}
        assert len(widths) <= 1


class _Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, sorted(key for key, _ in attrs)))


def tags(text):
    parser = _Tags()
    parser.feed(text)
    return parser.found


@each_name
def test_a_page_and_a_picture_have_the_elements_of_any_run(name):
    def made(run):
        return [tags(text) for text in (Run(run).page(), Run(run).picture())]

    plain = [{tag for tag, _ in each} for each in made(hostile("name"))]
    found = made(hostile(name))
    for known, each in zip(plain, found, strict=True):
        assert {tag for tag, _ in each} <= known
        assert not [keys for _, keys in each if any(key.startswith("on") for key in keys)]


@each_name
def test_metrics_are_read_back_with_their_names(name, tmp_path):
    path = planted.written(write_prometheus, tmp_path / "a.prom", hostile(name))
    families = list(text_string_to_metric_families(path.read_text()))
    labels = {sample.labels.get("channel") for family in families for sample in family.samples}
    assert labels <= {None, name, f"{name}1"}
    planted.written(write_openmetrics, tmp_path / "a.om", hostile(name))


@each_name
def test_a_dump_and_samples_have_their_own_lines_alone(name, tmp_path):
    def lines(named):
        dump = planted.written(write_vcd, tmp_path / "a.vcd", hostile(named)).read_text()
        samples = planted.written(write_sr, tmp_path / "a.sr", hostile(named))
        with zipfile.ZipFile(samples) as archive:
            told = archive.read("metadata").decode()
            said = archive.read("about.txt").decode()
        return dump.count("\n"), dump.count("$end"), told.count("\n"), said.count("\n")

    assert lines(name) == lines("name")


@each_name
def test_a_log_of_histograms_has_its_own_lines_alone(name, tmp_path):
    def lines(named):
        text = planted.written(write_hlog, tmp_path / "a.hlog", hostile(named)).read_text()
        return [line.count(",") for line in text.splitlines() if not line.startswith("#")]

    assert lines(name) == lines("name")
