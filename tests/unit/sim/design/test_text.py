# SPDX-License-Identifier: Apache-2.0
"""Verilog as a text: what is code keeps its place."""

from __future__ import annotations

from plexor_sim.design.text import bare, without_comments

TEXT = 'a = "x // \\" y"; // "b\nc /* d\n e */ f "/*"'


def test_comments_and_strings_become_blanks_of_the_same_length() -> None:
    string, comment = " " * len('"x // \\" y"'), " " * len('// "b')
    assert bare(TEXT) == f"a = {string}; {comment}\nc     \n      f     "


def test_strings_are_no_comments() -> None:
    comment = " " * len('// "b')
    assert without_comments(TEXT) == f'a = "x // \\" y"; {comment}\nc     \n      f "/*"'
