# SPDX-License-Identifier: Apache-2.0
"""Mistakes that people make are taken as they were meant, or told in one line what was meant."""

import pytest
from tools.mistakes import answer, mistakes, prepare, wrong

EVERY = mistakes()
TOPICS = list(dict.fromkeys(mistake.topic for mistake in EVERY))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files that mistakes are about."""
    found = tmp_path_factory.mktemp("mistakes")
    prepare(found)
    return found


def test_there_are_more_than_sixty_of_all_kinds():
    assert len(EVERY) >= 60
    assert len({mistake.typed for mistake in EVERY}) == len(EVERY)
    assert len(TOPICS) >= 8


@pytest.mark.parametrize("topic", TOPICS)
def test_each_is_taken_or_told_in_one_line_what_was_meant(topic, folder):
    for mistake in EVERY:
        if mistake.topic == topic:
            given = answer(mistake.typed, folder)
            assert not wrong(mistake, given), "\n".join((mistake.typed, *given.lines))
