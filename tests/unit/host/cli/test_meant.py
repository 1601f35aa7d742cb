# SPDX-License-Identifier: Apache-2.0
"""What a wrong command line meant, by what people type."""

import re

import click
import pytest

from plexor.base.errors import UsageError
from plexor.cli import main
from plexor.cli.declared.live import measure
from plexor.cli.meant import check_dashes, check_prompt, joined, option_meant, told

FLAGS = [flag for option in measure.params for flag in option.opts]


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("--rate 20 kHz --count 5", ["--rate", "20 kHz", "--count", "5"]),
        ("--count 5 --rate 20 khz", ["--count", "5", "--rate", "20 khz"]),
        (
            "--rate 20 k --time 1.5 ms --channel a=ch0",
            ["--rate", "20 k", "--time", "1.5 ms", "--channel", "a=ch0"],
        ),
        ("--timeout 50 µs", ["--timeout", "50 µs"]),
        ("--timeout -5 us", ["--timeout", "-5 us"]),
    ],
)
def test_a_number_and_its_unit_are_one_value(typed, words):
    assert joined(measure, typed.split()) == words


@pytest.mark.parametrize(
    "typed",
    ["--count 5 k", "--rate 20 us", "--time 5 kHz", "--out 5 s", "--rate 20k Hz", "--rate 20 30"],
)
def test_what_is_no_unit_of_the_option_stays_apart(typed):
    assert joined(measure, typed.split()) == typed.split()


@pytest.mark.parametrize(
    ("word", "flag"),
    [
        ("--rat", "--rate"),
        ("-rate", "--rate"),
        ("--Rate", "--rate"),
        ("--rate:20k", "--rate"),
        ("--fallbak", "--fallback"),
        ("--frequency", "--rate"),
        ("-n", "--count"),
        ("--duration", "--time"),
        ("--device", "--dut"),
        ("--port", "--link"),
        ("-o", "--out"),
        ("--xyzzy", ""),
    ],
)
def test_a_wrong_option_is_the_one_that_was_meant(word, flag):
    assert option_meant(word, FLAGS) == flag


@pytest.mark.parametrize(
    ("word", "meant"),
    [("\u2013rate", "--rate"), ("\u2014count=5", "--count=5"), ("-\u2013out", "--out")],
)
def test_a_dash_for_hyphens_is_refused_with_hyphens(word, meant):
    with pytest.raises(UsageError, match=f"did you mean {meant}[?]$"):
        check_dashes(["measure", word, "20k"])


def test_a_file_and_a_number_may_begin_with_a_dash(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "\u2013run").touch()
    check_dashes(["show", "\u2013run", "\u22125us", "--label", "os=\u2013", "-", "--"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--rate", "20k", "10", "kHz"], "(10 kHz); it takes options alone"),
        (["20k"], "extra argument (20k); did you mean --rate 20k?"),
        (["rate=20k"], "extra argument (rate=20k); did you mean --rate 20k?"),
        (["help"], "extra argument (help); did you mean --help?"),
        (["--count", "5", "k"], "(k); a number and its unit are one word, such as 20k"),
        (["-rate", "20k"], "No such option '-rate'. Did you mean '--rate'?"),
        (["--low", "20k"], "No such option '--low'."),
    ],
)
def test_what_click_refuses_is_told_what_was_meant(words, said):
    with pytest.raises(click.UsageError) as caught:
        measure.main(words, standalone_mode=False)
    assert told(caught.value, words).endswith(said)


def test_a_name_and_a_path_that_are_not_there_are_told_the_nearest(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "idle").mkdir()
    choice = click.BadParameter("'latst' is not one of 'oldest', 'latest', 'window'.")
    assert told(choice, []).endswith("'window'; did you mean latest?")
    absent = click.BadParameter("Path 'idel' does not exist.")
    assert told(absent, []).endswith("does not exist; did you mean idle?")
    assert told(click.BadParameter("Path 'xyzzy' does not exist."), []).endswith("does not exist")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["7up"], "extra argument (7up)"),
        (["--rate", "5k", "20k"], "extra argument (20k)"),
        (["=5"], "extra argument (=5)"),
        (["rate="], "extra argument (rate=)"),
        (["xyzzy=5"], "extra argument (xyzzy=5)"),
        (["?"], "extra argument (?); did you mean --help?"),
        (["k"], "(k); a number and its unit are one word, such as 20k"),
    ],
)
def test_a_word_behind_no_option_is_told_only_what_it_may_have_been(words, said):
    with pytest.raises(click.UsageError) as caught:
        measure.main(words, standalone_mode=False)
    assert told(caught.value, words).removesuffix("; it takes options alone").endswith(said)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["$", "plexor", "measure"], "plexor measure"),
        (["plexor", "show", "run"], "plexor show run"),
        (["%", "plexor"], "plexor"),
    ],
)
def test_a_prompt_that_was_copied_is_told_to_be_none(words, meant):
    with pytest.raises(UsageError, match=re.escape(f"{words[0]}: stands before a command")) as said:
        check_prompt(words)
    assert str(said.value).endswith(f"did you mean {meant}?")
    check_prompt(words[2:] if len(words) > 2 else [])


def test_an_option_of_another_command_is_told_whose_it_is_and_no_similar_one(capsys):
    assert main(["show", ".", "--count", "5"]) == 2
    said = capsys.readouterr().err
    assert "No such option '--count'. It is one of plexor measure." in said
    assert main(["measure", "--columms", "all"]) == 2
    assert "Did you mean '--columns'?" in capsys.readouterr().err
