# SPDX-License-Identifier: Apache-2.0
"""Names that are cut fit, and names that differ look different."""

import pytest

from plexor.show.pictures.names import cut_apart, cut_letters, cut_middle


def test_a_name_that_fits_stays_as_it_is():
    assert cut_letters("ISR", ["ISR", "TASK"], 8) == "ISR"
    assert [cut_letters(name, ["A", "B", ""], 8) for name in ("A", "B", "")] == ["A", "B", ""]
    assert cut_middle("abcdefgh", 8) == "abcdefgh"


def test_a_name_alone_loses_its_middle():
    assert cut_letters("interrupt entry", ["interrupt entry"], 8) == "inte…try"
    assert cut_middle("abcdefghi", 8) == "abcd…ghi"
    assert cut_middle("abcdef", 2) == "a…"


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["channel number 0 <&>", "channel number 1 <&>"], ["ch…0 <&>", "ch…1 <&>"]),
        (["motor_left_speed", "motor_right_speed"], ["…left_s…", "…right_…"]),
        (["sensor_a_input_1", "sensor_b_input_1"], ["…a_inpu…", "…b_inpu…"]),
        (["interrupt entry", "interrupt"], ["inte…try", "inte…upt"]),
        (["abcdefghij", "abcdefghijabcdefghij"], ["abcdef…j", "…abcdef…"]),
    ],
)
def test_names_that_would_look_the_same_keep_what_tells_them_apart(names, shown):
    assert [cut_letters(name, names, 8) for name in names] == shown


def test_a_name_that_comes_twice_is_no_other_name():
    assert cut_letters("interrupt entry", ["interrupt entry"] * 2, 8) == "inte…try"


def test_whatever_the_names_each_of_them_fits():
    names = [f"{'x' * n}{n}{'y' * n}" for n in range(30)]
    for name in names:
        assert len(cut_letters(name, names, 6)) <= 6


def test_where_not_even_a_letter_fits_a_dot_stands_for_it():
    assert cut_apart("long", ["long", "lang"], lambda shown: shown == "…") == "…"
