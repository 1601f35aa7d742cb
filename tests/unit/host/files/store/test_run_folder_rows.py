# SPDX-License-Identifier: Apache-2.0
"""A stored run's files have no more rows than its run.json tells of, and are read in place."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from plexor.base.errors import StoreError
from plexor.files.store import run_folder
from plexor.files.store.run_folder import load, save


@pytest.fixture
def run(run_of):
    return run_of([[1000, 2000, 3000] * 300])


@pytest.mark.parametrize(("name", "times"), [("events.parquet", 300), ("histograms.parquet", 5000)])
def test_more_rows_than_there_can_be_are_refused_unread(run, tmp_path, name, times, monkeypatch):
    folder = save(run, tmp_path / "run")
    table = pq.read_table(folder / name)
    pq.write_table(pa.concat_tables([table] * times), folder / name)

    def read(*_, **__):
        raise AssertionError("read")

    real = pq.ParquetFile.iter_batches
    monkeypatch.setattr(
        pq.ParquetFile,
        "iter_batches",
        lambda file, *a, **b: (read if file.metadata.num_rows > 10**4 else real)(file, *a, **b),
    )
    with pytest.raises(
        StoreError, match=rf"{name}: cannot read: [\d,]+ rows; run\.json has at most"
    ):
        load(folder)


def test_as_many_rows_as_events_came_are_read(run, tmp_path):
    assert len(run.events) == run.accounting.received
    assert load(save(run, tmp_path / "run")) == run


def test_events_are_read_into_their_place(run, tmp_path, monkeypatch):
    times = 800
    monkeypatch.setattr(run_folder, "_PIECE", 1 << 16)
    events = np.tile(run.events, times)
    events["index"] = np.arange(len(events))
    events["time_ticks"] = np.arange(len(events)) * 100
    books = replace(run.accounting, received=len(events), generated=len(events))
    big = replace(run, events=events, accounting=books, invalid_reasons=("planted",))
    folder = save(big, tmp_path / "run")
    size = events.nbytes
    assert size > 40 * 10**6
    del events, big
    tracemalloc.start()
    found = load(folder)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.events.nbytes == size
    assert peak < 1.2 * size


def test_an_event_out_of_order_is_found_across_pieces(run, tmp_path, monkeypatch):
    monkeypatch.setattr(run_folder, "_PIECE", 7)
    events = run.events.copy()
    events["time_ticks"][14] = events["time_ticks"][13] - 1
    folder = save(replace(run, events=events), tmp_path / "run")
    with pytest.raises(StoreError, match="an event earlier than the one before"):
        load(folder)
