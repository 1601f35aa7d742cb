# SPDX-License-Identifier: Apache-2.0
"""A figure's key is found by the word that people read, and the other way round."""

import pytest

from plexor.base.figure_words import figure_key, figure_word, source_text, source_word
from plexor.figures.judge.budget import TIMES

WORDS = {"max": "max seen", "peak_to_peak": "peak-to-peak", "rms": "RMS"}


@pytest.mark.parametrize("key", [*TIMES, "missed", "p99.9"])
def test_a_word_leads_back_to_its_key(key):
    assert figure_word(key) == WORDS.get(key, key)
    assert figure_key(figure_word(key)) == key
    assert figure_key(key) == key


@pytest.mark.parametrize("text", ["Max seen", "max  seen", " MAX SEEN "])
def test_case_and_spaces_do_not_matter(text):
    assert figure_key(text) == "max"


@pytest.mark.parametrize(
    ("simulated", "board", "word", "text"),
    [
        (True, "ulx3s25f", "simulated", "simulated"),
        (False, "ulx3s25f", "measured", "measured on ulx3s25f"),
        (False, "", "measured", "measured on hardware"),
    ],
)
def test_figures_say_where_they_come_from(simulated, board, word, text):
    assert source_word(simulated) == word
    assert source_text(simulated, board) == text
