# SPDX-License-Identifier: Apache-2.0
"""Arrays of a run as tables of other libraries. Whole columns are converted, not single events."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from plexor.base.errors import UsageError
from plexor.base.units import FEMTOSECONDS
from plexor.figures.analyse.rules import is_complete, rules_of
from plexor.model.results import EVENT_DTYPE, Kind
from plexor.model.sources import source_name
from plexor.protocol.frames import SOURCES
from plexor.protocol.memory import ResponseClass
from plexor.wire.decode.rematch import rematch

if TYPE_CHECKING:
    from plexor.experiments.sweep.model import SweepResult
    from plexor.library.reading import Reading
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
    return table.replace_schema_metadata(_metadata(run))


def latencies_table(run: Run) -> Any:
    """Return a run's latencies as a pyarrow.Table, one row for each strike of each channel.

    The columns are channel, strike, time_s, latency_s and class: answered, late, missed, or pending
    if the strike was outstanding when the run ended. Strikes are counted from 0, and times are from
    the start of the run. Raises UsageError if not all events are known, or not whose they are.
    """
    pa = importlib.import_module("pyarrow")
    struck = [reading for reading in run.channels if reading.strikes]
    parts = [_latencies(run, reading) for reading in struck]

    def joined(values: Sequence[npt.NDArray[Any]], kind: type) -> npt.NDArray[Any]:
        every: list[npt.NDArray[Any]] = [np.empty(0, kind), *values]
        return np.concatenate(every)

    owners: list[npt.NDArray[Any]] = [
        np.full(len(part.classes), n, np.int8) for n, part in enumerate(parts)
    ]
    seconds = run.tick_fs / FEMTOSECONDS
    latency_s = joined([part.latency_ticks for part in parts], np.int64) * seconds
    unanswered = joined([part.classes for part in parts], np.int8) >= _UNANSWERED
    columns: dict[str, Any] = {
        "channel": _named(joined(owners, np.int8), [reading.name for reading in struck]),
        "strike": pa.array(joined([np.arange(len(part.classes)) for part in parts], np.int64)),
        "time_s": pa.array(joined([part.time_ticks for part in parts], np.int64) * seconds),
        "latency_s": pa.array(latency_s, mask=unanswered),
        "class": _named(joined([part.classes for part in parts], np.int8), _OF_STRIKES),
    }
    return pa.table(columns).replace_schema_metadata(_metadata(run))


_OF_STRIKES = ("answered", "late", "missed", "pending")
_UNANSWERED = _OF_STRIKES.index("missed")
"""What a strike may be, and from which one on it has no latency."""


class _Latencies(NamedTuple):
    """What became of each strike of a channel, in their order."""

    time_ticks: npt.NDArray[np.int64]
    latency_ticks: npt.NDArray[np.int64]
    classes: npt.NDArray[np.int8]
    """Places in _OF_STRIKES."""


def _latencies(run: Run, reading: Reading) -> _Latencies:
    """Return what became of each strike of a channel; raise UsageError as `latencies_table`."""
    result, figures = run.result, reading.figures
    known = figures is not None and (Kind.RISE not in figures.kinds or reading.samples())
    if not known or result.events is None or not is_complete(result, reading.result):
        raise UsageError(
            f"{reading.name}: single strikes are known only of a run whose events are complete; "
            "use histogram()"
        )
    rules, events = rules_of(result, reading.result), result.events
    own = events["source"] == rules.reference_source
    own &= events["polarity"] == rules.reference_polarity
    time_ticks = events["time_ticks"][own].view(np.int64)
    matched = rematch(events, rules, result.end_ticks)
    latency_ticks = np.zeros(len(time_ticks), np.int64)
    classes = np.full(len(time_ticks), _UNANSWERED, np.int8)
    raw = matched.samples[Kind.RISE]
    if len(raw):
        at = np.searchsorted(time_ticks, raw.start_ticks)
        latency_ticks[at] = reading.samples().value_ticks
        classes[at] = raw.value_ticks > rules.deadline_ticks
    classes[np.searchsorted(time_ticks, matched.outstanding_ticks)] = _OF_STRIKES.index("pending")
    return _Latencies(time_ticks, latency_ticks, classes)


def _named(places: npt.NDArray[np.int8], names: Sequence[str]) -> Any:
    """Return a column of names by their places."""
    pa = importlib.import_module("pyarrow")
    return pa.DictionaryArray.from_arrays(pa.array(places), pa.array(names, pa.string()))


def _metadata(run: Run) -> dict[str, str]:
    return {
        "plexor.tick_fs": str(run.tick_fs),
        "plexor.simulated": str(run.simulated).lower(),
        "plexor.valid": str(run.valid).lower(),
    }


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
