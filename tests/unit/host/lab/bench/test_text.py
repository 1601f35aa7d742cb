# SPDX-License-Identifier: Apache-2.0
"""A suite's figures as text."""

import pytest

from plexor_lab.bench.bench import Bench

from .planted import DONE, Script, announced, report, suite_run, words


def test_simulated_figures_are_labelled_and_all_tests_named():
    found = Bench(suite_run().run(), "kernel", iterations=2).text()
    assert "simulated" in found.splitlines()[1]
    assert "1.01  yield, until the other task of this priority runs" in found


def test_base_clamped_and_both_counts_are_shown():
    found = Bench(suite_run().run(), "kernel", iterations=2).text().splitlines()
    assert ["1.01", "40", "1", "0", "2", "2"] in [line.split() for line in found]


def test_times_are_those_of_one_operation_less_the_base():
    # 100 and 130 ticks of 1 ns and less: whole figures of the planted tick.
    bench = Bench(suite_run().run(), "kernel", iterations=2)
    tick_ns = bench.run.tick_fs / 10**6
    row = next(line for line in bench.text().splitlines() if line.startswith("1.01      "))
    assert f"{100 * tick_ns:g} ns" in row
    assert f"{130 * tick_ns:g} ns" in row


def test_a_reason_is_shown_and_no_table_without_figures():
    found = Bench(Script().say(DONE).run(), "kernel").text()
    assert "INVALID: no operation was seen" in found
    assert "samples" not in found


def test_the_own_counter_is_shown_only_where_there_is_one():
    assert "own counter" not in Bench(suite_run().run(), "kernel", iterations=2).text()
    script = Script().say(announced(3, 1, own=1)).lasts(0, 40).say(words(4))
    script.lasts(1, 440).say(words(14)).say(report(1, 1)).say(DONE)
    assert "the firmware's own counter" in Bench(script.run(), "kernel", iterations=1).text()


def test_the_longest_sample_is_named_with_what_ran_meanwhile():
    script = Script().say(announced(3, 1)).lasts(1, 440, [(6, 3), (6, 3)]).say(DONE)
    found = Bench(script.run(), "kernel", iterations=1).text()
    assert "interrupt 3 is served (2 times)" in found


@pytest.mark.parametrize("width", [40, 60, 100])
def test_no_line_is_wider_than_the_terminal(width):
    bench = Bench(suite_run().run(), "kernel", iterations=2)
    assert all(len(line) <= width for line in bench.text(width=width).splitlines())


def test_a_mean_has_the_digits_that_its_standard_error_reaches():
    script = Script().say(announced(3, 1))
    for number in range(400):
        script.lasts(1, 10_440 + number % 2)
    found = Bench(script.say(DONE).run(), "kernel", iterations=1)
    row = next(line for line in found.text().splitlines() if line.startswith("1.01      "))
    # Half a tick of spread over the root of 400 samples: a fortieth of a tick.
    assert f"{10_440.5 * found.run.tick_fs / 10**9:.5f} µs" in row


def test_the_table_of_the_own_counter_has_a_row_for_each_test_that_it_measured():
    script = Script().say(announced(3, 1, own=1)).lasts(0, 40).say(words(4))
    script.lasts(1, 440).say(words(14)).say(report(1, 1)).say(DONE)
    text = Bench(script.run(), "kernel", iterations=1).text()
    _, _, own = text.partition("the firmware's own counter")
    rows = [line.split()[0] for line in own.splitlines() if line[:4] in ("0.00", "1.01")]
    assert "1.01" in rows


def test_counters_of_the_firmware_are_added_where_there_are_several():
    script = Script().say(announced(3, 1)).lasts(0, 40).lasts(1, 440).lasts(2, 440)
    script.say(report(1, 7, 2)).say(report(2, 7)).say(DONE)
    _, _, books = Bench(script.run(), "kernel", iterations=1).text().partition("by the firmware\n")
    rows = [line.split() for line in books.splitlines()[:3]]
    assert rows == [
        ["0.00", "-", "1", "0", "1", "-"],
        ["1.01", "40", "1", "0", "1", "7", "+", "2", "=", "9"],
        ["2.01", "40", "1", "0", "1", "7"],
    ]


def test_a_test_without_an_own_counter_before_one_that_has_it_has_no_row():
    script = Script().say(announced(3, 1, own=1)).lasts(0, 40).say(words(4))
    script.lasts(1, 440).lasts(2, 440).say(words(14)).say(DONE)
    _, _, own = Bench(script.run(), "kernel", iterations=1).text().partition("own counter")
    rows = [line.split()[0] for line in own.partition("the longest")[0].splitlines() if line]
    assert rows[2:] == ["2.01"]
