# SPDX-License-Identifier: Apache-2.0
"""Widths of letters are those of the font's own file, which matplotlib carries."""

from pathlib import Path

import matplotlib
import pytest
from fontTools.ttLib import TTFont

from plexor.show.pictures.letters import letter_width

FILES = {False: "DejaVuSans.ttf", True: "DejaVuSans-Bold.ttf"}
SIGNS = "µ·…≥≤±—°²→≠"


def font_widths(bold):
    font = TTFont(Path(matplotlib.get_data_path(), "fonts", "ttf", FILES[bold]))
    widths, per_em = font["hmtx"], font["head"].unitsPerEm
    return {chr(code): widths[name][0] / per_em for code, name in font.getBestCmap().items()}


@pytest.mark.parametrize("bold", [False, True])
def test_what_names_and_units_are_written_with_is_as_wide_as_in_the_font(bold):
    font = font_widths(bold)
    for letter in (*map(chr, range(0x20, 0x7F)), *SIGNS):
        assert letter_width(letter, bold) == pytest.approx(font[letter], abs=0.001), letter


@pytest.mark.parametrize("bold", [False, True])
def test_no_letter_of_latin_greek_or_cyrillic_is_much_wider_than_it_is_reckoned(bold):
    font = font_widths(bold)
    codes = (*range(0xC0, 0x180), *range(0x391, 0x3CA), *range(0x410, 0x450))
    short = {
        chr(code): font[chr(code)] - letter_width(chr(code), bold)
        for code in codes
        if chr(code) in font
    }
    assert {letter: by for letter, by in short.items() if by > 0.2} == {}


def test_a_mark_above_a_letter_takes_no_room_of_its_own():
    assert letter_width("\N{COMBINING DIAERESIS}") == 0


def test_a_letter_of_an_east_asian_script_is_a_square():
    assert letter_width("割") == 1
    assert letter_width("割", bold=True) >= 1
