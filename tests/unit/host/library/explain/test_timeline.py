# SPDX-License-Identifier: Apache-2.0
"""`Run.timeline`: bounds, cursors, CSV and document."""

import pytest

from plexor.base.errors import UsageError
from plexor.library.explain.timeline import Timeline
from plexor.library.run import Run

from ...coded import coded_run
from ...plain_text import columns_and_colour
from .test_coded import NAMES, PLANTED

END = 12_000


@pytest.fixture(scope="module")
def coded():
    return Run(coded_run(PLANTED, END, NAMES))


def test_lanes_are_written_by_suffix(coded, tmp_path):
    coded.timeline().export(tmp_path / "a.csv", tmp_path / "a.vcd", tmp_path / "a.pftrace")
    assert all((tmp_path / f"a.{suffix}").stat().st_size for suffix in ("csv", "vcd", "pftrace"))
    with pytest.raises(UsageError, match=r"suffix must be one of \.csv, \.vcd, \.pftrace"):
        coded.timeline().export(tmp_path / "a.txt")


def test_the_document_has_lanes_whose_times_add_up_to_the_run(coded):
    document = coded.timeline(cursors=("1us", "9us")).document()
    assert document["cursor_delta_ticks"] == 8000
    assert document["length_ticks"] == END
    for lane in document["lanes"]:
        assert sum(lane["time_ticks"].values()) == END
    assert (document["codes"], document["torn"], document["gaps"]) == (5, 0, 0)


def sending(count):
    """Return a run that sends the values 7, 8, 9, ... in codes of 16 bits, three parts each."""
    planted = [(1000, 1, 3)]
    for number in range(7, 7 + count):
        parts = ((11, number), (12, 0), (11, 0))
        at = planted[-1][0] + 1000
        planted += [(at + 1000 * n, *part) for n, part in enumerate(parts)]
    return Run(coded_run(planted, 1000 * 10 * (count + 1), NAMES))


def test_values_that_the_device_sent_are_in_text_page_and_document():
    timeline = sending(2).timeline()
    assert timeline.document()["values"] == [
        {"time_ticks": 2000, "value": 7},
        {"time_ticks": 5000, "value": 8},
    ]
    lines = [line.split() for line in timeline.text().splitlines()]
    assert ["2", "µs", "7", "0x00000007"] in lines
    assert ["5", "µs", "8", "0x00000008"] in lines
    assert "<h2>Values that the device sent</h2>" in timeline.page()
    assert "0x00000008" not in sending(2).timeline(end="4us").text()


def test_a_table_of_values_ends_and_says_how_many_more_there_are():
    text = sending(23).timeline().text()
    assert text.count("0x000000") == 20
    assert "and 3 more" in text


def test_a_device_that_sends_nothing_but_values_has_them():
    planted = [(1000, 11, 5), (2000, 12, 0), (3000, 11, 0)]
    text = Run(coded_run(planted, END)).timeline().text()
    assert "0x00000005" in text
    assert "sent no codes" not in text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"start": "20us"}, "from: 2e-05 s; must lie in the run's 1.2e-05 s"),
        ({"end": "1s"}, "until: 1 s"),
        ({"start": "5us", "end": "5us"}, "ends before it begins"),
        ({"cursors": ("1us",)}, "cursor: 1 given; give two, or none"),
        ({"start": "5"}, "must be a number with a unit"),
    ],
)
def test_times_that_cannot_be_are_refused(coded, options, said):
    with pytest.raises(UsageError, match=said):
        coded.timeline(**options)


def test_its_text_is_plain_and_of_100_columns_unless_it_is_asked_for_otherwise():
    assert columns_and_colour(Timeline.text) == (100, False)
