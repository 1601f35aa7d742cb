# SPDX-License-Identifier: Apache-2.0
"""A run's table: one row for each kind of each channel, of the declared columns."""

import json
from dataclasses import replace
from decimal import Decimal

import pyarrow as pa
import pytest

from plexor.figures.analyse.analyse import analyse
from plexor.files.archive.origin import Origin
from plexor.files.archive.record import record
from plexor.files.archive.schema import column_of, schema, table
from plexor.protocol.memory import ResponseClass

from .planted import BEGAN, SAMPLES, latencies, planted


def of(run):
    return record(analyse(run), Origin("a" * 40, "main", True))


def test_a_table_has_what_the_record_has():
    rows = table(of(planted(1000, names=("ISR", "TASK")))).to_pylist()
    assert len(rows) == 8
    row = rows[0]
    assert row["run"] == of(planted(1000, names=("ISR", "TASK"))).run
    assert row["started"] == BEGAN
    assert (row["commit"], row["branch"], row["dirty"]) == ("a" * 40, "main", True)
    assert (row["simulated"], row["valid"], row["invalid_reasons"]) == (True, True, "")
    assert (row["channel"], row["kind"], row["strikes"], row["missed"]) == ("ISR", "rise", 400, 0)
    assert row["sum_sq_ticks2"] == Decimal(sum(value**2 for value in latencies(1000)))
    assert sum(row["counts"]) == row["count"] == SAMPLES
    assert json.loads(row["configuration"])["os"] == "FreeRTOS 11.2.0"
    assert row["p99_ticks"] == 1007
    assert row["p99_9_ticks"] is None


def test_the_first_row_of_a_run_alone_says_so():
    rows = table(of(planted(1000, names=("ISR", "TASK")))).to_pylist()
    assert [row["first"] for row in rows] == [True] + [False] * 7


def test_a_run_without_channels_has_a_row():
    (row,) = table(of(replace(planted(1000), channels=()))).to_pylist()
    assert (row["first"], row["channel"], row["kind"]) == (True, None, None)


def test_a_sum_of_squares_beyond_64_bits_is_exact():
    one = of(planted(1000))
    squares = (1 << 126) + 1
    wide = replace(one, rows=(replace(one.rows[0], sum_sq_ticks2=squares),))
    assert int(table(wide).to_pylist()[0]["sum_sq_ticks2"]) == squares


def test_a_count_that_no_instrument_has_is_told():
    one = of(planted(1000))
    classes = {**one.rows[0].classes, ResponseClass.MISSED: 1 << 64}
    with pytest.raises(ValueError, match="out of range") as caught:
        table(replace(one, rows=(replace(one.rows[0], classes=classes),)))
    assert "\n" not in str(caught.value)


def test_equal_configurations_are_equal_texts():
    one = of(planted(1000))
    other = replace(one, configuration=dict(reversed(one.configuration.items())))
    assert table(one).column("configuration") == table(other).column("configuration")


def test_the_columns_are_those_that_a_stranger_reads():
    """A column is never renamed: archives are read for years."""
    names = set(schema().names)
    assert {"run", "started", "commit", "configuration", "channel", "kind", "count"} <= names
    assert {"low_ticks", "width_ticks", "counts", "p50_ticks", column_of("p99.9")} <= names
    assert schema().field("sum_sq_ticks2").type == pa.decimal128(38, 0)
