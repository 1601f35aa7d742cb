# SPDX-License-Identifier: Apache-2.0
"""All commands by topic; and what the names of before answer."""

import shlex

import pytest

from plexor import cli
from plexor.cli import tree

FORMER = (
    *("replay", "report", "export", "why", "timeline", "profile", "trace-header"),
    *("devices", "doctor", "identify", "selftest", "calibrate", "prove", "sim", "completion"),
    *("bench", "bound", "mixed", "table"),
)
"""Every command of the level that there was before there were groups, and that has moved."""


@pytest.mark.parametrize("name", FORMER)
def test_a_former_name_says_in_one_line_what_does_the_same(name, capsys):
    assert cli.main([name, "x", "--json"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    before, command, after = err.split("`")
    assert (before, after) == (f"plexor: {name}: this is ", " now\n")
    words = shlex.split(command)[1:]
    reached = cli.command_of(" ".join(words[: 1 + (words[0] in ("board", "lab"))]))
    assert reached is not None or words == ["--completion", "SHELL"]


def test_every_command_stands_once_and_has_a_sentence():
    names = [name for commands in tree.TOPICS.values() for name in commands]
    assert len(names) == len(set(names)) == len(tree.TOP)
    for _, command in cli.every_command():
        assert command.get_short_help_str(200)
    for group in ("board", "lab"):
        for name, own in tree.group_of(group).commands.items():
            assert own.help.endswith(".") or name in ("bench", "bound", "mixed", "table")


def test_a_name_that_was_none_has_nothing_instead():
    assert tree.now("mesure") == ""
    assert tree.now("measure") == ""
    assert tree.now("doctor") == "board doctor"
