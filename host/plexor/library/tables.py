# SPDX-License-Identifier: Apache-2.0
"""Arrays of a run as tables of other libraries. Whole columns are converted, not single events."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from plexor.base.errors import UsageError
from plexor.model.results import EVENT_DTYPE
from plexor.model.sources import source_name
from plexor.protocol.frames import SOURCES
from plexor.protocol.memory import ResponseClass

if TYPE_CHECKING:
    from plexor.experiments.sweep.model import SweepResult
    from plexor.library.run import Run

_COUNTED = (
    ResponseClass.ANSWERED,
    ResponseClass.LATE,
    ResponseClass.MISSED,
    ResponseClass.DUPLICATE,
    ResponseClass.SPURIOUS,
)


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


def steps_table(result: SweepResult) -> Any:
    """Return a sweep's steps as a pyarrow.Table, one row for each channel of a step.

    Latencies and jitters are in ticks; the length of a tick is in the schema's metadata. Rates are
    in hertz, rounded to a float. What is not known is null. `direction` is up, down or rest in a
    scan both ways. `for_channel` is the channel whose knee was searched; empty: all of them.
    """
    pa = importlib.import_module("pyarrow")
    rows = [(step, figures) for step in result.steps for figures in step.channels]
    columns: dict[str, Any] = {
        "load": [step.load for step, _ in rows],
        "rate_hz": pa.array([float(step.rate_hz) for step, _ in rows], pa.float64()),
        "direction": [step.direction for step, _ in rows],
        "for_channel": [step.for_channel for step, _ in rows],
        "channel": [figures.name for _, figures in rows],
        "strikes": pa.array([figures.strikes for _, figures in rows], pa.int64()),
    }
    for kind in _COUNTED:
        counts = [figures.classes[kind] for _, figures in rows]
        columns[kind.name.lower()] = pa.array(counts, pa.int64())
    for name in ("min", "p50", "p99", "max", "jitter128"):
        values = [getattr(figures, f"{name}_ticks") for _, figures in rows]
        columns[f"{name}_ticks"] = pa.array(values, pa.int64())
    columns["rms_ticks"] = pa.array([figures.rms_ticks for _, figures in rows], pa.float64())
    columns["verdict"] = [str(figures.verdict) for _, figures in rows]
    columns["reason"] = [figures.reason for _, figures in rows]
    texts = ("load", "direction", "for_channel", "channel", "verdict", "reason")
    columns |= {name: pa.array(columns[name], pa.string()) for name in texts}
    return pa.table(columns).replace_schema_metadata(
        {
            "plexor.tick_fs": str(result.tick_fs),
            "plexor.simulated": str(result.simulated).lower(),
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
