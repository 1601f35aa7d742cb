# SPDX-License-Identifier: Apache-2.0
"""What changed between results, as sentences and tiles: planted changes are told as planted."""

import re
from fractions import Fraction

import pytest

from plexor.library.compare import compare
from plexor.library.run import Run
from plexor.library.scans.sweep import Sweep
from plexor.show.changes import change_tiles, factor_text, names_of, sentences

from ..sweeps import swept

EARLIER = [1000 + n % 100 for n in range(1000)]
NAMES = {"A": "idle", "B": "loaded"}


def compared(run_of, *latencies, **options):
    return compare(Run(run_of([EARLIER])), [Run(run_of([own])) for own in latencies], **options)


def test_a_sentence_tells_the_planted_factor_and_an_interval_that_holds_it(run_of):
    found = compared(run_of, [3 * value for value in EARLIER])
    (said,) = sentences(found.differences, NAMES)
    assert said.startswith("ISR: loaded is 3.0 times idle at p99, 95 % between ")
    low, high = map(float, re.search(r"between (\S+) and (\S+)\.$", said).groups())
    assert low < 3 < high
    assert high - low < 0.1


def test_the_factor_that_is_told_lies_within_the_interval_that_is_told(run_of):
    # One value each: p99 is 1237 of 1000 ns, and its interval has next to no width.
    alike = compare(Run(run_of([[1000] * 1000])), [Run(run_of([[1237] * 999 + [1238]]))])
    for found in (alike, compared(run_of, [value * 5 // 4 for value in EARLIER])):
        (said,) = sentences(found.differences, NAMES)
        factor, low, high = map(float, re.findall(r"\d+\.\d+", said))
        assert low <= factor <= high, said


def test_what_may_be_no_change_is_told_as_such(run_of):
    (said,) = sentences(compared(run_of, EARLIER[::-1]).differences, NAMES)
    assert re.fullmatch(
        "ISR: no difference seen between loaded and idle at p99, 95 % between 0[.]9[0-9]* and "
        "1[.]0[0-9]* times[.]",
        said,
    )
    # One more value, at p50, makes a change that may be none.
    later = [value + (value == 1098) for value in EARLIER[::-1]]
    (said,) = sentences(compared(run_of, later).differences, NAMES)
    assert said.startswith("ISR: loaded is 1.001 times idle at p99, which may be no change, 95 % ")


def test_values_that_are_all_equal_have_no_interval(run_of):
    alike = compare(Run(run_of([[1000] * 1000])), Run(run_of([[1000] * 1000])))
    assert sentences(alike.differences, NAMES) == [
        "ISR: no difference seen between loaded and idle at p99."
    ]


def test_too_few_samples_for_p99_leave_a_lower_percentile(run_of):
    few = compare(Run(run_of([EARLIER[:100]])), Run(run_of([EARLIER[:100]])))
    assert "at p90" in sentences(few.differences, NAMES)[0]


def test_sweeps_are_told_by_their_saturation():
    found = compare(Sweep(swept({"none": 100_000})), Sweep(swept({"none": 40_000})))
    said, *_ = sentences(found.differences, NAMES)
    assert "loaded is 0.40 times idle at saturation" in said
    row, *_ = change_tiles(found.differences, NAMES)
    (tile,) = row.tiles
    assert (tile.name, tile.text, tile.style) == ("saturation", "x0.40", "bad")


def test_tiles_have_change_values_and_the_interval_of_the_table(run_of):
    found = compared(run_of, [3 * value for value in EARLIER])
    (row,) = change_tiles(found.differences, NAMES)
    assert (row.name, row.note, row.number) == ("ISR", "loaded against idle", 1)
    p99, most, answered = row.tiles
    entry = next(each for each in found.differences if each.figure == "p99")
    assert (p99.name, p99.text, p99.style) == ("p99", "x3.0", "bad")
    # The 990th of 1000 values, ten of each from 1000 to 1099 ns.
    assert "3.294 µs, idle 1.098 µs" in p99.note
    assert f"+{float(entry.interval.least) * 1e6:.4g} µs" in p99.note
    assert (most.name, most.text) == ("max seen", "x3.0")
    assert "without an interval" in most.note
    assert (answered.name, answered.text) == ("answered", "100 %")


def test_missed_strikes_have_the_third_tile(run_of):
    found = compared(run_of, [None if n % 100 == 57 else v for n, v in enumerate(EARLIER)])
    (row,) = change_tiles(found.differences, NAMES)
    assert [tile.name for tile in row.tiles] == ["p99", "max seen", "missed"]
    assert row.tiles[2].text == "1 %"
    assert row.tiles[2].style == "bad"


def test_what_got_better_is_good(run_of):
    found = compared(run_of, [value // 3 for value in EARLIER])
    (row,) = change_tiles(found.differences, NAMES)
    assert row.tiles[0].style == "good"


def test_each_other_run_has_its_row_in_its_own_colour(run_of):
    found = compared(run_of, EARLIER, [2 * value for value in EARLIER])
    names = {"A": "idle", "B": "again", "C": "loaded"}
    rows = change_tiles(found.differences, names)
    assert [(row.note, row.number) for row in rows] == [
        ("again against idle", 1),
        ("loaded against idle", 2),
    ]


@pytest.mark.parametrize(
    ("places", "names"),
    [
        (("runs/idle", "/tmp/loaded"), ["idle", "loaded"]),
        (("a/run", "b/run"), ["a/run", "b/run"]),
        (("run", "run"), ["A", "B"]),
        (("the run begun 2026-11-21T08:00:00Z", "loaded"), ["A", "loaded"]),
    ],
)
def test_a_result_is_named_by_its_folder_if_that_tells_it_apart(places, names):
    assert names_of(("A", "B"), places) == names


@pytest.mark.parametrize(
    ("ratio", "text"),
    [("2.94", "2.9"), ("13.61", "13.6"), ("1.003", "1.003"), ("0.4", "0.40"), ("0.996", "0.996")],
)
def test_a_factor_has_the_digits_that_tell_it_from_no_change(ratio, text):
    assert factor_text(Fraction(ratio)) == text
