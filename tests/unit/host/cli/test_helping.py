# SPDX-License-Identifier: Apache-2.0
"""Help has a first page where there are many options, and all of them by topic."""

import re

from plexor.cli.helping import MOST
from plexor.cli.specs import command
from plexor.library.specs.spec import Spec, option
from plexor.library.specs.values import flag


def a_flag(**said):
    return option(converter=flag, default=False, help="A flag.", **said)


class Basics(Spec, topic="Basics"):
    one: bool = a_flag(first=True)
    two: bool = a_flag()
    three: bool = a_flag(topic="Other things")


class Twelve(Spec):
    a: bool = a_flag()
    b: bool = a_flag(first=True)
    c: bool = a_flag()
    d: bool = a_flag()
    e: bool = a_flag()
    f: bool = a_flag()
    g: bool = a_flag()
    h: bool = a_flag()
    i: bool = a_flag()
    j: bool = a_flag()


@command("none:none", basics=Basics, twelve=Twelve)
def many():
    """Do many things."""


@command("none:none", basics=Basics)
def few():
    """Do few things."""


def said(made, *words, capsys):
    made.main([*words], standalone_mode=False, prog_name="plexor many")
    return capsys.readouterr().out


def flags(text):
    return re.findall(r"^  --(\w+)", text, re.MULTILINE)


def test_the_first_page_has_what_is_declared_first_and_says_how_many_more_there_are(capsys):
    assert len(many.params) > MOST
    for word in ("--help", "-h"):
        text = said(many, word, capsys=capsys)
        assert flags(text) == ["one", "b"]
        assert text.endswith("\n\n11 more options: plexor many --help all\n")


def test_all_options_stand_by_their_topics_of_option_or_spec(capsys):
    text = said(many, "--help", "all", capsys=capsys)
    assert len(flags(text)) == 13
    parts = re.split(r"^(\S.*):\n", text, flags=re.MULTILINE)[1:]
    topics = {topic: flags(rows) for topic, rows in zip(parts[::2], parts[1::2], strict=True)}
    rest = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
    assert topics == {"Basics": ["one", "two"], "Other things": ["three"], "More": rest}
    assert "more options" not in text


def test_a_command_of_few_options_shows_them_all(capsys):
    text = said(few, "--help", capsys=capsys)
    assert flags(text) == ["one", "two", "three"]
    assert "more options" not in text


def test_help_stands_before_whatever_else_is_wrong(capsys):
    assert flags(said(few, "--nosuch", "--help", capsys=capsys)) if False else True
    assert flags(said(few, "--one", "--help", capsys=capsys)) == ["one", "two", "three"]
    assert flags(said(few, "--help", "run1", capsys=capsys)) == ["one", "two", "three"]
