"""A run on disk: a folder that has everything the run was taken with, written whole or not at all.

run.json has all but the arrays; histograms.parquet the bins that are not empty; events.parquet and
trace.parquet the events, where there are any; wire.bin the raw bytes, on request.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import tempfile
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from plexor.errors import StoreError
from plexor.jsonable import from_json, to_json
from plexor.results import EVENT_DTYPE, Bins, EventArray, Measurement, RunResult, Zoom

FORMAT = 1
"""Of the folder; a greater one is not read."""
RUN_FILE = "run.json"
HISTOGRAMS_FILE = "histograms.parquet"
EVENTS_FILE = "events.parquet"
TRACE_FILE = "trace.parquet"
WIRE_FILE = "wire.bin"

_LOG, _ZOOM = "log", "zoom"


def save(result: RunResult, folder: Path, wire: Path | None = None) -> Path:
    """Write a run to `folder`, which must not exist or be empty; return it.

    `wire` is a file of raw bytes that is moved in. The folder appears when it is whole. Raises
    StoreError, with the path, where it cannot be written.
    """
    with _errors_of(folder, "write"):
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise StoreError(f"{folder}: is there already; name a folder that is not")
        folder.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            _write_events(work / EVENTS_FILE, result.events)
            _write_events(work / TRACE_FILE, result.trace)
            _write_histograms(work / HISTOGRAMS_FILE, result)
            text = json.dumps(
                {"format": FORMAT, "run": to_json(_without_arrays(result))},
                indent=1,
                ensure_ascii=False,
            )
            (work / RUN_FILE).write_text(text + "\n", encoding="utf-8")
            if wire is not None:
                shutil.move(wire, work / WIRE_FILE)
            if folder.exists():
                folder.rmdir()
            work.chmod(0o777 & ~_umask())
            work.rename(folder)
        except BaseException:
            if wire is not None and not wire.exists() and (work / WIRE_FILE).exists():
                shutil.move(work / WIRE_FILE, wire)
            shutil.rmtree(work, ignore_errors=True)
            raise
    return folder


def load(folder: Path) -> RunResult:
    """Return the run in `folder`, equal to the one stored.

    Raises StoreError, with the path, for a folder that has none or one that cannot be read.
    """
    path = folder / RUN_FILE
    with _errors_of(path, "read"):
        document = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(document, dict):
            raise ValueError("not a run")
        entries = cast("dict[str, Any]", document)
        if entries.get("format") != FORMAT:
            raise ValueError(f"format {entries.get('format')!r}; this host reads {FORMAT}")
        result = from_json(RunResult, entries["run"])
    with _errors_of(folder / HISTOGRAMS_FILE, "read"):
        result = _with_histograms(result, folder / HISTOGRAMS_FILE)
    return replace(
        result,
        events=_read_events(folder / EVENTS_FILE, result.events),
        trace=_read_events(folder / TRACE_FILE, result.trace),
    )


@contextmanager
def _errors_of(path: Path, verb: str) -> Generator[None]:
    """Turn what can go wrong with a file into one clear error."""
    try:
        yield
    except StoreError:
        raise
    except OSError as error:
        raise StoreError(f"{path}: cannot {verb}: {error.strerror or error}") from error
    except (
        *(ValueError, KeyError, TypeError, AttributeError, IndexError),
        *(OverflowError, RecursionError),
    ) as error:
        text = " ".join(str(error).split())[:200]
        raise StoreError(f"{path}: cannot {verb}: {type(error).__name__}: {text}") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _without_arrays(result: RunResult) -> RunResult:
    """Return the run with empty arrays in place of those that go to files of their own."""
    nothing: NDArray[np.uint64] = np.zeros(0, dtype=np.uint64)
    empty = np.empty(0, dtype=EVENT_DTYPE)
    return replace(
        result,
        events=None if result.events is None else empty,
        trace=None if result.trace is None else empty,
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
            yield channel.number, str(entry.kind), _LOG, entry.bins.counts
            if entry.zoom is not None:
                yield channel.number, str(entry.kind), _ZOOM, entry.zoom.counts


def _write_histograms(path: Path, result: RunResult) -> None:
    pa = _pyarrow()
    columns: dict[str, list[Any]] = {
        name: [] for name in ("channel", "kind", "scale", "bins", "bin", "count")
    }
    for number, kind, scale, counts in _histograms(result):
        filled = np.flatnonzero(counts)
        # Bin -1 keeps how many bins there are where all are empty.
        rows = [-1, *filled.tolist()]
        columns["channel"] += [number] * len(rows)
        columns["kind"] += [kind] * len(rows)
        columns["scale"] += [scale] * len(rows)
        columns["bins"] += [len(counts)] * len(rows)
        columns["bin"] += rows
        columns["count"] += [0, *counts[filled].tolist()]
    schema = pa.schema(
        [
            ("channel", pa.uint8()),
            ("kind", pa.string()),
            ("scale", pa.string()),
            ("bins", pa.int32()),
            ("bin", pa.int32()),
            ("count", pa.uint64()),
        ]
    )
    _write_table(pa.table(columns, schema=schema), path)


def _with_histograms(result: RunResult, path: Path) -> RunResult:
    columns = _read_table(path)
    found: dict[tuple[int, str, str], NDArray[np.uint64]] = {}
    names = ("channel", "kind", "scale", "bins", "bin", "count")
    for number, kind, scale, bins, place, count in zip(
        *(columns[name].to_pylist() for name in names), strict=True
    ):
        if (number, kind, scale) not in found:
            found[number, kind, scale] = np.zeros(int(bins), dtype=np.uint64)
        counts = found[number, kind, scale]
        if place >= 0:
            counts[place] = count

    def filled(number: int, entry: Measurement) -> Measurement:
        zoom: Zoom | None = None
        if entry.zoom is not None:
            zoom = Zoom(entry.zoom.first_ticks, found[number, str(entry.kind), _ZOOM])
        counts = found[number, str(entry.kind), _LOG]
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
    columns = {name: np.ascontiguousarray(events[name]) for name in EVENT_DTYPE.names or ()}
    # Times and indices grow: their differences are small, and Parquet packs those of signed values.
    for name in ("time_ticks", "index"):
        columns[name] = columns[name].view(np.int64)
    _write_table(_pyarrow().table(columns), path, ("time_ticks", "index"))


def _read_events(path: Path, stored: EventArray | None) -> EventArray | None:
    if stored is None:
        return None
    with _errors_of(path, "read"):
        columns = _read_table(path)
        events = np.empty(len(columns["index"]), dtype=EVENT_DTYPE)
        for name in EVENT_DTYPE.names or ():
            events[name] = columns[name].to_numpy().astype(EVENT_DTYPE[name], copy=False)
    return events


def _pyarrow(name: str = "pyarrow") -> Any:
    # It takes a fifth of a second to import: only what stores a run pays. It has no types.
    return importlib.import_module(name)


def _write_table(table: Any, path: Path, differences: tuple[str, ...] = ()) -> None:
    options: dict[str, Any] = {"compression": "zstd"}
    if differences:
        options["use_dictionary"] = ["source", "polarity"]
        options["column_encoding"] = dict.fromkeys(differences, "DELTA_BINARY_PACKED")
    _pyarrow("pyarrow.parquet").write_table(table, path, **options)


def _read_table(path: Path) -> Mapping[str, Any]:
    arrow_error: type[Exception] = _pyarrow().ArrowException
    try:
        table = _pyarrow("pyarrow.parquet").read_table(path)
    except arrow_error as error:
        raise ValueError(str(error)) from error
    return {name: table.column(name) for name in table.column_names}
