# SPDX-License-Identifier: Apache-2.0
"""Verilog as a text: what is code keeps its place."""

from __future__ import annotations

import pytest

from plexor_sim.design.text import bare, defined, switched_on, without_comments

TEXT = 'a = "x // \\" y"; // "b\nc /* d\n e */ f "/*"'


def test_comments_and_strings_become_blanks_of_the_same_length() -> None:
    string, comment = " " * len('"x // \\" y"'), " " * len('// "b')
    assert bare(TEXT) == f"a = {string}; {comment}\nc     \n      f     "


def test_strings_are_no_comments() -> None:
    comment = " " * len('// "b')
    assert without_comments(TEXT) == f'a = "x // \\" y"; {comment}\nc     \n      f "/*"'


# The branches that a preprocessor takes, by IEEE Std 1800-2017, section 22.6.
@pytest.mark.parametrize(
    ("text", "known", "left"),
    [
        ("a `ifdef X b `else c `endif d", (), "a c d"),
        ("a `ifdef X b `else c `endif d", ("X",), "a b d"),
        ("`ifndef X b `elsif Y c `elsif Z d `else e `endif", ("X", "Z"), "d"),
        ("`ifndef X b `elsif Y c `else e `endif", ("Y",), "b"),
        ("`ifdef X `ifdef Y b `else c `endif `else d `endif", ("Y",), "d"),
        ("`ifdef X `define Y\n `endif `ifdef Y b `endif", (), ""),
        ("`ifdef X `define Y\n `endif `ifdef Y b `endif", ("X",), "b"),
        ("`define Y 3\n`undef Y\n`ifdef Y b `endif", (), ""),
        ("`include `ifdef X b `endif", (), "`include `ifdef X b `endif"),
        ("`endif `else a `ifdef X b", (), "a"),
    ],
)
def test_what_is_switched_off_becomes_blanks(text: str, known: tuple[str, ...], left: str) -> None:
    found = switched_on(text, known)
    assert len(found) == len(text)
    assert found.count("\n") == text.count("\n")
    plain = " ".join(word for word in found.split() if word != "3")
    assert plain == left


def test_every_macro_that_a_text_may_define_is_named() -> None:
    assert defined("`ifdef X `define Y 3\n `endif `define Z") == ["Y", "Z"]
