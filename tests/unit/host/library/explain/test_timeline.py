"""`Run.timeline`: bounds, cursors, CSV and document."""

import csv
import io

import pytest

from plexor.errors import UsageError
from plexor.library.run import Run

from ...coded import coded_run
from .test_coded import NAMES, PLANTED

END = 12_000


@pytest.fixture(scope="module")
def coded():
    return Run(coded_run(PLANTED, END, NAMES))


def test_the_csv_has_each_span_to_the_tick_and_in_exact_nanoseconds(coded):
    rows = list(csv.DictReader(io.StringIO(coded.timeline().csv())))
    assert [(int(r["start_ticks"]), r["start_ns"], r["name"], r["state"]) for r in rows] == [
        (0, "0", "strike", "unknown"),
        (0, "0", "motor", "unknown"),
        (1000, "1000", "strike", "active"),
        (3000, "3000", "strike", "idle"),
        (5000, "5000", "motor", "running"),
    ]


def test_the_document_has_lanes_whose_times_add_up_to_the_run(coded):
    document = coded.timeline(cursors=("1us", "9us")).document()
    assert document["cursor_delta_ticks"] == 8000
    assert document["length_ticks"] == END
    for lane in document["lanes"]:
        assert sum(lane["time_ticks"].values()) == END
    assert (document["codes"], document["torn"], document["gaps"]) == (5, 0, 0)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"start": "20us"}, "from: 2e-05 s; must lie in the run's 1.2e-05 s"),
        ({"end": "1s"}, "to: 1 s"),
        ({"start": "5us", "end": "5us"}, "ends before it begins"),
        ({"cursors": ("1us",)}, "cursor: 1 given; give two, or none"),
        ({"start": "5"}, "must be a number with a unit"),
    ],
)
def test_times_that_cannot_be_are_refused(coded, options, said):
    with pytest.raises(UsageError, match=said):
        coded.timeline(**options)
