# SPDX-License-Identifier: Apache-2.0
"""Phase scans that were kept: back as they were, or what contradicts itself is told."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from plexor.base.constraints import MOST_TICKS
from plexor.experiments.phase.model import LOST
from plexor.experiments.phase.store import PHASE

from ...documented import wrong
from ...show.scans_to_draw import MASKS, phase_result

PHASES = [phase_result(MASKS[mask]) for mask in MASKS]
SMALL = phase_result(MASKS["missed, then late"], step=100, left_out={LOST: 1})


@pytest.mark.parametrize("result", PHASES)
def test_a_phase_scan_comes_back_as_it_was(result, tmp_path):
    (tmp_path / "phase.json").write_text(json.dumps(PHASE.of(result)))
    assert PHASE.read(tmp_path / "phase.json") == result


def told(**changes):
    """Return what is wrong with a scan with changes to its one channel."""
    scan = replace(SMALL.scans[0], **changes)
    return wrong(PHASE, replace(SMALL, scans=(scan,)))


def of_bin(number=0, **changes):
    bins = list(SMALL.scans[0].bins)
    bins[number] = replace(bins[number], **changes)
    return told(bins=tuple(bins))


def of_window(**changes):
    window = replace(SMALL.scans[0].windows[0], **changes)
    return told(windows=(window,))


def test_nothing_is_told_of_scans_that_were_taken():
    for result in (*PHASES, SMALL):
        assert wrong(PHASE, result) == ""


def test_a_scan_has_a_tick_rates_and_channels():
    for changes in ({"tick_fs": 0}, {"rate_hz": Fraction(0)}, {"asked_rate_hz": Fraction(-1)}):
        assert "; must be " in wrong(PHASE, replace(SMALL, **changes))
    assert wrong(PHASE, replace(SMALL, scans=())) == "no scans; must be one for each channel"


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"step_ticks": Fraction(1, 2)}, "scans[0].step_ticks: 1/2; must be 1 or more"),
        ({"bins": SMALL.scans[0].bins[:-1]}, "steps; must be"),
        ({"bins": SMALL.scans[0].bins[:1] + SMALL.scans[0].bins[:-1]}, "ticks apart"),
        ({"strikes": SMALL.scans[0].strikes + 1}, "201 strikes; must be the sum of its steps"),
        ({"base_ticks": None}, "base_ticks: None; must be present"),
        ({"threshold_ticks": -1}, "threshold_ticks: -1; must be 0 or more"),
        (
            {"stray_strikes": MOST_TICKS},
            f"stray_strikes: {MOST_TICKS}; must be 0 or more, below {MOST_TICKS}",
        ),
        ({"left_out": {LOST: -1}}, "left_out.events were dropped or lost: -1"),
        ({"reference": replace(SMALL.scans[0].reference, least_ticks=1 << 40)}, "must rise"),
        ({"reference": replace(SMALL.scans[0].reference, edges=-1)}, "reference.edges: -1"),
    ],
)
def test_a_channel_that_contradicts_itself_is_told_by_its_name(changes, says):
    found = told(**changes)
    assert says in found
    assert found.startswith(("scans[0].", f"{SMALL.scans[0].channel!r}: "))


def test_a_step_has_no_more_masked_than_strikes_and_latencies_that_rise():
    answered = next(n for n, e in enumerate(SMALL.scans[0].bins) if e.strikes > e.missed)
    step = SMALL.scans[0].bins[answered]
    assert of_bin(answered, masked=step.strikes) == ""
    assert "masked of" in of_bin(answered, masked=step.strikes + 1)
    assert "masked of" in of_bin(answered, missed=step.masked + 1)
    assert "must rise" in of_bin(answered, median_ticks=step.max_ticks + 1)
    assert "answers" in of_bin(answered, median_ticks=None)
    assert "min_ticks: -1; must be 0 or more" in of_bin(answered, min_ticks=-1)


def test_a_window_lies_in_its_period_and_has_a_chance():
    window, span = SMALL.scans[0].windows[0], SMALL.scans[0].span_ticks
    assert of_window(chance=0.0) == of_window(chance=1.0) == ""
    assert "chance: 1.01; must be 0 to 1" in of_window(chance=1.01)
    assert "must rise, from below" in of_window(start_ticks=Fraction(span))
    assert "must rise, from below" in of_window(end_ticks=window.start_ticks - 1)
    wide = window.start_ticks + 2 * span
    assert of_window(end_ticks=wide) == ""
    assert "must rise, from below" in of_window(end_ticks=wide + 1)
    assert "end_error_ticks: -1/2; must be 0 or more" in of_window(end_error_ticks=Fraction(-1, 2))
    assert "masked of" in of_window(missed=window.masked + 1)
    assert of_window(waits_until_ticks=MOST_TICKS - 1) == ""
    assert "waits_until_ticks: " in of_window(waits_until_ticks=-MOST_TICKS)


def test_a_suspect_is_looked_at_as_a_window_is():
    window = replace(SMALL.scans[0].windows[0], chance=-0.1)
    assert "suspect.chance: -0.1; must be 0 to 1" in told(suspect=window)


def test_a_reference_may_have_an_edge_at_the_runs_start():
    reference = replace(SMALL.scans[0].reference, least_ticks=0)
    scan = replace(SMALL.scans[0], reference=reference)
    assert wrong(PHASE, replace(SMALL, scans=(scan,))) == ""
