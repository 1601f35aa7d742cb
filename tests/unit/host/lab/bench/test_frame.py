# SPDX-License-Identifier: Apache-2.0
"""Frames of OSBench's report: byte for byte as printed, read back as written, or refused."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plexor_lab.bench.frame import ReportedTest, frame_of, parse, write
from plexor_lab.bench.operations import per_operation

GOLDEN = Path(__file__).with_name("osbench.txt").read_bytes().decode()
"""The two frames of the article, with titles in other words."""
BLOCKING = ReportedTest(
    0,
    1,
    "EnterCriticalSection, blocking, without priority inversion:\n"
    "until the lower priority thread runs",
    max_ns=13_409,
    min_ns=7_543,
    avg_ns=8_389,
)
FAST = ReportedTest(
    0,
    2,
    "EnterCriticalSection, fast path, uncontested",
    max_ns=64,
    min_ns=61,
    avg_ns=61,
    iterations=1000,
    base_ticks=12,
)
_NUMBERS = st.integers(0, 10**15)
_WORDS = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1)
_LINES = st.lists(_WORDS, min_size=1).map(" ".join).filter(lambda line: line[0] != "|")


@st.composite
def frames(draw):
    least, mean, most = sorted(draw(st.lists(_NUMBERS, min_size=3, max_size=3)))
    return ReportedTest(
        draw(st.integers(0, 99)),
        draw(st.integers(0, 99)),
        "\n".join(draw(st.lists(_LINES, min_size=1, max_size=4))),
        most,
        least,
        mean,
        draw(st.integers(1, 10**15)),
        draw(st.booleans()),
        draw(st.booleans()),
        draw(st.none() | _NUMBERS),
    )


def test_the_two_frames_of_the_article_are_written_byte_for_byte():
    assert write([BLOCKING, FAST]) == GOLDEN


def test_the_two_frames_of_the_article_are_read():
    assert parse(GOLDEN) == (BLOCKING, FAST)
    assert parse(GOLDEN.replace("\n", "\r\n")) == (BLOCKING, FAST)
    assert parse(GOLDEN.replace("    ", " ").removesuffix("\n")) == (BLOCKING, FAST)


def test_a_flag_that_is_set_reads_yes_in_as_many_columns():
    lines = write([replace(FAST, interprocess=True)]).splitlines()
    assert lines[1] == "|  0.02  |  IP = YES  |  CS =  NO  |    1000 IPS"
    lines = write([replace(BLOCKING, group=7, test=12, cache_sync=True)]).splitlines()
    assert lines[1] == "|  7.12  |  IP =  NO  |  CS = YES  |       1 IPS"


@given(st.lists(frames(), max_size=3).map(tuple))
def test_what_is_written_is_read_back(found):
    assert parse(write(found)) == found


def test_the_frame_of_figures_rounds_each_to_a_nanosecond():
    # With a tick of 1 ns: 61.4, 61 and 63.5 ns an operation, of which the last is rounded to even.
    figures = per_operation(
        [99_999, 12 + 61_400, 12 + 61_000, 12 + 63_500],
        iterations=1000,
        base_ticks=12,
        skip_first=1,
    )
    frame = frame_of(figures, 10**6, group=0, test=2, title=FAST.title)
    assert frame == replace(FAST, max_ns=64, min_ns=61, avg_ns=62)
    without = frame_of(per_operation([4]), 250_000, group=1, test=0, title="x", cache_sync=True)
    assert without == ReportedTest(1, 0, "x", 1, 1, 1, cache_sync=True)


LINES = GOLDEN.split("\n")


@pytest.mark.parametrize(
    ("number", "line", "right"),
    [
        (1, "=" * 66, "67 times '='"),
        (2, "|  0.1  |  IP =  NO  |  CS =  NO  |       1 IPS", "of the form '|  0.01  |  IP"),
        (2, "|  0.01  |  IP =  no  |  CS =  NO  |       1 IPS", "of the form '|  0.01  |  IP"),
        (3, "", "67 times '-'"),
        (4, "", "a title"),
        (4, " indented", "a title"),
        (4, "-" * 67, "a title"),
        (5, "|  Max Time =         13.409 µs", "67 times '-'"),
        (7, "|  Max Time =         13.41 µs", "of the form '|  Max Time =         13.409 µs'"),
        (7, "|  Max Time =         13.409 ms", "of the form '|  Max Time =         13.409 µs'"),
        (7, "|  Max Time =        -13.409 µs", "of the form '|  Max Time =         13.409 µs'"),
        (7, "|  Min Time =          7.543 µs", "of the form '|  Max Time =         13.409 µs'"),
        (8, "|  Avg Time =          8.389 µs", "of the form '|  Min Time =         13.409 µs'"),
        (10, "x", "67 times '='"),
        (11, "", "67 times '='"),
        (16, "|  Subtracting out base result of 1.2 ticks", "of the form '|  Subtracting out base"),
        (16, "|  Subtracting 12 ticks", "of the form '|  Max Time"),
        (20, "=" * 68, "67 times '='"),
        (21, "more", "67 times '='"),
    ],
)
def test_a_malformed_line_is_refused_with_its_number_and_what_would_be_right(number, line, right):
    with pytest.raises(ValueError, match=r"^line") as refused:
        parse("\n".join([*LINES[: number - 1], line, *LINES[number:], ""]))
    told = str(refused.value)
    assert told.startswith(f"line {number}: {line!r}; must be {right}")
    assert "\n" not in told


@pytest.mark.parametrize("kept", [n for n in range(1, len(LINES) - 1) if n != 10])
def test_a_report_that_ends_within_a_frame_is_refused_with_the_line_that_it_lacks(kept):
    with pytest.raises(ValueError, match=rf"^line {kept + 1}: the text ends; must be "):
        parse("\n".join(LINES[:kept]))


def test_a_long_line_is_quoted_in_part():
    with pytest.raises(ValueError, match=r"^line 1:") as refused:
        parse("x" * 10**6)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    ("line", "instead"),
    [(9, "|  Avg Time =         13.410 µs"), (8, "|  Min Time =          8.390 µs")],
)
def test_an_average_beyond_the_extremes_is_refused_with_its_line(line, instead):
    with pytest.raises(ValueError, match=r"^line 9: .*min_ns, avg_ns, max_ns: .* must be"):
        parse("\n".join([*LINES[: line - 1], instead, *LINES[line:]]))


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ({"group": 100}, "group: 100; must be from 0 to 99"),
        ({"test": -1}, "test: -1; must be from 0 to 99"),
        ({"iterations": 0}, "iterations: 0; must be from 1 to"),
        ({"base_ticks": -1}, "base_ticks: -1; must be from 0 to"),
        ({"max_ns": 10**15 + 1}, "max_ns: 1000000000000001; must be from 0 to"),
        ({"min_ns": -1}, "min_ns, avg_ns, max_ns: -1, 61, 64; must be 0 or more"),
        ({"avg_ns": 60}, "min_ns, avg_ns, max_ns: 61, 60, 64; must be 0 or more"),
        ({"title": ""}, "title: ''; each line must be printable"),
        ({"title": "one\n\ntwo"}, "title: ''; each line must be printable"),
        ({"title": "one\ttwo"}, r"title: 'one\\ttwo'; each line must be printable"),
        ({"title": "| one"}, r"title: '\| one'; each line must be printable"),
        ({"title": "=" * 67}, "title: '=+'; each line must be printable"),
        ({"title": "one\u2028two"}, r"title: 'one\\u2028two'; each line must be printable"),
    ],
)
def test_a_field_out_of_range_is_refused(field, wrong):
    with pytest.raises(ValueError, match=f"^{wrong}"):
        replace(FAST, **field)
