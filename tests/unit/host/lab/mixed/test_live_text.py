# SPDX-License-Identifier: Apache-2.0
"""The view of a schedule under way, as it was drawn once, and what its colours mean."""

import re

import pytest

from plexor_lab.mixed.live_text import mixed_live_text
from plexor_lab.mixed.model import Mode
from plexor_lab.mixed.view import view_of

from .lists import LIMITS, MS, STEP, TICK_FS
from .test_view import looked

FIRED = [(STEP * step + 12 * step, 0x10 + (step - 1) % 8, False) for step in range(1, 5)]
FIRED.append((STEP * 5 + MS + 1, 0x14, False))
VIEW = view_of(looked(Mode.MIXED, 14, [*FIRED, (STEP * 5 + MS + 2, 0x1F, False)]), LIMITS)
PARAMETERS = ["mode mixed", "distance 1 step", "limit 1 ms"]
SNAPSHOT = """\
○  ○  ○  ○  ○  ○  ○  ○
0  1  2  3  4  5  6  7
mixed-1   42 %  3 s left

schedule: 6 to come, 5 issued             results, step 14, 1 extra
     14  id 6   step 15                         4  id 4   +1.0000005 ms  late
     15  id 7   step 16                         3  id 3          +24 ns  done
     16  id 0   step 17                         2  id 2          +18 ns  done
     17  id 1   step 18                         1  id 1          +12 ns  done
     18  id 2   step 19                         0  id 0           +6 ns  done
     19  id 3   step 20

mode mixed · distance 1 step · limit 1 ms
"""


def view(width=80, colour=False):
    heading = "mixed-1   42 %  3 s left"
    return mixed_live_text(VIEW, heading, PARAMETERS, TICK_FS, width=width, colour=colour)


def test_the_view_is_drawn_as_it_was():
    assert view() == SNAPSHOT


def test_the_lists_are_blue_the_parameters_grey_and_what_is_wrong_stands_out():
    text = view(colour=True)
    assert re.sub(r"\x1b\[\d*m", "", text).splitlines()[0] == SNAPSHOT.splitlines()[0]
    blue, grey, red = "\x1b[34m", "\x1b[2m", "\x1b[31m"
    assert f"{blue}schedule: 6" in text
    assert f"{blue}results, step 14" in text
    assert f"{blue}done" in text
    assert f"{red}late" in text
    assert f"{grey}mode mixed" in text


def test_the_lamp_of_the_id_that_was_fired_last_is_lit():
    lit = view_of(looked(Mode.MIXED, 5, FIRED), LIMITS)
    text = mixed_live_text(lit, "", [], TICK_FS, width=80, colour=False)
    assert text.splitlines()[0] == "○  ○  ○  ○  ●  ○  ○  ○"
    coloured = mixed_live_text(lit, "", [], TICK_FS, width=80, colour=True)
    assert coloured.count("\x1b[93m●") == 1


def test_without_colour_there_is_no_escape():
    assert "\x1b" not in view()


@pytest.mark.parametrize("width", [40, 60, 79, 80, 120])
def test_no_line_is_wider_than_asked_and_narrow_lists_are_one_below_the_other(width):
    lines = view(width).splitlines()
    assert max(map(len, lines)) <= width
    assert any("schedule" in line and "results" in line for line in lines) == (width >= 80)
    assert sum("id 4" in line for line in lines) == 1
