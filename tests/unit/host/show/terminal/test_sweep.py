# SPDX-License-Identifier: Apache-2.0
"""A sweep's text for a terminal: what it says, and that it fits."""

import dataclasses
import re
from dataclasses import replace
from fractions import Fraction

import pytest

from plexor.experiments.step import REST
from plexor.experiments.sweep.model import Bracket
from plexor.figures.judge.verdict import Outcome
from plexor.protocol.memory import ResponseClass
from plexor.show.sweep_page import sweep_page
from plexor.show.terminal.sweep import sweep_text

from ...sweeps import figures, knee, result, step
from ..sweeps_to_draw import SWEEPS, drawn, marks, shown_everywhere


@pytest.mark.parametrize("width", [40, 57, 100, 200])
@pytest.mark.parametrize("kind", SWEEPS)
def test_text_is_never_wider_than_the_terminal(kind, width):
    for line in sweep_text(SWEEPS[kind], width=width, colour=False).splitlines():
        assert len(line) <= width


def test_a_pin_that_moves_by_itself_is_said_to():
    restless = figures("IST")
    classes = {**restless.classes, ResponseClass.DUPLICATE: 60, ResponseClass.SPURIOUS: 41}
    for found, said in ((restless, False), (replace(restless, classes=classes), True)):
        planted = result([step("none", 80_000, found)], [knee("none", "IST", 80_000, 100_000)])
        text = " ".join(sweep_text(planted, width=100, colour=False).split())
        assert ("101 responses to 1,000 strikes at 80 kHz answer no strike" in text) == said


def test_hysteresis_and_recovery_are_said():
    low, high = (
        Bracket(Fraction(20_000), Fraction(40_000)),
        Bracket(Fraction(80_000), Fraction(100_000)),
    )
    sticky = replace(knee("none", "IST", 80_000, 100_000), up=high, down=low)
    rest = replace(step("none", 20_000, figures("IST"), direction=REST), recovery_s=0.0125)
    found = sweep_text(result([rest], [sticky]), width=100, colour=False)
    up, down = "passes 80 kHz, fails 100 kHz", "passes 20 kHz, fails 40 kHz"
    assert f"idle, IST: scan up {up}; down {down}: hysteresis\n" in found
    assert (
        "idle: after the highest rate it answers every strike at 20 kHz within 12.5 ms\n" in found
    )
    found = sweep_text(result([replace(rest, recovery_s=None)], [sticky]), width=100, colour=False)
    assert "after the highest rate it never again answers every strike at 20 kHz\n" in found
    assert "never again answers" in sweep_page(result([replace(rest, recovery_s=None)], [sticky]))


def test_where_the_instrument_ends_is_told_everywhere_and_is_not_the_devices_end():
    lost = dataclasses.replace(
        figures("IST", missed=0), verdict=Outcome.NOT_COMPARABLE, reason="the instrument ends"
    )
    steps = [step("none", 20_000, figures("IST")), step("none", 160_000, lost)]
    ended = knee("none", "IST", 100_000, None, instrument_hz=Fraction(101_000))
    planted = result(steps, [ended])
    for text in shown_everywhere(planted):
        said = " ".join(text.split())
        assert "and the instrument ends at 101 kHz, before the device does" in said
        assert "the highest rate tried" not in said
    text = " ".join(sweep_text(planted, width=100, colour=False).split())
    assert "IST 100 kHz - - the instrument ends" in text
    assert "| beyond the instrument" in text
    assert "beyond" not in sweep_text(
        result(steps[:1], [knee("none", "IST", 100_000, None)]), width=100, colour=False
    )


def test_without_colour_there_are_no_escapes():
    assert "\x1b" not in sweep_text(SWEEPS["two loads"], width=100, colour=False)
    plain = re.sub(r"\x1b\[\d+m", "", sweep_text(SWEEPS["two loads"], colour=True, width=100))
    assert plain == sweep_text(SWEEPS["two loads"], width=100, colour=False)


def test_what_draws_nothing_at_random_is_said_to_be_deterministic():
    base = SWEEPS["two loads"]
    for random in (True, None, False):
        steps = tuple(
            dataclasses.replace(each, drawn=random if each.load == "none" else True)
            for each in base.steps
        )
        for text in shown_everywhere(dataclasses.replace(base, steps=steps)):
            assert ("idle: deterministic: neither the strikes nor" in text) == (random is False)


def test_answers_that_come_again_are_said_to_at_the_ends_of_a_bracket():
    cycles = {20_000: 3, 100_000: 1, 160_000: 25, 200_000: 7}
    steps = [
        step("none", rate, dataclasses.replace(figures("IST"), cycle=cycle))
        for rate, cycle in cycles.items()
    ]
    planted = result(steps, [knee("none", "IST", 100_000, 160_000)])
    text, page = shown_everywhere(planted)
    said = (
        "its answers repeat every strike at 100 kHz and every 25 strikes at 160 kHz: "
        "more strikes reveal nothing new there"
    )
    assert said in text
    assert said in page
    assert "every 7<" in page
    assert "answers repeat" not in shown_everywhere(SWEEPS["two loads"])[0]


def test_where_matches_may_be_shifted_no_latency_is_shown():
    unknown = dict.fromkeys(
        ["min_ticks", "max_ticks", "p50_ticks", "p99_ticks", "rms_ticks", "jitter128_ticks"]
    )
    kept = figures("IST", missed=3, latency=2222)
    steps = [
        step("none", 20_000, figures("IST", latency=1111)),
        step("none", 100_000, dataclasses.replace(kept, shifted=True, **unknown)),
        step("none", 200_000, dataclasses.replace(kept, shifted=True, **unknown)),
    ]
    planted = result(steps, [knee("none", "IST", 100_000, 200_000)])
    said = "2 of 3 steps without latencies: missed strikes were still open"
    for text in shown_everywhere(planted):
        assert said in text
    # The row of the bracket's passing rate has neither p99 nor max.
    (row,) = [
        line
        for line in sweep_text(planted, width=200, colour=False).splitlines()
        if "100 kHz  200 kHz" in line
    ]
    assert row.split()[-3:-1] == ["-", "-"]
    assert len([y for _, _, y, _ in marks(drawn(planted))]) == 1 + 3
    plain = result([step("none", 20_000, kept)], [knee("none", "IST", 20_000, None)])
    assert "without latencies" not in shown_everywhere(plain)[0]
