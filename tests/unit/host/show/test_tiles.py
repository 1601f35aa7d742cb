# SPDX-License-Identifier: Apache-2.0
"""The tiles of a channel: a percentile that its samples carry, the maximum, the misses."""

import dataclasses
import re

import pytest

from plexor.figures.analyse.analyse import analyse
from plexor.figures.analyse.percentiles import OPEN_TICKS
from plexor.model.results import Kind
from plexor.show.tiles import html_tiles, share_text, tiles

from .runs_to_draw import KINDS


def of(run, place=0):
    return {tile.name: tile for tile in tiles(analyse(run))[place].tiles}


def test_the_tiles_of_a_planted_run_are_what_was_planted(run_of):
    # The tick is 1 ns. Of 1000 values, 990 are 2000: p99 is the 990th, and the interval's upper end
    # the 996th (scipy.stats.binom.ppf(0.975, 1000, 0.99) + 1 = 997 at most).
    values = [2000] * 990 + [3000] * 9 + [4000]
    found = of(run_of([values]))
    assert list(found) == ["p99", "max seen", "missed"]
    assert found["p99"].text == "2 µs"
    assert found["p99"].note == "95 %: 2 to 3 µs"
    assert found["max seen"].text == "4 µs"
    assert re.fullmatch(r"at [\d.]+ ms in the run", found["max seen"].note)
    assert (found["missed"].text, found["missed"].note) == ("0", "of 1,000 strikes")


@pytest.mark.parametrize(
    ("count", "name"),
    # Least n with 1 - q**n >= 0.975 for both tails: 368 for p99, 36 for p90, 6 for p50.
    [(400, "p99"), (368, "p99"), (367, "p90"), (36, "p90"), (35, "p50"), (6, "p50")],
)
def test_the_percentile_is_the_highest_that_the_samples_carry(run_of, count, name):
    assert next(iter(of(run_of([[1000] * count])))) == name


def test_where_no_percentile_is_carried_the_tile_says_how_many_samples_it_takes(run_of):
    tile = of(run_of([[1000] * 5]))["p50"]
    assert (tile.text, tile.note, tile.style) == ("too few", "5 of 6 samples", "doubt")


def test_missed_strikes_are_counted_with_their_share_and_stand_out(run_of):
    tile = of(run_of([[None if n % 50 == 7 else 1000 for n in range(200)]]))["missed"]
    assert (tile.text, tile.note, tile.style) == ("4", "of 200 strikes, 2 %", "doubt")


@pytest.mark.parametrize(
    ("count", "of", "text"),
    [
        (1, 10**6, "0.0001 %"),
        (1, 3, "33.33 %"),
        (999_999, 10**6, "over 99.99 %"),
        (7, 7, "100 %"),
    ],
)
def test_a_rare_share_is_not_none_and_most_is_not_all(count, of, text):
    assert share_text(count, of) == text


def test_without_a_response_or_a_known_pairing_the_tiles_say_why(runs):
    assert of(runs["none"])["p99"].note == "no response"
    assert of(runs["ambiguous"])["p99"].note.startswith("not known: ")
    assert of(runs["ambiguous"])["max seen"].text == "-"


def test_a_maximum_at_the_limit_of_the_registers_is_told_as_over_it(run_of):
    report = analyse(run_of([[1000] * 500], keep_events=False))
    (channel,) = report.channels
    rise = channel.kinds[Kind.RISE]
    cells = rise.distribution
    high = cells.high_ticks.copy()
    high[-1] = OPEN_TICKS
    limited = dataclasses.replace(
        rise, max_ticks=None, distribution=dataclasses.replace(cells, high_ticks=high)
    )
    changed = dataclasses.replace(channel, kinds={**channel.kinds, Kind.RISE: limited})
    (found,) = tiles(dataclasses.replace(report, channels=(changed,)))
    assert found.tiles[1].text.startswith("over ")


def test_a_channel_that_runs_by_itself_has_the_tiles_of_its_period(run_of):
    run = run_of([[1000] * 100])
    (channel,) = run.channels
    unstruck = dict.fromkeys(channel.classes, 0)
    alone = dataclasses.replace(run, channels=(dataclasses.replace(channel, classes=unstruck),))
    assert list(of(alone)) == ["mean period", "max seen", "peak-to-peak"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_channel_of_every_run_has_three_tiles_in_its_colour(runs, kind):
    report = analyse(runs[kind])
    found = html_tiles(tiles(report))
    assert found.count('<div class="tile">') == 3 * len(report.channels)
    colours = [int(number) for number in re.findall(r'class="of c(\d)"', found)]
    assert colours == [channel.result.number % 8 for channel in report.channels]


def test_no_line_ends_between_a_number_and_its_unit(run_of):
    shown = html_tiles(tiles(analyse(run_of([[2000] * 990 + [3000] * 10]))))
    assert "<b>2\N{NO-BREAK SPACE}µs</b>" in shown
    assert "2 to 3\N{NO-BREAK SPACE}µs" in shown
