# SPDX-License-Identifier: Apache-2.0
"""Models as files: the study's counts, and each wrong row as one line that says where it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plexor.base.errors import UsageError
from plexor_lab.bound.files.model_file import read_model
from plexor_lab.bound.model import Count, Repetition, Section

from ..createthread import COLUMNS, COUNTS, EXAMPLES

REPETITIONS = {"1": Repetition(1), "2": Repetition(1), "3": Repetition(1, of_n=True)}


@pytest.mark.parametrize("name", ["createthread.toml", "createthread.csv"])
def test_the_models_that_ship_have_the_counts_of_the_study(name):
    found = read_model(EXAMPLES / name)
    assert found.grows
    assert found.sections == tuple(
        Section(
            name,
            REPETITIONS[name],
            name != "1",
            tuple(Count(*column, count) for column, count in zip(COLUMNS, counts, strict=True)),
        )
        for name, counts in COUNTS.items()
    )


def test_a_model_is_called_by_its_title_or_by_its_file():
    assert read_model(EXAMPLES / "createthread.toml").title == "CreateThread"
    assert read_model(EXAMPLES / "createthread.csv").title == "createthread"


@pytest.mark.parametrize(
    ("name", "section", "count", "begins"),
    [
        ("createthread.toml", 0, 0, "iram_text.read = 3 "),
        ("createthread.toml", 1, 4, "branch = 54"),
        ("createthread.toml", 2, 8, "heap8 = { read = 0, write = 0 }"),
        ("createthread.csv", 0, 0, "1,1,no,3,"),
        ("createthread.csv", 2, 8, "3,N,yes,0,"),
    ],
)
def test_each_count_has_its_place(name, section, count, begins):
    model = read_model(EXAMPLES / name)
    own = model.sections[section]
    path, _, line = model.place(own.name, own.counts[count]).rpartition(":")
    assert path == str(EXAMPLES / name)
    lines = (EXAMPLES / name).read_text().splitlines()
    assert lines[int(line) - 1].startswith(begins)
    if name.endswith(".toml"):
        assert (
            lines.index(f"[section.{own.name}]")
            < int(line)
            < lines.index(f"[section.{own.name}]") + 12
        )


SECTION = "[section.a]\nrepetition = 1\nblocking = false\n"
WRONG_TOML = [
    ("", "m.toml:1: section: is missing; must be a table with entries"),
    ("[section]", "m.toml:1: section: {}; must be a table with entries"),
    ("section = 1", "m.toml:1: section: 1; must be a table with entries"),
    ("[section]\na = 1", "m.toml:2: section.a: 1; must be a table with entries"),
    ("[sections.a]", "m.toml:1: 'sections': no such key; must be title or [section]"),
    (SECTION, "m.toml:1: section a: no counts; must have such as text.read = 3"),
    ("[section.a]\nt = 1", "m.toml:1: section a: repetition: is missing; each section must have"),
    (
        "[section.a]\nrepetition = 1\nt = 1",
        "m.toml:1: section a: blocking: is missing; each section must have one",
    ),
    (
        "[section.a]\nrepetition = 1.5\nblocking = true\nt = 1",
        "m.toml:2: section a: repetition: 1.5; must be a whole number of at least 1, N, or such as",
    ),
    (
        "[section.a]\nrepetition = 1\nblocking = 1\nt = 1",
        "m.toml:3: section a: blocking: 1; must be true or false in TOML",
    ),
    (f"{SECTION}t = -3", "m.toml:4: section a: t: -3; must be a whole number from 0"),
    (f"{SECTION}t.read = 0.5", "m.toml:4: section a: t.read: 0.5; must be a whole number from 0"),
    (f"{SECTION}t.reads = 1", "m.toml:4: section a: t.reads: 'reads'; must be a kind of access"),
    (f"{SECTION}t = 1\n{SECTION}t = 1", "m.toml:5: Cannot declare ('section', 'a') twice; must be"),
    (f"{SECTION}t = 1\nt = 1", "m.toml:5: Cannot overwrite a value; must be TOML, each key and"),
    ('[section."a\\nb"]\nt = 1', "m.toml:1: section: 'a\\nb'; must be a name of printable"),
]
HEAD = "section,repetition,blocking,t\n"
WRONG_CSV = [
    ("section,repetition,t\n", "m.csv:1: no column 'blocking'; must have section, repetition, bl"),
    ("section,repetition,blocking\n1,1,no\n", "m.csv:1: no counts; must have columns such as text"),
    (f"{HEAD}", "m.csv:1: no sections; must have a row for each"),
    (
        "section,repetition,blocking,t,t.any\n",
        "m.csv:1: column 't.any': is the same as 't'; each must be there once",
    ),
    (f"{HEAD}1,1,no,1\n1,1,no,1\n", "m.csv:3: section 1: is in line 2 too; each must have a name"),
    (f"{HEAD}1,1,no,-1\n", "m.csv:2: section 1: t: '-1'; must be a whole number from 0"),
    (f"{HEAD}1,1,no,1.5\n", "m.csv:2: section 1: t: '1.5'; must be a whole number from 0"),
    (f"{HEAD}1,1,no,\n", "m.csv:2: section 1: t: ''; must be a whole number from 0"),
    (
        f"{HEAD}1,1,Y,1\n",
        "m.csv:2: section 1: blocking: 'Y'; must be true or false in TOML, yes or",
    ),
    (
        f"{HEAD}1,M,no,1\n",
        "m.csv:2: section 1: repetition: 'M'; must be a whole number of at least",
    ),
    (f"{HEAD},1,no,1\n", "m.csv:2: section: ''; must be a name of printable characters"),
    (f"{HEAD}\n\n1,1,no\n", "m.csv:4: 3 cells; must be 4, as in the header"),
]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [("m.toml", *case) for case in WRONG_TOML] + [("m.csv", *case) for case in WRONG_CSV],
)
def test_a_wrong_model_is_one_line_with_its_place(tmp_path, monkeypatch, name, text, expected):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(text)
    with pytest.raises(UsageError) as caught:
        read_model(name)
    assert str(caught.value).startswith(expected)
    assert "\n" not in str(caught.value)


@given(st.data())
def test_a_cell_or_a_character_that_is_changed_is_taken_or_refused_in_one_line(
    tmp_path_factory, data
):
    name = data.draw(st.sampled_from(["createthread.toml", "createthread.csv"]))
    text = (EXAMPLES / name).read_text()
    at = data.draw(st.integers(0, len(text)))
    cut = data.draw(st.integers(0, 6))
    text = text[:at] + data.draw(st.text("\n\"'[]{}=,.*-#N1ex\0é", max_size=6)) + text[at + cut :]
    path = tmp_path_factory.mktemp("model") / name
    path.write_text(text, encoding="utf-8")
    try:
        said = ""
        assert read_model(path).sections
    except UsageError as error:
        said = str(error)
    assert "\n" not in said
    assert not said or said.startswith(str(path))
