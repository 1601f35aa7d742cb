# SPDX-License-Identifier: Apache-2.0
"""The page of what is sustained: simulated figures beside computed ones, of builds alike."""

import json

import pytest
from tools import sustained_page
from tools.sustained_page import PAGE, found_of, keep, text, whole_clocks_a_bit

FRAME_CLOCKS = 1034 * 10 * 10
"""A full frame of 1,034 bytes, of ten bits of ten core clocks."""


@pytest.fixture
def found(monkeypatch, tmp_path):
    """Nothing was simulated yet."""
    monkeypatch.setattr(sustained_page, "KEPT", tmp_path / "kept.json")


def rows(name):
    """Return the rows of a build on the page, after its name."""
    lines = [line.strip("| ").split(" | ") for line in text().splitlines()]
    return [cells[1:] for cells in lines if cells[0] == f"`{name}`"]


def test_the_page_is_of_the_figures_that_are_kept():
    assert PAGE.read_text() == text(), "python -m tools.sustained --page"


def test_without_a_simulation_a_link_has_what_is_computed(found):
    # docs/instrument.md and the trial of the events build: 290,135 a second at 12 Mbaud.
    links, strikes, active = rows("hx8k-evn")
    assert links == ["12", "290,135", "-"]
    assert strikes == ["link, computed", "72,533", "48,355", "29,013", "-"]
    assert active == ["link, active edges, computed", "145,067", "96,711", "58,027", "-"]


def test_without_a_simulation_a_chip_has_the_rule_or_nothing(found):
    # docs/instrument.md: every 19 core clocks of 8 ns with one channel, 37, 73 and 145.
    chip = rows("ulx3s-25f")[1]
    assert chip == ["chip, computed", "6,578,947", "3,378,378", "1,712,328", "862,068"]
    assert rows("icebreaker-counts") == []


def test_a_link_that_is_never_idle_carries_all_that_is_computed(found):
    keep("hx8k-evn", {"link": {"clocks_a_bit": 10, "events": 2500, "clocks": 10 * FRAME_CLOCKS}})
    assert rows("hx8k-evn")[0] == ["12", "290,135", "290,135 (100.0%)"]
    keep("hx8k-evn", {"link": {"clocks_a_bit": 10, "events": 1250, "clocks": 10 * FRAME_CLOCKS}})
    links, _, strikes, _, active = rows("hx8k-evn")
    assert links[-1] == "145,067 (50.0%)"
    assert strikes == ["link, simulated", "36,266", "24,177", "14,506", "-"]
    assert active[1] == "72,533"


def test_a_rate_between_two_whole_clocks_is_said(found):
    assert whole_clocks_a_bit("ulx3s-25f") == 42
    keep("ulx3s-25f", {"link": {"clocks_a_bit": 42, "events": 250, "clocks": 1034 * 420}})
    assert rows("ulx3s-25f")[0][-1] == "71,958 (at 2.976 Mbaud, 100.0%)"


def test_a_board_has_the_figures_of_one_with_the_same_gateware_alone(found):
    keep("hx8k-evn", {"link": {"clocks_a_bit": 10, "events": 1, "clocks": 2}})
    keep("icebreaker-counts", {"strikes": 10, "clocks": {"1": [20], "2": [40]}})
    assert found_of("alchitry-cu", "link") == {"clocks_a_bit": 10, "events": 1, "clocks": 2}
    assert found_of("hx8k-evn-counts", "link") is None
    assert found_of("icebreaker", "link") is None
    # 48 MHz / 20 and / 40.
    assert rows("upduino-counts")[0] == ["chip, simulated", "2,400,000", "1,200,000", "-", "-"]
    assert rows("upduino-counts")[1] == ["20", "40", "-", "-", "10"]


def test_what_is_kept_of_one_build_leaves_the_others(found):
    keep("upduino", {"link": {}})
    keep("hx8k-evn", {})
    keep("upduino", {})
    assert json.loads(sustained_page.KEPT.read_text()) == {"hx8k-evn": {}, "upduino": {}}
