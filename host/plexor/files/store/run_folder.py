# SPDX-License-Identifier: Apache-2.0
"""A run on disk: a folder with everything the run was taken with, written completely or not at all.

run.json has everything but the arrays. histograms.parquet has the bins that are not empty.
events.parquet and trace.parquet have the events, if there are any; codes.parquet has the codes of a
code port. wire.bin has the raw bytes, if they were requested. SHA256SUMS has the digests of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plexor.base.counts import counted
from plexor.base.disk.atomic import write_atomic
from plexor.base.disk.errors import writing
from plexor.base.disk.folder import FolderKind, FolderPlace, place_of, put
from plexor.base.documents import Document, reading
from plexor.base.errors import StoreError
from plexor.files.store import checks as stored
from plexor.files.store.arrow import array, pyarrow, values
from plexor.files.store.digest import SUMS_FILE, changed_files, write_digests
from plexor.files.store.notes import NOTES_FILE
from plexor.model.code_array import CODE_DTYPE, CodeArray
from plexor.model.results import EVENT_DTYPE, Bins, EventArray, RunResult, SampleResult, Zoom
from plexor.wire.decode.consistent import consistent

RUN = Document("run-file", 2, RunResult, stored.contradictions_of, wrapped="run", sealed=False)
"""The document of a run without its arrays; `plexor.run` is that of its figures."""
RUN_FILE = "run.json"
HISTOGRAMS_FILE = "histograms.parquet"
EVENTS_FILE = "events.parquet"
TRACE_FILE = "trace.parquet"
CODES_FILE = "codes.parquet"
WIRE_FILE = "wire.bin"
KIND = FolderKind(
    RUN_FILE,
    frozenset({HISTOGRAMS_FILE, EVENTS_FILE, TRACE_FILE, CODES_FILE, WIRE_FILE, SUMS_FILE})
    | {"report.html", "phase.json", "phase.html", NOTES_FILE},
)
"""The files of a run, of its page, of notes, and of the phase scan that it was taken for."""
_PIECE = 1 << 17
"""Number of rows that are read at once."""


def save(result: RunResult, folder: Path, wire: Path | None = None) -> Path:
    """Write a run to `folder`, which must be empty or not exist; return the folder.

    `wire` is a file of raw bytes, which is moved into the folder. The folder appears only when it
    is complete and on the disk. Raises StoreError with the path if it cannot be written.
    """
    with writing(folder):
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise StoreError(f"{folder}: already exists; name a new folder")
        place = place_of(folder)
    return put_run(result, place, wire)


def put_run(
    result: RunResult,
    place: FolderPlace,
    wire: Path | None = None,
    more: Callable[[Path], object] | None = None,
) -> Path:
    """Write a run to a place, or beside it if that is taken; return the folder.

    `wire` is a file of raw bytes, which is moved into the folder. `more` writes what else belongs
    there. Raises StoreError with the path if it cannot be written.
    """

    def fill(folder: Path) -> None:
        if more is not None:
            more(folder)
        write(result, folder, moved)

    moved = {} if wire is None else {WIRE_FILE: wire}
    with writing(place.path):
        return put(place, KIND, fill, moved)


def write(result: RunResult, folder: Path, moved: Mapping[str, Path] | None = None) -> None:
    """Write the files of a run into a folder. Raises OSError.

    `moved` are files that will be moved into it, by their names there.
    """
    _write_events(folder / EVENTS_FILE, result.events)
    _write_events(folder / TRACE_FILE, result.trace)
    _write_codes(folder / CODES_FILE, result)
    _write_histograms(folder / HISTOGRAMS_FILE, result)
    write_atomic(folder / RUN_FILE, RUN.text(_without_arrays(result)))
    write_digests(folder, moved)


def load(folder: Path) -> RunResult:
    """Return the run in `folder`, equal to the stored one.

    Raises StoreError with the path if there is no readable run. Contradictory figures are left out,
    and the run is then invalid. So is a run with a file that is not as its digest says.
    """
    result = RUN.read(folder / RUN_FILE)
    with reading(folder):
        changed = changed_files(folder)
    if changed:
        reason = f"changed since it was taken: {', '.join(changed)} (its SHA-256 is another)"
        result = replace(result, invalid_reasons=(*result.invalid_reasons, reason))
    with reading(folder / HISTOGRAMS_FILE):
        result = _with_histograms(result, folder / HISTOGRAMS_FILE)
    received, ring = result.accounting.received, result.identity.geometry.ring_depth
    found = consistent(
        replace(
            result,
            events=_read_events(folder / EVENTS_FILE, result.events, result, received),
            # A code and its value take one place in the ring.
            trace=_read_events(folder / TRACE_FILE, result.trace, result, 2 * ring),
            codes=_read_codes(folder / CODES_FILE, result),
        )
    )
    # pyarrow keeps what it has freed, as much as a fifth of the events.
    pyarrow().default_memory_pool().release_unused()
    return found


def _without_arrays(result: RunResult) -> RunResult:
    """Return the run with empty arrays in place of those that have files of their own."""
    nothing: NDArray[np.uint64] = np.zeros(0, dtype=np.uint64)
    empty = np.empty(0, dtype=EVENT_DTYPE)
    return replace(
        result,
        events=None if result.events is None else empty,
        trace=None if result.trace is None else empty,
        codes=nothing,
        channels=tuple(
            replace(
                channel,
                measurements=tuple(
                    replace(
                        entry,
                        bins=replace(entry.bins, counts=nothing),
                        zoom=None if entry.zoom is None else replace(entry.zoom, counts=nothing),
                    )
                    for entry in channel.measurements
                ),
            )
            for channel in result.channels
        ),
    )


def _histograms(result: RunResult) -> Iterator[tuple[int, str, str, NDArray[np.uint64]]]:
    for channel in result.channels:
        for entry in channel.measurements:
            yield channel.number, entry.kind.value, stored.LOG, entry.bins.counts
            if entry.zoom is not None:
                yield channel.number, entry.kind.value, stored.ZOOM, entry.zoom.counts


def _histogram_schema() -> Any:
    pa = pyarrow()
    return pa.schema(
        [
            ("channel", pa.uint8()),
            ("kind", pa.string()),
            ("scale", pa.string()),
            ("bins", pa.int32()),
            ("bin", pa.int32()),
            ("count", pa.uint64()),
        ]
    )


def _event_schema() -> Any:
    pa = pyarrow()
    # Times and indices grow. Parquet packs their small differences, but only of signed values.
    types = (pa.int64(), pa.int64(), pa.uint8(), pa.uint8())
    return pa.schema(list(zip(EVENT_DTYPE.names or (), types, strict=True)))


def _write_histograms(path: Path, result: RunResult) -> None:
    columns: dict[str, list[Any]] = {
        name: [] for name in ("channel", "kind", "scale", "bins", "bin", "count")
    }
    for number, kind, scale, counts in _histograms(result):
        filled = np.flatnonzero(counts)
        # Bin -1 stores the number of bins, so that empty histograms have a row too.
        rows = [-1, *filled.tolist()]
        columns["channel"] += [number] * len(rows)
        columns["kind"] += [kind] * len(rows)
        columns["scale"] += [scale] * len(rows)
        columns["bins"] += [len(counts)] * len(rows)
        columns["bin"] += rows
        columns["count"] += [0, *counts[filled].tolist()]
    _write_table(columns, _histogram_schema(), path)


def _with_histograms(result: RunResult, path: Path) -> RunResult:
    known = stored.histograms(result)
    # Each histogram has a row more, of its number of bins.
    most = sum(known.values()) + len(known)
    found: dict[stored.Place, NDArray[np.uint64]] = {}
    for number, kind, scale, bins, place, count in (
        row
        for _, columns in _read_pieces(path, _histogram_schema(), most)
        for row in zip(*(column.to_pylist() for column in columns.values()), strict=True)
    ):
        where: stored.Place = (number, kind, scale)
        if bins != known.get(where) or not -1 <= place < bins:
            raise ValueError(
                f"bin {place} of {bins} of histogram {where}; run.json has no such bin"
            )
        counts = found.setdefault(where, np.zeros(known[where], dtype=np.uint64))
        if place >= 0:
            counts[place] = count
    missing = [where for where in known if where not in found]
    if missing:
        raise ValueError(f"histogram {missing[0]}: missing")

    def filled(number: int, entry: SampleResult) -> SampleResult:
        zoom: Zoom | None = None
        if entry.zoom is not None:
            zoom = Zoom(entry.zoom.first_ticks, found[number, entry.kind.value, stored.ZOOM])
        counts = found[number, entry.kind.value, stored.LOG]
        return replace(entry, bins=Bins(entry.bins.mantissa_bits, counts), zoom=zoom)

    channels = tuple(
        replace(
            channel,
            measurements=tuple(filled(channel.number, entry) for entry in channel.measurements),
        )
        for channel in result.channels
    )
    return replace(result, channels=channels)


def _write_events(path: Path, events: EventArray | None) -> None:
    if events is None:
        return
    columns = {name: events[name] for name in EVENT_DTYPE.names or ()}
    _write_table(columns, _event_schema(), path, ("time_ticks", "index"))


def _read_events(
    path: Path, known: EventArray | None, result: RunResult, most: int
) -> EventArray | None:
    if known is None:
        return None

    def check(piece: EventArray, before: EventArray) -> None:
        stored.check_events(piece, result, before)

    with reading(path):
        return _read_array(path, _event_schema(), EVENT_DTYPE, most, check)


def _code_schema() -> Any:
    pa = pyarrow()
    types = (pa.int64(), pa.int64(), pa.uint16(), pa.uint8(), pa.bool_(), pa.bool_())
    return pa.schema(list(zip(CODE_DTYPE.names or (), types, strict=True)))


def _has_codes(result: RunResult) -> bool:
    codes = result.settings.codes
    return codes is not None and codes.port is not None


def _write_codes(path: Path, result: RunResult) -> None:
    if not _has_codes(result):
        return
    columns = {name: result.codes[name] for name in CODE_DTYPE.names or ()}
    _write_table(columns, _code_schema(), path, ("time_ticks", "index"))


def _read_codes(path: Path, result: RunResult) -> CodeArray:
    if not _has_codes(result):
        return np.empty(0, CODE_DTYPE)
    with reading(path):

        def check(piece: CodeArray, before: CodeArray) -> None:
            del before
            stored.check_codes(piece, result)

        return _read_array(path, _code_schema(), CODE_DTYPE, result.accounting.received, check)


def _write_table(
    columns: Mapping[str, Sequence[Any] | NDArray[Any]],
    schema: Any,
    path: Path,
    differences: tuple[str, ...] = (),
) -> None:
    arrays = [array(columns[field.name], field.type) for field in schema]
    table = pyarrow().Table.from_arrays(arrays, schema=schema)
    options: dict[str, Any] = {"compression": "zstd"}
    if differences:
        others = [name for name in schema.names if name not in differences]
        options["use_dictionary"] = others
        options["column_encoding"] = dict.fromkeys(differences, "DELTA_BINARY_PACKED")
    pyarrow("pyarrow.parquet").write_table(table, path, **options)


def _read_array(
    path: Path,
    schema: Any,
    kind: np.dtype[np.void],
    most: int,
    check: Callable[[NDArray[np.void], NDArray[np.void]], None],
) -> NDArray[np.void]:
    """Return a file's rows, read into their place piece by piece; at most so many may be there.

    `check` gets each piece and the row before it, if there is one.
    """
    found: NDArray[np.void] | None = None
    place = 0
    for rows, columns in _read_pieces(path, schema, most):
        if found is None:
            found = np.empty(rows, dtype=kind)
        size = len(columns["index"])
        if place + size > rows:
            raise ValueError(f"more rows than the {rows} that it says it has")
        piece = found[place : place + size]
        for name, column in columns.items():
            piece[name] = values(column)
        check(piece, found[max(place - 1, 0) : place])
        place += size
    return np.empty(0, dtype=kind) if found is None else found[:place]


def _read_pieces(path: Path, schema: Any, most: int) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the number of a file's rows, and its columns, piece by piece.

    The columns must be those of the schema, without nulls. More rows than `most` are not read.
    """
    arrow_error: type[Exception] = pyarrow().ArrowException
    try:
        with pyarrow("pyarrow.parquet").ParquetFile(path) as file:
            if not file.schema_arrow.equals(schema):
                names = file.schema_arrow.names
                raise ValueError(f"columns {names}; must be {schema.names}, of their types")
            rows = int(file.metadata.num_rows)
            if rows > most:
                raise ValueError(f"{counted(rows, 'row')}; run.json has at most {most}")
            for batch in file.iter_batches(_PIECE, use_threads=False):
                if any(column.null_count for column in batch.columns):
                    raise ValueError("a missing value")
                yield rows, dict(zip(schema.names, batch.columns, strict=True))
    except arrow_error as error:
        raise ValueError(str(error)) from error
