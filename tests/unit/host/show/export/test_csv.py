# SPDX-License-Identifier: Apache-2.0
"""CSV by Python's reader: decimals that are exact, and pandas takes it as it is."""

import csv
from dataclasses import replace
from decimal import Decimal

import pandas as pd
import pytest

from plexor.show.export.csv import write_csv

from . import planted


def read(path):
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines))


@pytest.mark.parametrize("tick_fs", planted.TICKS_FS)
def test_times_are_exact_decimals_of_seconds(tick_fs, tmp_path):
    rows = read(planted.written(write_csv, tmp_path / "a.csv", planted.run(tick_fs)))
    assert len(rows) == len(planted.ROWS)
    for number, (row, (time, source, polarity)) in enumerate(zip(rows, planted.ROWS, strict=True)):
        assert "E" not in row["time_s"]
        assert Decimal(row["time_s"]) == Decimal((time - planted.START) * tick_fs).scaleb(-15)
        assert (row["pin"], row["edge"]) == (planted.NAMES[source], ("idle", "active")[polarity])
        assert row["class"] == planted.CLASS_OF.get(number, "")
        assert row["missed_by"] == planted.MISSED.get(number, "")
        if number in planted.LATENCY_OF:
            latency, strike = planted.LATENCY_OF[number]
            assert Decimal(row["latency_s"]) == Decimal(latency * tick_fs).scaleb(-15)
            assert row["strike_index"] == str(strike)
        else:
            assert (row["latency_s"], row["strike_index"]) == ("", "")


def test_a_time_of_days_and_a_latency_before_its_strike_keep_every_digit(tmp_path):
    late = 3 * 86_400 * 10**9 + 7
    run = planted.run(rows=[(1000 + late, 8, 1)], end_ticks=2000 + late)
    (row,) = read(planted.written(write_csv, tmp_path / "a.csv", run))
    assert row["time_s"] == "259200.000000007"
    early = planted.run(rows=[(1090, 0, 1), (1100, 8, 1)])
    registers = (*early.registers, early.registers[0]._replace(name="early_ticks", value=50))
    early = replace(early, registers=registers, channels=())
    rows = read(planted.written(write_csv, tmp_path / "b.csv", early))
    assert [row["time_s"] for row in rows] == ["0.000000090", "0.000000100"]


def test_a_name_cannot_break_a_row(tmp_path):
    run = planted.run()
    channels = (replace(run.channels[0], name='a,"b"\nc'), run.channels[1])
    rows = read(planted.written(write_csv, tmp_path / "a.csv", replace(run, channels=channels)))
    assert {row["pin"] for row in rows} == {"strike0", "a__b__c", "TASK"}
    assert None not in {value for row in rows for value in row.values()}


def test_a_name_begins_no_comment_and_is_no_other_ones(tmp_path):
    run = planted.run()
    named = [replace(c, name=name) for c, name in zip(run.channels, ("C_", "C#"), strict=True)]
    path = planted.written(write_csv, tmp_path / "a.csv", replace(run, channels=tuple(named)))
    table = pd.read_csv(path, comment="#")
    assert len(table) == len(planted.ROWS)
    assert set(table["pin"]) == {"strike0", "C_", "C__2"}
    assert table["missed_by"].dropna().tolist() == ["C__2"]
    assert table["edge"].isin(["idle", "active"]).all()


def test_pandas_reads_it_with_one_option(tmp_path):
    path = planted.written(write_csv, tmp_path / "a.csv", planted.run())
    table = pd.read_csv(path, comment="#")
    late = table[table["class"] == "late"]
    assert late["latency_s"].tolist() == [300e-9]
