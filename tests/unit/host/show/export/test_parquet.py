# SPDX-License-Identifier: Apache-2.0
"""Parquet by DuckDB and pyarrow: exact ticks, and metadata that says what they are."""

import json

import duckdb
import pyarrow.parquet as pq
import pytest

from plexor.show.export.parquet import write_parquet

from . import planted


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return planted.written(write_parquet, tmp_path_factory.mktemp("p") / "a.parquet", planted.run())


def test_duckdb_finds_each_event(path):
    found = duckdb.sql(f"SELECT time_ticks, pin, edge FROM '{path}' ORDER BY index").fetchall()
    assert found == [
        (time - planted.START, planted.NAMES[source], ("idle", "active")[polarity])
        for time, source, polarity in planted.ROWS
    ]


def test_duckdb_finds_latencies_by_class(path):
    found = duckdb.sql(
        f"SELECT index, class, latency_ticks FROM '{path}' WHERE latency_ticks IS NOT NULL"
    ).fetchall()
    assert found == [
        (number, planted.CLASS_OF[number], latency)
        for number, (latency, _) in planted.LATENCY_OF.items()
    ]


def test_the_metadata_says_how_long_a_tick_is_and_what_columns_mean(path):
    schema = pq.read_schema(path)
    assert schema.metadata[b"tick_fs"] == b"1000000"
    assert schema.metadata[b"simulated"] == b"yes"
    assert json.loads(schema.metadata[b"plexor"])["device.board"] == "a, “board”"
    assert b"in ticks of tick_fs femtoseconds" in schema.field("time_ticks").metadata[b"meaning"]
