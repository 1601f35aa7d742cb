# SPDX-License-Identifier: Apache-2.0
"""One is singular, all else is plural."""

import re
from pathlib import Path

import pytest

import plexor
from plexor.base.counts import agreed, counted


@pytest.mark.parametrize(
    ("count", "noun", "text"),
    [
        (0, "strike", "0 strikes"),
        (1, "strike", "1 strike"),
        (2, "strike", "2 strikes"),
        (1500, "response", "1,500 responses"),
        (1, "entry", "1 entry"),
        (3, "entry", "3 entries"),
        (2, "key", "2 keys"),
        (2, "match", "2 matches"),
        (2, "miss", "2 misses"),
    ],
)
def test_a_noun_agrees_with_its_count(count, noun, text):
    assert counted(count, noun) == text


def test_a_verb_agrees_with_a_count():
    assert [agreed(count, "is", "are") for count in (0, 1, 2)] == ["are", "is", "are"]


def test_no_count_of_strikes_is_printed_without_the_rule():
    """A number that is put before such a noun in the sources is put there by `counted`."""
    written = re.compile(r"\{(?!.*MOST|.*LEAST)[a-z][^{}]*\} (strikes|responses|samples|edges)\b")
    found = [
        f"{path.name}: {line.strip()}"
        for path in Path(plexor.__file__).parent.rglob("*.py")
        if "protocol" not in path.parts
        for line in path.read_text(encoding="utf-8").splitlines()
        if written.search(line) and "strikes a second" not in line and "events show" not in line
    ]
    assert found == []
