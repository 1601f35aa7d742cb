# SPDX-License-Identifier: Apache-2.0
"""One verdict: its words, those of before, and how many make one."""

from fractions import Fraction
from itertools import permutations

import pytest

from plexor.figures.judge.verdict import Outcome, Verdict, worst

PASS, FAIL, TOO_FEW, APART = Outcome


@pytest.mark.parametrize(
    ("old", "outcome"),
    [
        *(("pass", PASS), ("kept", PASS), ("safe", PASS)),
        *(("fail", FAIL), ("broken", FAIL), ("unsafe", FAIL)),
        *(("too few", TOO_FEW), ("insufficient", TOO_FEW), ("undecided", TOO_FEW)),
        *(("not proven", TOO_FEW), ("not comparable", APART), ("beyond", APART)),
    ],
)
def test_the_words_of_before_are_read(old, outcome):
    assert Outcome(old) == outcome


def test_no_other_word_is_read():
    for word in ("", "maybe", 1, None):
        with pytest.raises(ValueError, match=r"."):
            Outcome(word)


def test_the_line_says_reason_and_what_would_settle_it():
    assert Verdict(outcome=PASS).line == ""
    assert Verdict(outcome=TOO_FEW, reason="9 samples").line == "9 samples"
    both = Verdict(outcome=TOO_FEW, reason="9 samples; all late", settles="p99 needs 368")
    assert both.line == "9 samples; all late; p99 needs 368"


def test_one_failure_is_enough_and_what_is_open_comes_before_a_pass():
    ranked = (FAIL, TOO_FEW, APART, PASS)
    for place, outcome in enumerate(ranked):
        for some in permutations(ranked[place:]):
            assert worst(Verdict(outcome=each) for each in some) == outcome
    assert worst([]) == PASS


class Counted(Verdict):
    @property
    def numbers(self):
        return {"share": Fraction(1, 4), "count": 3, "most": None}


def test_the_document_has_the_same_keys_for_all():
    assert Counted(outcome=FAIL, reason="why").document() == {
        "outcome": "fail",
        "reason": "why",
        "settles": "",
        "numbers": {"share": 0.25, "count": 3, "most": None},
    }
