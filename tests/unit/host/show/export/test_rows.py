# SPDX-License-Identifier: Apache-2.0
"""Events as rows: each with its pin and edge, responses with class, latency and strike."""

import pyarrow as pa
import pytest

from plexor.show.export import rows as module
from plexor.show.export.rows import COLUMNS, rows
from plexor.show.export.source import ExportSource

from . import planted


def table(run):
    source = ExportSource(run)
    pieces = list(rows(source, run.events, pa))
    assert all(list(piece) == list(COLUMNS) for piece in pieces)
    return [row for piece in pieces for row in pa.table(dict(piece)).to_pylist()]


def expected(number):
    time, source, polarity = planted.ROWS[number]
    latency, strike = planted.LATENCY_OF.get(number, (None, None))
    return {
        "time_ticks": time - planted.START,
        "index": number,
        "pin": planted.NAMES[source],
        "edge": ("idle", "active")[polarity],
        "class": planted.CLASS_OF.get(number),
        "latency_ticks": latency,
        "strike_index": strike,
        "missed_by": planted.MISSED.get(number),
        "code": None,
    }


@pytest.mark.parametrize("size", [1, 7, 1 << 17])
def test_each_event_is_a_row_in_pieces_of_any_size(size, monkeypatch):
    monkeypatch.setattr(module, "ROWS", size)
    assert table(planted.run()) == [expected(number) for number in range(len(planted.ROWS))]


def test_a_code_has_its_value_on_the_row_of_its_time():
    found = table(planted.coded())
    assert [
        (row["time_ticks"] + planted.START, row["code"]) for row in found if row["pin"] == "code"
    ] == planted.CODES
    assert all(row["code"] is None for row in found if row["pin"] != "code")
    assert sum(row["pin"] == "code value" for row in found) == len(planted.CODES)


def test_a_strike_that_two_channels_missed_has_both():
    run = planted.run(rows=[(1100, 8, 1), (1110, 8, 0)])
    assert [row["missed_by"] for row in table(run)] == ["ISR;TASK", None]


def test_a_channel_may_answer_another_ones_edge():
    found = table(planted.run(references=("strike0", "ch0.fall")))
    answers = {row["index"]: row for row in found if row["pin"] == "TASK" and row["class"]}
    # The oldest falling edges that are not too old: events 1 and 11, at 1060 and 2420.
    assert (answers[6]["latency_ticks"], answers[6]["strike_index"]) == (240, 1)
    assert (answers[13]["latency_ticks"], answers[13]["strike_index"]) == (680, 11)


def test_without_all_events_a_channel_has_no_classes():
    found = table(planted.lost(planted.run()))
    assert {row["class"] for row in found if row["pin"] == "ISR"} == {None}
    assert {row["class"] for row in found if row["pin"] == "TASK"} == {None, "answered"}


def test_a_run_without_a_single_event_is_a_table_without_rows():
    assert table(planted.run(rows=[])) == []
