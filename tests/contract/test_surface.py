# SPDX-License-Identifier: Apache-2.0
"""What a user meets of the command line fits: few commands at the top, few options on a page."""

import re

import pytest
from tools.surface import MOST_COMMANDS, pages

from plexor import cli
from plexor.cli.helping import MOST

TOPIC = re.compile(r"^[A-Z][\w ]+:$", re.MULTILINE)
PAGES = {page.name: page for page in pages()}


def listed(text):
    """Return how many options a help lists: what stands before the first topic is no list."""
    return sum(part.count("\n  --") for part in TOPIC.split(text)[1:])


def test_the_top_level_has_at_most_15_commands():
    assert len(cli.command_names()) <= MOST_COMMANDS == 15


@pytest.mark.parametrize("name", PAGES)
def test_a_first_page_has_at_most_12_options_and_some_where_there_are_any(name, capsys):
    page = PAGES[name]
    assert page.options <= MOST == 12
    assert (page.options > 0) == (page.every > 0)
    if name == "board sim":
        return
    assert cli.main([*name.split(), "--help"]) == 0
    shown = capsys.readouterr().out
    assert listed(shown) == page.options
    assert cli.main([*name.split(), "--help", "all"]) == 0
    assert listed(capsys.readouterr().out) == page.every
    more = page.every - page.options
    last = f"{more} more options: plexor {name} --help all\n"
    assert shown.endswith(last) == (more > 0)
