# SPDX-License-Identifier: Apache-2.0
"""Rows as CSV: what is read is what was written, by this reader and by Python's."""

import csv
import io
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plexor_lab.mixed.model import Limits, Mode, Response
from plexor_lab.mixed.rows import read_rows, write_rows

from .lists import LIMITS, MS, STEP, TICK_FS, run_of

LATE = st.none() | st.integers(-STEP // 2, STEP)
RUNS = [
    run_of([0, None, -5, MS + 1], Mode.MIXED, 2, extras=[Response(9, None), Response(11, 7)]),
    run_of([3], Mode.VERIFY, None),
]
TEXT = write_rows(RUNS, TICK_FS)


@given(late=st.lists(LATE, max_size=20), tick_fs=st.sampled_from([500_000, 1_041_667, 1]))
def test_rows_come_back_as_they_were(late, tick_fs):
    limits = Limits(LIMITS.limit_ticks, Fraction(STEP), Fraction(STEP))
    runs = [*RUNS, run_of(late, Mode.NORMAL, None, limits=limits)]
    found_fs, found = read_rows(write_rows(runs, tick_fs))
    assert found_fs == tick_fs
    assert found == {
        run.name: ([*run.rows], [*run.extras]) for run in runs if run.rows or run.extras
    }


def test_a_spreadsheet_reads_what_was_written():
    rows = [*csv.DictReader(io.StringIO(TEXT))]
    assert len(rows) == sum(len(run.rows) + len(run.extras) for run in RUNS)
    assert [row["status"] for row in rows if row["run"] == "mixed-2"] == [
        *("done", "missed", "early", "late"),
        *("extra", "extra"),
    ]
    assert rows[2]["lateness_ticks of 500000 fs"] == "-5"
    assert rows[2]["lateness_us"] == "-0.002500"
    assert rows[3]["lateness_us"] == "1000.000500"


def test_line_ends_are_lf_and_the_header_has_the_units():
    assert "\r" not in TEXT
    assert TEXT.endswith("\n")
    assert TEXT.splitlines()[0] == (
        "run,number,id,due_step,issue_step,due_ticks of 500000 fs,measured_ticks of 500000 fs,"
        "lateness_ticks of 500000 fs,lateness_us,status"
    )


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("due_ticks of 500000", "due_ticks of 50", "header"),
        ("run,number", "number", "header"),
        (",done\n", ",gone\n", "line 2: 'gone' is not"),
        ("mixed-2,0,", "mixed-2,x,", "line 2: number: 'x'; must be a whole number"),
        ("mixed-2,0,", "mixed-2,", "line 2: 9 columns; must be 10"),
        ("-0.002500", "-0.002", "line 4: lateness_us: '-0.002'; must be '-0.002500'"),
        ("mixed-2,0,0,1,0,", "mixed-2,0,0,1,00,", "issue_step: '00'; must be '0'"),
    ],
)
def test_what_is_not_written_so_is_refused_with_its_line(old, new, says):
    assert old in TEXT
    with pytest.raises(ValueError, match=says):
        read_rows(TEXT.replace(old, new, 1))


def test_an_empty_file_is_refused():
    with pytest.raises(ValueError, match="header: ''"):
        read_rows("")


def test_a_column_of_an_extra_response_that_it_does_not_have_is_refused():
    (line,) = [line for line in TEXT.splitlines() if line.endswith(",extra")][:1]
    cells = line.split(",")
    for place in (1, 3, 4, 5, 7, 8):
        wrong = ",".join([*cells[:place], "7", *cells[place + 1 :]])
        with pytest.raises(ValueError, match=r"'7'; must be ''"):
            read_rows(TEXT.replace(line, wrong, 1))
