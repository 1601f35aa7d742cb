# SPDX-License-Identifier: Apache-2.0
"""Events as tables of other libraries."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from plexor.base.errors import UsageError
from plexor.library.run import Run
from plexor.library.tables import events_table, latencies_table, steps_table, to_pandas

from ..sweeps import figures, step, swept


def test_columns_have_the_events_and_names_of_channels(run_of):
    run = Run(run_of([[1000, None], [2000, 3000]]))
    table = events_table(run)
    for name in ("time_ticks", "index", "polarity"):
        assert np.array_equal(table.column(name).to_numpy(), run.events[name])
    names = {0: "ISR", 1: "TASK", 8: "strike0"}
    expected = [names[source] for source in run.events["source"].tolist()]
    assert table.column("source").to_pylist() == expected


def test_metadata_say_what_the_figures_are(run_of):
    invalid = Run(run_of([[1000]], invalid_reasons=("lost",)))
    metadata = events_table(invalid).schema.metadata
    assert metadata[b"plexor.valid"] == b"false"
    assert metadata[b"plexor.tick_fs"] == b"1000000"


def test_a_run_without_events_says_so(run_of):
    with pytest.raises(UsageError, match="kept no events"):
        events_table(Run(run_of([[1000]], keep_events=False)))


def test_without_pandas_one_line_says_what_to_install(run_of, monkeypatch):
    table = events_table(Run(run_of([[1000]])))
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError, match="pip install pandas"):
        to_pandas(table)


def test_a_sweep_is_a_table_of_one_row_for_each_channel_of_a_step():
    sweep = swept({"none": 100_000, "cpu": 40_000}, channels=("IST", "APP"), directions=("", "up"))
    table = steps_table(sweep)
    assert table.num_rows == 2 * len(sweep.steps)
    rows = table.to_pylist()
    places = [(taken, name) for taken in sweep.steps for name in ("IST", "APP")]
    for (taken, name), row in zip(places, rows, strict=True):
        known = taken.of(name)
        assert (row["load"], row["channel"], row["rate_hz"]) == (taken.load, name, taken.rate_hz)
        assert (row["direction"], row["verdict"]) == (taken.direction, known.verdict)
        assert row["missed"] + row["answered"] == row["strikes"] == 1000
        assert (row["p99_ticks"], row["rms_ticks"]) == (known.p99_ticks, known.rms_ticks)
    assert table.schema.metadata[b"plexor.simulated"] == b"true"
    assert table.schema.metadata[b"plexor.tick_fs"] == b"1000000"
    assert list(to_pandas(table)["channel"])[:2] == ["IST", "APP"]


def test_what_is_not_known_of_a_step_is_null():
    lost = swept({"none": 1}, channels=("IST",))
    (row, *_) = steps_table(lost).slice(len(lost.steps) - 1).to_pylist()
    assert row["missed"] == 600
    dead = replace(lost, steps=(step("none", 5, figures("IST", missed=1000)),))
    (row,) = steps_table(dead).to_pylist()
    assert (row["min_ticks"], row["p99_ticks"], row["rms_ticks"]) == (None, None, None)


def test_each_strike_of_each_channel_is_a_row_of_latencies(run_of):
    run = Run(run_of([[1000, 2000, 3000, None], [5000, 4000, 6000, None]]))
    rows = latencies_table(run).to_pylist()
    assert [(row["channel"], row["strike"], row["class"]) for row in rows] == [
        *(("ISR", strike, "answered") for strike in range(3)),
        ("ISR", 3, "missed"),
        *(("TASK", strike, "answered") for strike in range(3)),
        ("TASK", 3, "missed"),
    ]
    assert [row["latency_s"] and round(row["latency_s"] * 1e9) for row in rows] == [
        *(1000, 2000, 3000, None),
        *(5000, 4000, 6000, None),
    ]
    strikes = run.events[run.events["source"] == 8]
    rises_s = strikes["time_ticks"][strikes["polarity"] == 1] * 1e-9
    assert np.allclose([row["time_s"] for row in rows], [*rises_s, *rises_s])


def test_latencies_have_the_base_subtracted_and_classes_without_it(run_of):
    rows = latencies_table(Run(run_of([[1000, 2000]]), base="500ns")).to_pylist()
    assert [round(row["latency_s"] * 1e9) for row in rows] == [500, 1500]


def test_without_all_events_there_are_no_single_strikes(run_of):
    with pytest.raises(UsageError, match=r"events are complete; use histogram\(\)"):
        latencies_table(Run(run_of([[1000]], keep_events=False)))
