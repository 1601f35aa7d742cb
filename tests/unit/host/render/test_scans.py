"""Phase and burst scans as text, pictures and pages."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from plexor.burst.model import BurstResult, Lengths, Limit
from plexor.model.results import Accounting
from plexor.phase.fold import MISSED, Folded
from plexor.phase.model import LOST, PhaseResult, Reference
from plexor.phase.windows import scan
from plexor.render.pictures.burst import burst_page, burst_picture
from plexor.render.pictures.frame import LEFT, RIGHT, WIDTH
from plexor.render.pictures.phase import phase_page, phase_picture
from plexor.render.terminal.burst import burst_text
from plexor.render.terminal.phase import chance as chance_text
from plexor.render.terminal.phase import phase_text

PERIOD = 1000
NAME = "<ISR> & co"


def phase_result(latency, *, periodic=True, left_out=None, received=10, step=10, **other):
    """Return a result in which a strike of each 5th tick of phase has `latency(phase)`."""
    phases = np.arange(0, PERIOD, 5)
    reference = Reference("ch1", 9, Fraction(PERIOD) if periodic else None, 990, 1010)
    folded = Folded(
        phases,
        np.array([latency(int(p)) for p in phases], np.int64),
        PERIOD,
        reference,
        left_out or {},
        0,
        sum(latency(int(p)) == MISSED for p in phases),
        10**6,
    )
    found = scan(NAME, folded, Fraction(step))
    return PhaseResult(
        TICK_FS,
        True,
        (found,),
        len(phases),
        Fraction(15_000),
        Fraction(10_000),
        Accounting(10, received, 0, 10 - received),
        **other,
    )


TICK_FS = 10**6
MASKS = {
    "wraps": lambda p: 300 + ((p - 900) % 1000 < 250) * (250 - (p - 900) % 1000),
    "missed": lambda p: MISSED if 200 <= p < 400 else 300,
    "missed, then late": lambda p: MISSED if p < 200 else 300 + (p < 500) * (500 - p),
    "all missed": lambda p: MISSED,
    "none": lambda p: 300,
    "one missed": lambda p: MISSED if p == 400 else 300,
    "at once": lambda p: 0,
}


@pytest.mark.parametrize("width", [20, 40, 79, 200])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("periodic", [True, False])
def test_a_phase_scan_fits_the_terminal_and_is_drawn(mask, width, periodic):
    result = phase_result(MASKS[mask], periodic=periodic)
    lines = phase_text(result, width=width).splitlines()
    assert max(map(len, lines)) <= max(width, 40)
    for text in (phase_picture(result), svg_of(phase_page(result))):
        assert NAME in "".join(ET.fromstring(text).itertext())


def svg_of(page):
    """Return the picture in a page that has neither script nor anything fetched."""
    assert "<script" not in page
    assert not re.search(r"""(?:src|href)=|url\(""", page)
    return page[page.index("<svg") : page.index("</svg>") + 6]


def test_the_widest_window_is_named_with_its_size_by_phase_and_by_latency():
    text = phase_text(phase_result(MASKS["wraps"]), width=200)
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
    text = phase_text(phase_result(MASKS["missed, then late"]), width=200)
    assert "; by latency at least 300 ns" in text


def test_missed_strikes_and_masked_phases_are_marked_where_they_are():
    lines = phase_text(phase_result(MASKS["missed"]), width=108).splitlines()
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
            "least likely: 1 at 397.5 ns, missed, by chance in 100 % of scans; "
            "more --repeats decide",
        ),
    ],
)
def test_no_window_is_said_and_why_there_is_none(mask, words):
    assert words in phase_text(phase_result(MASKS[mask]), width=200)
    assert words in phase_page(phase_result(MASKS[mask]))


@pytest.mark.parametrize("mask", ["wraps", "missed", "missed, then late"])
def test_the_page_shades_the_window_that_it_states(mask):
    result = phase_result(MASKS[mask])
    (window,) = result.scans[0].windows
    picture = svg_of(phase_page(result))
    (shade,) = re.findall(r'<path class="alarm" d="([^"]*)"', picture)
    parts = re.findall(r"M([\d.]+) [\d.]+H([\d.]+)", shade)
    shaded = sum(float(high) - float(low) for low, high in parts)
    assert abs(shaded / (WIDTH - LEFT - RIGHT) - float(window.width_ticks) / PERIOD) < 0.001


def test_a_scan_says_what_it_really_strikes_at_and_what_was_asked():
    text, page = phase_text(phase_result(MASKS["none"])), phase_page(phase_result(MASKS["none"]))
    for where in (text, page):
        assert "10 kHz of the 15 kHz requested" in where
    exact = phase_result(MASKS["none"])
    exact = replace(exact, asked_rate_hz=exact.rate_hz)
    assert "· 10 kHz ·" in phase_text(exact)


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
    text = phase_text(phase_result(MASKS["missed"]), width=200)
    assert "by chance" in text
    assert "< 10⁻⁹" in text


def test_an_incomplete_or_invalid_scan_says_so_in_text_and_page():
    result = phase_result(
        MASKS["none"], left_out={LOST: 3}, received=7, invalid_reasons=("it <broke>",)
    )
    text, page = phase_text(result, width=200), phase_page(result)
    for words in ("3 strikes left out: events were dropped or lost", "INCOMPLETE"):
        assert words in text
    assert "INVALID RUN: it <broke>" in text
    assert "it &lt;broke&gt;" in page
    assert "Incomplete" in page


def limit(spacing_us, passing, most=64, channel=NAME, **other):
    failing = passing + 1 if passing < most else None
    return Limit(Fraction(spacing_us, 10**6), channel, Lengths(passing, failing), most, 99, **other)


def burst_result(*limits, **other):
    return BurstResult(
        TICK_FS, True, "missed<1%@95%", Fraction(1, 1000), Fraction(1, 2000), limits, **other
    )


@pytest.mark.parametrize("width", [20, 40, 79, 200])
def test_a_burst_scan_fits_the_terminal_and_is_drawn(width):
    result = burst_result(limit(1, 0), limit(2, 4, max_ticks=900), limit(4, 64), limit(4, 9, 9))
    lines = burst_text(result, width=width).splitlines()
    assert max(map(len, lines)) <= max(width, 40)
    for text in (burst_picture(result), svg_of(burst_page(result))):
        assert NAME in "".join(ET.fromstring(text).itertext())


def test_a_burst_scan_says_what_survives_and_where_it_ends():
    text = burst_text(burst_result(limit(1, 0), limit(2, 4), limit(4, 64)), width=200)
    rows = [re.split(r"\s{2,}", line)[1:4] for line in text.splitlines() if NAME in line[:12]]
    assert rows[:3] == [["1 µs", "-", "1"], ["2 µs", "4", "5"], ["4 µs", "64", "-"]]
    assert "4 µs: survives bursts of 64, the longest tried" in text
    assert "1 µs: loses single strikes a period apart" in text


def test_a_burst_scan_that_was_interrupted_at_once_is_drawn():
    result = burst_result(interrupted=True)
    assert "interrupted" in burst_text(result)
    assert "no limit" in burst_picture(result)
