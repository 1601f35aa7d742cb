"""Events as tables of other libraries."""

import sys

import numpy as np
import pytest

from plexor.errors import UsageError
from plexor.library.run import Run
from plexor.library.tables import events_table, to_pandas


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
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError, match="pip install pandas"):
        to_pandas(events_table(Run(run_of([[1000]]))))
