# SPDX-License-Identifier: Apache-2.0
"""The columns of an archive's files: one row for each kind of sample of each channel of a run.

A reader finds a file's columns by name, and takes those that it does not have as not known: columns
may be added, and none changes its meaning.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any

from plexor.archive.record import STORED, ArchiveRecord, ArchiveRow
from plexor.protocol.memory import ResponseClass

ROW_GROUP = 4096
"""Rows of a row group; a reader skips the groups that hold no run that it looks for."""


def column_of(percentile: str) -> str:
    """Return the name of a percentile's column: `p99_9_ticks` for p99.9."""
    return f"{percentile.replace('.', '_')}_ticks"


@cache
def schema() -> Any:
    """Return the columns with their types."""
    pa = pyarrow()
    integers = pa.list_(pa.int64())
    of_run = {
        "run": pa.string(),
        "first": pa.bool_(),
        "started": pa.timestamp("s", "UTC"),
        "commit": pa.string(),
        "branch": pa.string(),
        "dirty": pa.bool_(),
        "simulated": pa.bool_(),
        "valid": pa.bool_(),
        "invalid_reasons": pa.string(),
        "interrupted": pa.bool_(),
        "tick_fs": pa.int64(),
        "duration_ticks": pa.int64(),
        "wall_seconds": pa.float64(),
        "strikes_sent": pa.int64(),
        "build": pa.string(),
        "versions": pa.string(),
        "configuration": pa.string(),
    }
    of_channel = {
        "number": pa.int8(),
        "channel": pa.string(),
        "reference": pa.string(),
        "pending": pa.int64(),
        **{entry.name.lower(): pa.int64() for entry in ResponseClass},
    }
    of_kind = {
        "kind": pa.string(),
        "count": pa.int64(),
        "sum_ticks": pa.int64(),
        "sum_sq_ticks2": pa.decimal128(38, 0),
        "min_ticks": pa.int64(),
        "max_ticks": pa.int64(),
        **{column_of(name): pa.int64() for name in STORED},
        "low_ticks": integers,
        "width_ticks": integers,
        "counts": integers,
    }
    return pa.schema(list((of_run | of_channel | of_kind).items()))


def table(one: ArchiveRecord) -> Any:
    """Return the rows of a run as an Arrow table. Raises ValueError for a count beyond 64 bits."""
    pa = pyarrow()
    columns = schema()
    # A run without channels has a row too.
    rows: Sequence[ArchiveRow | None] = one.rows or (None,)
    values = [_of_run(one, place == 0) | _of_row(row) for place, row in enumerate(rows)]
    try:
        return pa.Table.from_pylist(values, schema=columns)
    except (pa.ArrowException, OverflowError) as error:
        raise ValueError(f"a count that is out of range: {error}") from error


def _of_run(one: ArchiveRecord, first: bool) -> dict[str, Any]:
    return {
        "run": one.run,
        "first": first,
        "started": one.started,
        "commit": one.origin.commit,
        "branch": one.origin.branch,
        "dirty": one.origin.dirty,
        "simulated": one.simulated,
        "valid": one.valid,
        "invalid_reasons": "; ".join(one.invalid_reasons),
        "interrupted": one.interrupted,
        "tick_fs": one.tick_fs,
        "duration_ticks": one.duration_ticks,
        "wall_seconds": one.wall_seconds,
        "strikes_sent": one.strikes,
        "build": one.build,
        "versions": json_text(one.versions),
        "configuration": json_text(one.configuration),
    }


def _of_row(row: ArchiveRow | None) -> dict[str, Any]:
    if row is None:
        return {}
    squares = row.sum_sq_ticks2
    return {
        "number": row.number,
        "channel": row.channel,
        "reference": row.reference,
        "pending": row.pending,
        **{entry.name.lower(): row.classes[entry] for entry in ResponseClass},
        "kind": None if row.kind is None else row.kind.value,
        "count": row.count,
        "sum_ticks": row.sum_ticks,
        "sum_sq_ticks2": None if squares is None else Decimal(squares),
        "min_ticks": row.min_ticks,
        "max_ticks": row.max_ticks,
        **{column_of(name): value for name, value in row.percentiles.items()},
        "low_ticks": list(row.low_ticks),
        "width_ticks": list(row.width_ticks),
        "counts": list(row.counts),
    }


def json_text(texts: Mapping[str, str]) -> str:
    """Return names and texts as JSON, in one way for equal ones."""
    return json.dumps(dict(sorted(texts.items())), ensure_ascii=False)


def pyarrow(name: str = "pyarrow") -> Any:
    """Return the library or a module of it. It has no type stubs, and takes a while to import."""
    return importlib.import_module(name)


def parquet() -> Any:
    """Return the module that reads and writes Parquet."""
    return pyarrow("pyarrow.parquet")
