"""Arrays of a run as tables of other libraries. Whole columns are converted, not single events."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from plexor.errors import UsageError
from plexor.model.results import EVENT_DTYPE, source_name
from plexor.protocol.frames import SOURCES

if TYPE_CHECKING:
    from plexor.library.run import Run


def events_table(run: Run) -> Any:
    """Return a run's events as a pyarrow.Table: time_ticks, index, source, polarity.

    Sources are a dictionary of names. Raises UsageError for a run without events.
    """
    events = run.events
    if events is None:
        raise UsageError("this run kept no events; use histogram()")
    pa = importlib.import_module("pyarrow")
    columns = {
        name: pa.array(np.ascontiguousarray(events[name])) for name in EVENT_DTYPE.names or ()
    }
    names = {channel.number: channel.name for channel in run.result.channels}
    known = pa.array([names.get(source, source_name(source)) for source in range(SOURCES)])
    codes = pa.array(events["source"].astype(np.int8))
    columns["source"] = pa.DictionaryArray.from_arrays(codes, known)
    table = pa.table(columns)
    return table.replace_schema_metadata(
        {
            "plexor.tick_fs": str(run.tick_fs),
            "plexor.simulated": str(run.simulated).lower(),
            "plexor.valid": str(run.valid).lower(),
        }
    )


def to_pandas(table: Any) -> Any:
    """Return a pyarrow.Table as a pandas.DataFrame.

    Raises UsageError if pandas is not installed.
    """
    try:
        importlib.import_module("pandas")
    except ModuleNotFoundError as error:
        raise UsageError("pandas is not installed; pip install pandas") from error
    return table.to_pandas()
