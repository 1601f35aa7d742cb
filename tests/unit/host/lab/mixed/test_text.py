# SPDX-License-Identifier: Apache-2.0
"""The runs of a schedule on the terminal: the figures as they are, and nothing wider than asked."""

import re
from dataclasses import replace
from fractions import Fraction

import pytest

from plexor_lab.mixed.model import Heard, Mode, Order, Response, Served, Status
from plexor_lab.mixed.text import factor, mixed_text, part, schedule_text, timecode_text
from plexor_lab.mixed.timecode import Timecode

from .lists import MS, result_of, run_of, schedule

VERIFY = run_of([10, 20, 30], Mode.VERIFY, None)
NORMAL = run_of([14 * MS + n * MS for n in range(20)], Mode.NORMAL, None)
BAD = run_of([5, None, MS + 1, -4], distance=0, extras=[Response(9, None)])
GOOD = run_of([86_000 + n for n in range(19)] + [10**6], distance=1)
RESULT = result_of(VERIFY, NORMAL, BAD, GOOD)


def line_of(text, name):
    """Return the words of the first line that begins with a run's name."""
    return next(line.split() for line in text.splitlines() if line.startswith(f"{name} "))


def test_the_counts_and_figures_of_each_run_are_in_its_row():
    text = mixed_text(RESULT, width=200, colour=False)
    # Scheduled, done, late, early, missed, extra, the part within the limit.
    assert line_of(text, "mixed-0")[1:8] == ["4", "1", "1", "1", "1", "1", "0.3333"]
    assert line_of(text, "verify")[1:] == [
        *("3", "3", "0", "0", "0", "0", "1"),
        *("10", "ns", "16.67", "ns²", "4.082", "ns", "5", "ns", "15", "ns", "0"),
    ]
    assert "within 1 ms" in text


def test_what_the_runs_prove_is_said():
    text = mixed_text(RESULT, width=100, colour=False)
    assert "verify: PASS, every entry is done within 1 ms" in text
    assert "least safe distance: 1 step\n" in text
    # Means of 23.5 ms and 65.8547 µs.
    assert "normal is 356.8 times mixed-1 in the mean" in text
    fails = mixed_text(result_of(run_of([None], Mode.VERIFY, None), BAD), width=100, colour=False)
    assert "verify: FAIL, the limit is 1 ms" in fails
    assert "no distance is safe of those that were tried: 0" in fails
    assert "times mixed" not in fails


def test_a_factor_has_four_digits_or_all_before_its_point():
    assert [factor(Fraction(n)) for n in ("9.99149", "0.0063416", "12069.6")] == [
        *("9.991", "0.006342", "12,070"),
    ]


def test_a_half_is_printed_as_a_half_and_what_is_not_all_never_as_1():
    assert part(Fraction(1, 2)) == "0.5"
    assert part(Fraction(1)) == "1"
    assert part(1 - Fraction(1, 10**6)) == "< 1"
    assert part(None) == "-"
    half = result_of(run_of([MS, MS + 1]))
    assert line_of(mixed_text(half, width=200, colour=False), "mixed-1")[7] == "0.5"


def test_the_spikes_are_listed_with_their_entry_and_their_time():
    text = mixed_text(RESULT, width=100, colour=False)
    assert "mixed-1: spikes above the mean + 3 SD" in text
    assert line_of(text, "19") == ["19", "1.42", "s", "500", "µs"]
    many = run_of([1] * 900 + [10**6] * 10)
    assert "2 more spikes" in mixed_text(result_of(many), width=100, colour=False)


def test_the_list_of_a_run_has_id_due_measured_lateness_and_status():
    text = mixed_text(result_of(BAD), rows=True, width=200, colour=False)
    assert line_of(text, "0") == [
        *("0", "0", "1", "0", "71.000000", "ms", "71.000002", "ms", "+2.5", "ns", "done"),
    ]
    assert line_of(text, "2")[-3:] == ["+1.0000005", "ms", "late"]
    assert line_of(text, "3")[-3:] == ["-2", "ns", "early"]
    assert line_of(text, "1")[-3:] == ["-", "-", "missed"]
    assert line_of(text, "-")[-1] == Status.EXTRA
    assert "due step" not in mixed_text(result_of(BAD), width=200, colour=False)


def test_what_the_instrument_and_the_device_did_not_take_is_told():
    run = replace(GOOD, served=Served(20, 10, 5, 3, 2), heard=Heard(20, 1, 2, 4))
    text = mixed_text(result_of(run), width=200, colour=False)
    assert "of 20 entries of the instrument's schedule 5 past due, 3 refused, 2 unserved" in text
    assert "1 were damaged, 2 missing; it had no room for 4" in text
    well = replace(GOOD, heard=Heard(20, 0, 0, 0))
    assert "damaged" not in mixed_text(result_of(well), width=100, colour=False)


def test_an_invalid_or_interrupted_run_and_a_simulated_one_say_so():
    text = mixed_text(
        result_of(replace(GOOD, invalid_reasons=("it broke",)), interrupted=True),
        width=100,
        colour=False,
    )
    assert "INVALID RUN: mixed-1: it broke" in text
    assert "· simulated · interrupted · INVALID RUN" in text
    assert "· measured\n" in mixed_text(result_of(GOOD, simulated=False), width=100, colour=False)


def test_schedule_and_timecode_are_said_with_their_units():
    timecode = Timecode(8, Fraction(16, 225))
    assert timecode_text(timecode) == (
        "timecode of 8 bits in binary, 14.0625 steps a second, 71.111 ms each"
    )
    assert "Gray code" in timecode_text(replace(timecode, gray=True))
    made = schedule(spacing_steps=2, order=Order.RANDOM, seed=7, ids=1)
    assert schedule_text(made, timecode) == (
        "8 entries · one each 2 steps, 142.2 ms · 1 id, random, seed 7"
    )


@pytest.mark.parametrize("width", [40, 72, 100, 200])
def test_no_line_is_wider_than_asked(width):
    for line in mixed_text(RESULT, rows=True, width=width, colour=False).splitlines():
        assert len(line) <= width


def test_colour_changes_nothing_but_the_colour():
    plain = mixed_text(RESULT, rows=True, width=100, colour=False)
    coloured = mixed_text(RESULT, rows=True, colour=True, width=100)
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[\d*m", "", coloured) == plain
    assert "\x1b[32mleast safe" in coloured


def test_a_run_without_a_response_has_a_dash_for_each_figure():
    text = mixed_text(result_of(run_of([None, None], Mode.MIXED, 1)), width=200, colour=False)
    assert line_of(text, "mixed-1")[1:] == [
        *("2", "0", "0", "0", "2", "0"),
        *("-", "-", "-", "-", "-", "-", "0"),
    ]
