# SPDX-License-Identifier: Apache-2.0
"""A phase scan's text for a terminal."""

import re
from dataclasses import replace

import pytest

from plexor.experiments.phase.model import LOST
from plexor.show.pictures.phase import phase_page
from plexor.show.terminal.phase import chance as chance_text
from plexor.show.terminal.phase import phase_text

from ..scans_to_draw import MASKS, phase_result


def test_the_widest_window_is_named_with_its_size_by_phase_and_by_latency():
    text = phase_text(phase_result(MASKS["wraps"]), width=200, colour=False)
    # From 900 on, 250 wide; strikes at multiples of 5 ticks of 1 ns.
    (line,) = [line for line in text.splitlines() if line.startswith("widest")]
    found = re.fullmatch(
        r"widest masked window: from ([\d.]+) ns on, ([\d.]+) ns wide ± ([\d.]+) ns; "
        r"by latency 250 ns",
        line,
    )
    start, width, error = map(float, found.groups())
    assert abs(start - 900) <= 5
    assert abs(width - 250) <= error <= 12


def test_where_strikes_are_missed_latency_gives_a_least_width():
    text = phase_text(phase_result(MASKS["missed, then late"]), width=200, colour=False)
    assert "; by latency at least 300 ns" in text


def test_missed_strikes_and_masked_phases_are_marked_where_they_are():
    lines = phase_text(phase_result(MASKS["missed"]), width=108, colour=False).splitlines()
    rows = {line[:7].strip(): line[8:] for line in lines}
    # A column is one of 100 steps: 20 to 39 are missed.
    assert rows["missed"] == " " * 20 + "x" * 20
    assert rows["masked"] == " " * 20 + "▔" * 20


@pytest.mark.parametrize(
    ("mask", "words"),
    [
        ("none", "no phase is masked"),
        ("all missed", "no strike was answered at any phase"),
        ("one missed", "no phase is masked"),
        ("one missed", "1 strike missed or delayed outside the windows, as happens by chance"),
        (
            "one missed",
            "least likely: 1 at 397.5 ns, missed, by chance in 100 % of scans; more --repeats",
        ),
    ],
)
def test_no_window_is_said_and_why_there_is_none(mask, words):
    assert words in phase_text(phase_result(MASKS[mask]), width=200, colour=False)
    assert words in phase_page(phase_result(MASKS[mask]))


def test_a_scan_says_what_it_really_strikes_at_and_what_was_asked():
    text, page = (
        phase_text(phase_result(MASKS["none"]), width=100, colour=False),
        phase_page(phase_result(MASKS["none"])),
    )
    for where in (text, page):
        assert "10 kHz of the 15 kHz requested" in where
    exact = phase_result(MASKS["none"])
    exact = replace(exact, asked_rate_hz=exact.rate_hz)
    assert "· 10 kHz ·" in phase_text(exact, width=100, colour=False)


@pytest.mark.parametrize(
    ("chance", "words"),
    [
        *((0.0, "< 10⁻⁹"), (0.0099, "< 10⁻²"), (1e-5, "< 10⁻⁵"), (2e-5, "< 10⁻⁴")),
        *((0.01, "1.0 %"), (0.049, "4.9 %"), (0.4, "40 %"), (1.0, "100 %")),
    ],
)
def test_a_chance_is_rounded_up(chance, words):
    window = phase_result(MASKS["missed"]).scans[0].windows[0]
    assert chance_text(replace(window, chance=chance)) == words


def test_a_window_says_how_often_chance_makes_one():
    text = phase_text(phase_result(MASKS["missed"]), width=200, colour=False)
    assert "by chance" in text
    assert "< 10⁻⁹" in text


def test_an_incomplete_or_invalid_scan_says_so_in_text_and_page():
    result = phase_result(
        MASKS["none"], left_out={LOST: 3}, received=7, invalid_reasons=("it <broke>",)
    )
    text, page = phase_text(result, width=200, colour=False), phase_page(result)
    for words in ("3 strikes left out: events were dropped or lost", "INCOMPLETE"):
        assert words in text
    assert "INVALID RUN: it <broke>" in text
    assert "it &lt;broke&gt;" in page
    assert "Incomplete" in page
