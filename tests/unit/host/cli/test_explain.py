# SPDX-License-Identifier: Apache-2.0
"""`plexor explain`: what a run has of why, timeline and profile, as text, document and files."""

import json

import pytest

from plexor import cli
from plexor.files.store.run_folder import save
from plexor.library.run import Run

from ..coded import coded_run
from ..library.explain.test_coded import NAMES

CODES = [(1000, 1, 0), (3000, 1, 3)]


@pytest.fixture
def coded(tmp_path, monkeypatch):
    """The folder of a run in which a device said what it does."""
    run = Run(coded_run(CODES, 20_000, NAMES))
    monkeypatch.setattr("plexor.library.load.load", lambda _: run)
    return str(tmp_path)


@pytest.fixture
def plain(tmp_path, run_of):
    """The folder of a run without codes."""
    return str(save(run_of([[1000] * 40 + [9000]]), tmp_path / "plain"))


def shown(capsys, *words):
    code = cli.main(["explain", *words])
    return code, *capsys.readouterr()


def test_all_views_come_one_after_the_other_as_each_does_alone(coded, capsys):
    code, text, err = shown(capsys, coded)
    parts = [shown(capsys, coded, "--view", view)[1] for view in ("why", "timeline", "profile")]
    assert len(set(parts)) == 3
    assert (code, text, err) == (0, "\n".join(parts), "")


def test_a_run_without_codes_has_why_alone_and_says_so(plain, capsys):
    code, text, err = shown(capsys, plain)
    alone = shown(capsys, plain, "--view", "why")
    assert (code, text, "") == alone
    assert "9 µs" in text
    assert err == "plexor: no timeline and no profile: the run has no codes\n"


@pytest.mark.parametrize(
    "options",
    [["--view", "timeline"], ["--view", "tree"], ["--cursor", "1us"], ["--base", "1ns"]],
)
def test_what_needs_codes_is_refused_of_a_run_without(plain, capsys, options):
    code, text, err = shown(capsys, plain, *options)
    assert (code, text, err.count("\n")) == (2, "", 1)
    assert "this run has no codes" in err


def test_the_document_of_a_run_without_codes_has_why_alone(plain, capsys):
    assert list(json.loads(shown(capsys, plain, "--json")[1])) == ["why"]


def test_the_document_has_each_view_that_the_run_has(coded, capsys):
    document = json.loads(shown(capsys, coded, "--json")[1])
    schemas = {name: view["schema"] for name, view in document.items()}
    assert schemas == {
        "why": "plexor.why/1",
        "timeline": "plexor.timeline/1",
        "profile": "plexor.profile/1",
    }
    alone = json.loads(shown(capsys, coded, "--view", "timeline", "--json")[1])
    assert alone == document["timeline"]


def test_each_suffix_makes_its_file(coded, capsys, tmp_path):
    files = [tmp_path / f"x{suffix}" for suffix in (".html", ".svg", ".csv", ".vcd", ".json")]
    options = [word for path in files for word in ("--to", str(path))]
    code, _, err = shown(capsys, coded, "--view", "timeline", *options)
    assert code == 0
    words = ["page", "picture", "wrote", "wrote", "wrote"]
    assert err.splitlines() == [
        f"plexor: {word} {path}" for word, path in zip(words, files, strict=True)
    ]
    assert files[0].read_text().endswith("</html>\n")
    assert files[3].read_text().startswith("$")
    assert "speedscope" in json.loads(files[4].read_text())["$schema"]


def parts_of_page(capsys, file, *words):
    """Whether the page has late answers, a timeline and a profile."""
    assert shown(capsys, *words, "--to", str(file))[0] == 0
    text = file.read_text()
    return [
        f"<h2>{part}</h2>" in text for part in ("Late answers", "Time in each state", "Profile")
    ]


@pytest.mark.parametrize(
    ("view", "parts"),
    [
        ((), [True, True, True]),
        (("--view", "why"), [True, False, False]),
        (("--view", "timeline"), [False, True, False]),
        (("--view", "tree"), [False, False, True]),
    ],
)
def test_a_page_has_all_views_or_the_one_that_is_asked_for(coded, capsys, tmp_path, view, parts):
    assert parts_of_page(capsys, tmp_path / "x.html", coded, *view) == parts


def test_a_run_without_codes_has_a_page_of_its_late_answers(plain, capsys, tmp_path):
    assert parts_of_page(capsys, tmp_path / "x.html", plain) == [True, False, False]
    code, _, err = shown(capsys, plain, "--to", str(tmp_path / "x.svg"))
    assert code == 2
    assert "this run has no codes" in err


def test_another_suffix_is_refused_with_those_that_there_are(coded, capsys):
    code, text, err = shown(capsys, coded, "--to", "x.gif")
    assert (code, text) == (2, "")
    known = ".html, .svg, .png, .pdf, .csv, .vcd, .pftrace, .json"
    assert err == f"plexor: x.gif: its suffix must be one of {known}\n"
