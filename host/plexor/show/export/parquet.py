# SPDX-License-Identifier: Apache-2.0
"""Events as Parquet: ticks that are exact, and metadata that says how long one is."""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path

from plexor.show.export.about import about
from plexor.show.export.rows import COLUMNS, rows
from plexor.show.export.source import ExportSource
from plexor.show.export.target import needed


def write_parquet(source: ExportSource, path: Path, name: Path) -> None:
    """Write a row for each event to `path`.

    The schema's metadata has the texts of `about`, and under `plexor` all of them as JSON. Each
    column's metadata has its `meaning`. Raises UsageError, with `name`, if the run kept no events.
    """
    events = source.events(name)
    pa = needed("pyarrow", "pyarrow", name)
    parquet = needed("pyarrow.parquet", "pyarrow", name)
    texts = dict(about(source))
    metadata = texts | {"plexor": json.dumps(texts, ensure_ascii=False)}
    pieces = rows(source, events, pa)
    first = next(pieces)
    fields = [
        pa.field(key, column.type, metadata={"meaning": COLUMNS[key]})
        for key, column in first.items()
    ]
    schema = pa.schema(fields, metadata=metadata)
    options = {
        "compression": "zstd",
        "use_dictionary": ["pin", "edge", "class", "missed_by"],
        "column_encoding": dict.fromkeys(
            ("time_ticks", "index", "latency_ticks", "strike_index"), "DELTA_BINARY_PACKED"
        ),
    }
    with path.open("wb") as file, parquet.ParquetWriter(file, schema, **options) as writer:
        for columns in chain([first], pieces):
            writer.write_batch(pa.record_batch(list(columns.values()), schema=schema))
