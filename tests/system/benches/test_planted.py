# SPDX-License-Identifier: Apache-2.0
"""Operations whose times are planted as codes of a synthetic device, through a whole run."""

from fractions import Fraction

import pytest

from plexor.library.specs.texts import parse_code_port
from plexor_lab.bench.bench import Bench
from plexor_lab.bench.spec import BenchSpec
from plexor_lab.bench.suites import OSBENCH
from plexor_lab.bench.taken import taken

from ..code_port import plant

FIRST_PS, APART_PS = 5 * 10**9, 500_000
"""Behind the start of the run, which the host begins some milliseconds after time zero."""
TICK_PS = 500
BASE, BLOCKED, TAKE_FREE, LOOP, DECREMENT = 0, 1, 2, 13, 14


def planted(folder, operations):
    """Measure codes of operations, (test, time_ps) in order, and return the figures."""
    codes, time_ps = [], FIRST_PS
    for test, lasts_ps in operations:
        codes += [(time_ps, 0x80 | test), (time_ps + lasts_ps, 0x90 | test)]
        time_ps += lasts_ps + APART_PS
    file = plant(folder / "codes.txt", codes)
    asked = BenchSpec(
        suite="osbench",
        link="sim:",
        dut=f"synthetic:codes={file},code_strobe=1",
        iterations=1,
        code_port=parse_code_port("ch7"),
        time=Fraction(time_ps, 10**12) + Fraction(1, 1000),
    )
    return Bench(taken(asked), iterations=1)


def figures(bench, test):
    return next(each for each in bench.figures if each.test.number == test)


@pytest.fixture(scope="module")
def below(tmp_path_factory):
    """A base of 197 ticks, and operations of 163, 245 and 641 ticks in turns with their codes."""
    operations = [(BASE, 197)] * 20 + [(BLOCKED, ticks) for ticks in (163, 245, 641) * 10]
    return planted(
        tmp_path_factory.mktemp("planted"), [(test, n * TICK_PS) for test, n in operations]
    )


def test_a_base_of_197_ticks_is_subtracted_exactly(below):
    found = figures(below, BLOCKED).operations
    assert below.reasons == ()
    assert found.base_ticks == 197
    assert (found.min_ticks, found.max_ticks) == (0, 641 - 197)
    assert found.mean_ticks == Fraction(0 + (245 - 197) + (641 - 197), 3)


def test_operations_shorter_than_the_base_are_clamped_and_counted(below):
    assert figures(below, BLOCKED).operations.clamped == 10
    book = below.text().split("base, and what the firmware counted")[1].splitlines()
    head, row = book[1].split("  "), next(line.split() for line in book if "1.01" in line)
    assert "clamped" in " ".join(head)
    assert row == ["1.01", "197", "1", "10", "30", "-"]


def test_the_base_is_printed_in_each_frame(below):
    assert "|  Subtracting out base result of 197 ticks" in below.frames().splitlines()


def test_an_operation_of_a_loop_is_exact_as_a_fraction(tmp_path):
    operations, base_ticks = 100, 12_160
    spans = [base_ticks + operations * 7 + rest for rest in (0, 1, 3)]
    bench = planted(
        tmp_path,
        [(LOOP, base_ticks * TICK_PS), *((DECREMENT, ticks * TICK_PS) for ticks in spans)],
    )
    found = figures(bench, DECREMENT)
    assert found.operations.min_ticks == 7
    assert found.operations.max_ticks == 7 + Fraction(3, operations)
    assert found.operations.mean_ticks == 7 + Fraction(4, 3 * operations)


def test_two_planted_switches_differ_by_what_their_study_says(tmp_path):
    # A full context switch of 14.245 µs, and one without the floating-point unit of 6.410 µs.
    with_unit_ps, without_ps = 14_245_000, 6_410_000
    bench = planted(
        tmp_path,
        [
            (BASE, 20_000),
            *((BLOCKED, with_unit_ps + 20_000) for _ in range(40)),
            *((TAKE_FREE, without_ps + 20_000) for _ in range(40)),
        ],
    )
    assert bench.reasons == ()
    one, other = (figures(bench, test).operations.mean_ticks for test in (BLOCKED, TAKE_FREE))
    assert abs((one - other) * TICK_PS - 7_835_000) <= TICK_PS
    assert OSBENCH.test(BLOCKED).id == "1.01"
