# SPDX-License-Identifier: Apache-2.0
"""docs/understand/gateware.md and its waves tell of the gateware as it is."""

import json
import re

import pytest
from tools import waves

from plexor.show.pictures.svg import svg_picture

AGAIN = "run: make waves"


@pytest.fixture(scope="module")
def found():
    """The run, simulated."""
    return waves.simulate()


def test_the_waves_are_those_of_the_gateware(found):
    assert json.loads(waves.WAVES.read_text()) == waves.all_waves(found), AGAIN


def test_the_latency_is_that_of_the_pins(found):
    # The strike is at sample 0 of its word, the answer at sample 5, 60 words later.
    assert found.answer_ticks - found.strike_ticks == 60 * 16 + 5
    shown = {name: wave["signal"] for name, wave in waves.all_waves(found).items()}
    assert shown["match"][-1]["data"] == ["965"]
    assert shown["match"][3]["data"] == ["ANSWERED"]
    assert shown["stamp"][2]["data"] == ["2"]


def test_the_pictures_are_those_of_the_waves():
    for name, wave in json.loads(waves.WAVES.read_text()).items():
        assert waves.picture_of(name).read_text() == svg_picture(waves.draw(wave)) + "\n", AGAIN


def test_the_page_says_each_clock_as_it_is_simulated():
    shown = {
        signal["name"]: (wave["head"]["tick"], signal)
        for wave in json.loads(waves.WAVES.read_text()).values()
        for signal in wave["signal"]
    }
    page = (waves.FOLDER / "gateware.md").read_text()
    rows = re.findall(r"^\| .* \| `(.*)` \| (\d+) \|$", page, re.MULTILINE)
    assert len(rows) == 11
    for name, clock in rows:
        first, signal = shown[name]
        place = signal["wave"].index("1") if "data" not in signal else _at(signal, "ffe0")
        assert first + place == int(clock), name


def _at(signal, text):
    places = [place for place, mark in enumerate(signal["wave"]) if mark == "="]
    return places[signal["data"].index(text)]


def test_a_wave_is_drawn_with_each_value():
    wave = {
        "head": {"text": "one", "tick": 7},
        "signal": [
            {"name": "bit", "wave": "01.0"},
            {"name": "value", "wave": "x=x.", "data": ["a long value"]},
        ],
    }
    drawn = svg_picture(waves.draw(wave))
    assert "a long value" in drawn
    assert re.findall(r">(\d+)</text>", drawn) == ["7", "8", "9", "10"]
    # Low for a clock, high for two, low again.
    (line,) = re.findall(r'class="s0" fill="none" d="(M[^"]*H[^"]*L[^"]*H[^"Z]*)"', drawn)
    levels = re.findall(r"[ML][\d.]+ ([\d.]+)H", line)
    assert levels[0] == levels[2] > levels[1]
