# SPDX-License-Identifier: Apache-2.0
"""Groups list their commands, guess what was meant, and hand defaults down."""

import pytest

from plexor import cli

LISTED = {
    "board": (
        *("devices", "identify", "doctor", "flash", "selftest", "calibrate", "prove", "sim"),
    ),
    "lab": ("bench", "bound", "mixed", "table", "trace-header"),
    "archive": ("add", "log", "serve", "trend"),
    "dut": ("init", "check"),
    "lab bound": ("eval", "check", "sweep", "trace", "fit"),
}


@pytest.mark.parametrize("name", LISTED)
@pytest.mark.parametrize("how", [[], ["--help"], ["-h"], ["--help", "all"]])
def test_a_group_lists_its_commands(name, how, capsys):
    assert cli.main([*name.split(), *how]) == 0
    rows = capsys.readouterr().out.partition("Commands:\n")[2].splitlines()
    starts = [row.split()[0] for row in rows if row[:3].strip()]
    assert sorted(starts) == sorted(LISTED[name])


def test_plexor_alone_says_in_ten_lines_what_it_is_and_three_commands(capsys):
    assert cli.main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 10
    assert max(map(len, lines)) <= 80
    commands = [line.split()[:2] for line in lines if line.startswith("  plexor ")]
    assert commands == [["plexor", "measure"], ["plexor", "scope"], ["plexor", "examples"]]


def test_the_help_lists_all_by_topic(capsys):
    assert cli.main(["--help"]) == 0
    text = capsys.readouterr().out
    places = [text.index(f"\n  {name} ") for name in cli.command_names()]
    assert places == sorted(places)
    for topic in ("Measure:", "Look at what was measured:", "Many runs:"):
        assert f"\n{topic}\n" in text


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["mesure"], "No such command 'mesure'. Did you mean 'measure'?"),
        (["doctr"], "No such command 'doctr'. Did you mean 'board doctor'?"),
        (["board", "idetify"], "No such command 'board idetify'. Did you mean 'board identify'?"),
        (
            ["board", "measure"],
            "No such command 'board measure'. Did you mean 'measure'? (see plexor board --help)",
        ),
        (["quux"], "No such command 'quux'. (see plexor --help)"),
    ],
)
def test_a_wrong_name_gets_the_nearest_one(words, hint, capsys):
    assert cli.main(words) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert hint in err


@pytest.mark.parametrize(
    ("text", "words", "is_json"),
    [
        ("[board.devices]\njson = true\n", ["board", "devices"], True),
        ("[board]\njson = true\n", ["board", "devices"], True),
        ("[all]\njson = true\n", ["board", "devices"], True),
        ("[board.identify]\njson = true\n", ["board", "devices"], False),
        ("[board]\njson = true\n[board.devices]\njson = false\n", ["board", "devices"], False),
    ],
)
def test_defaults_of_a_command_in_a_group(text, words, is_json, tmp_path, monkeypatch, capsys):
    (tmp_path / "plexor.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    assert cli.main(words) == 0
    assert capsys.readouterr().out.startswith("[") == is_json


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[replay]\nbase = 1\n", "[replay]: this is [show] now; must be one of measure, "),
        ("[board.doctr]\njson = true\n", "[board.doctr]: no such command; must be one of devices"),
        ("[board.devices]\njso = true\n", "[board.devices] jso: no such option; see plexor board"),
        ("[board]\nrate = 1\n", "[board] rate: no such option; see plexor board --help"),
    ],
)
def test_a_wrong_table_is_one_line(text, says, tmp_path, monkeypatch, capsys):
    (tmp_path / "plexor.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    assert cli.main(["board", "devices"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert says in err
