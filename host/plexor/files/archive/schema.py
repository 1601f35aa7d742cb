# SPDX-License-Identifier: Apache-2.0
"""The columns of an archive's files: one row for each kind of sample of each channel of a run.

A reader finds columns by name; a missing column means not known. Columns may be added, and none
changes its meaning.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any

from plexor.files.archive.record import STORED, ArchiveRecord, ArchiveRow
from plexor.protocol.memory import ResponseClass

ROW_GROUP = 4096
"""Rows of a row group; a reader skips groups without the runs that it needs."""


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
        "unknown_strikes": pa.int64(),
        "unknown_edges": pa.int64(),
        **{kind.name.lower(): pa.int64() for kind in ResponseClass},
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


def table(record: ArchiveRecord) -> Any:
    """Return the rows of a run as an Arrow table. Raises ValueError for a count beyond 64 bits."""
    pa = pyarrow()
    columns = schema()
    # A run without channels has a row too.
    rows: Sequence[ArchiveRow | None] = record.rows or (None,)
    values = [_of_run(record, number == 0) | _of_row(row) for number, row in enumerate(rows)]
    try:
        return pa.Table.from_pylist(values, schema=columns)
    except (pa.ArrowException, OverflowError) as error:
        raise ValueError(f"a count that is out of range: {error}") from error


def _of_run(record: ArchiveRecord, first: bool) -> dict[str, Any]:
    return {
        "run": record.run,
        "first": first,
        "started": record.started,
        "commit": record.origin.commit,
        "branch": record.origin.branch,
        "dirty": record.origin.dirty,
        "simulated": record.simulated,
        "valid": record.valid,
        "invalid_reasons": "; ".join(record.invalid_reasons),
        "interrupted": record.interrupted,
        "tick_fs": record.tick_fs,
        "duration_ticks": record.duration_ticks,
        "wall_seconds": record.wall_seconds,
        "strikes_sent": record.strikes,
        "build": record.build,
        "versions": json_text(record.versions),
        "configuration": json_text(record.configuration),
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
        "unknown_strikes": row.unknown_strikes,
        "unknown_edges": row.unknown_edges,
        **{kind.name.lower(): row.classes[kind] for kind in ResponseClass},
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
    """Return names and texts as JSON; equal mappings give equal texts."""
    return json.dumps(dict(sorted(texts.items())), ensure_ascii=False)


def pyarrow(name: str = "pyarrow") -> Any:
    """Return pyarrow or a module of it. It has no type stubs and imports slowly."""
    return importlib.import_module(name)


def parquet() -> Any:
    """Return the module that reads and writes Parquet."""
    return pyarrow("pyarrow.parquet")
