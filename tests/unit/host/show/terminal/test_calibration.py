# SPDX-License-Identifier: Apache-2.0
"""A calibration's text for a terminal."""

from dataclasses import replace

import pytest

from plexor.model.calibration import (
    Calibration,
    ChannelInstants,
    Detour,
    Instants,
    PadDelay,
    PinDelay,
    Scale,
)
from plexor.show.terminal.calibration import calibration_text

UP = Instants((100, -300, 250, -50), (5, 6, 7, 8), 20_000)
EVEN = Instants((0,) * 4, (1,) * 4, 9)
FOUND = Calibration(
    *("S1", 0xAB, "ulx3s", False, 1_000_000, "2026-11-22T12:00:00+00:00", 400_000_000),
    channels=(ChannelInstants(0, UP, EVEN), ChannelInstants(2, EVEN, EVEN)),
    delays=(PadDelay(1, 0, 1500, 1600, 90, 91),),
)


def rows(text):
    """Return the rows of a text, the first of each name."""
    lines = [line.split() for line in text.splitlines() if line]
    return {" ".join(line[:2]): line[2:] for line in reversed(lines)}


def test_each_way_of_a_channel_has_its_widths_the_widest_and_the_error():
    found = rows(calibration_text(FOUND, width=200, colour=False))
    # 1000 + 100 + 50, 1000 - 300 - 100, 1000 + 250 + 300, 1000 - 50 - 250.
    # The error: sqrt(sum of cubes / (12 * 4000)).
    assert found["ch0 up"] == ["20000", "1150", "600", "1550", "700", "1550", "348"]
    # An even bin of 1000 ps: 1000 / sqrt(12).
    assert found["ch2 down"] == ["9", "1000", "1000", "1000", "1000", "1000", "289"]


def test_a_delay_is_there_with_its_bound_and_absent_where_it_was_not_measured():
    found = rows(calibration_text(FOUND, width=200, colour=False))
    assert found["strike1 up"] == ["1500", "-"]
    assert found["strike1 down"] == ["1600", "-"]
    assert "strike0 up" not in found
    assert "pad delay" not in calibration_text(replace(FOUND, delays=()), width=100, colour=False)


WIRED = replace(
    FOUND,
    jumpers=(PinDelay(1, 0, 900, 950, 40, 41, "2026-11-23T12:00:00+00:00"),),
    detours=(Detour(1, 0, 200, 1000),),
    scale=Scale(12_345, 2100, "1 PPS on ch7", "2026-11-24T12:00:00+00:00"),
)


def test_pins_have_the_loops_delay_less_its_detour_or_a_jumpers_and_the_scale_is_told():
    looped = replace(WIRED, jumpers=())
    text = calibration_text(looped, width=200, colour=False)
    _, pins = text.split("\npins ")
    assert rows(pins)["strike1 up"] == ["900", "-"]
    assert "± 490" in pins
    assert "place and route gives the bounds" in text
    text = calibration_text(replace(WIRED, detours=()), width=200, colour=False)
    _, pins = text.split("\npins ")
    assert rows(pins)["strike1 down"] == ["950*", "-"]
    assert "± 41" in pins
    assert "nothing is known of this board but what others have" in text
    assert "By 1 PPS on ch7 the oscillator is +12.345 ± 2.100 ppm fast (2026-11-24T" in text


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({}, "measured on ulx3s · source 2.5 MHz · an even bin has 289 ps RMS"),
        ({"board": ""}, "measured on hardware · "),
        ({"simulated": True}, "simulated · "),
        ({"source_fs": 0}, " · source unknown · "),
        ({"build_id": 0xCD}, "gateware 00000000000000ab, build 00000000000000cd\n"),
    ],
)
def test_it_says_whose_it_is_and_how_it_was_taken(changes, says):
    assert says in calibration_text(replace(FOUND, **changes), width=200, colour=False)


@pytest.mark.parametrize("width", [40, 60, 100])
def test_no_line_is_wider_than_the_terminal(width):
    assert max(map(len, calibration_text(FOUND, width=width, colour=False).splitlines())) <= width
