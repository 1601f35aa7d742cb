# SPDX-License-Identifier: Apache-2.0
"""The formats of exported files, by the suffix of the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import cast

from plexor.base.errors import UsageError
from plexor.figures.judge.budget import Budget
from plexor.model.results import RunResult
from plexor.show.export.source import ExportSource
from plexor.show.export.target import replacing

Writer = Callable[[ExportSource, Path, Path], None]
"""Writes a run to a path; the second path is the file's name for messages."""


@dataclass(frozen=True, slots=True)
class Format:
    """One format: its use, and the `module:function` in `plexor.show.export` that writes it."""

    meaning: str
    writer: str


FORMATS: Mapping[str, Format] = {
    ".csv": Format("a row for each event, for spreadsheets", "csv:write_csv"),
    ".parquet": Format("the same for pandas, DuckDB or Arrow", "parquet:write_parquet"),
    ".npz": Format("events and histograms as numpy arrays", "npz:write_npz"),
    ".vcd": Format("waveforms, for GTKWave or PulseView", "vcd:write_vcd"),
    ".fst": Format("the same compressed, for GTKWave or Surfer", "fst:write_fst"),
    ".sr": Format("waveforms as samples, for sigrok and its decoders", "sigrok:write_sr"),
    ".pftrace": Format("a trace for ui.perfetto.dev", "perfetto:write_perfetto"),
    ".hlog": Format("histograms as an HdrHistogram log", "hdr:write_hlog"),
    ".om": Format("metrics as OpenMetrics text", "openmetrics:write_openmetrics"),
    ".prom": Format(
        "metrics for node exporter's textfile collector", "openmetrics:write_prometheus"
    ),
    ".md": Format("figures and checks as Markdown", "markdown:write_markdown"),
    ".xml": Format("checks of a budget as JUnit", "junit:write_junit"),
    ".codequality": Format("the same as GitLab's Code Quality report", "quality:write_quality"),
}
ALIASES = {".perfetto-trace": ".pftrace"}


def format_of(path: Path) -> Format:
    """Return the format of a file by its suffix. Raises UsageError for any other suffix."""
    suffix = path.suffix.lower()
    suffix = ALIASES.get(suffix, suffix)
    if suffix not in FORMATS:
        raise UsageError(f"{path}: its suffix must be one of {', '.join(FORMATS)}")
    return FORMATS[suffix]


def export(result: RunResult, paths: Sequence[Path], budget: Budget | None = None) -> None:
    """Write a run to each file in the format of its suffix; each completely or not at all.

    Raises UsageError for a file that the run cannot be written to, StoreError if writing fails.
    """
    formats = [format_of(path) for path in paths]
    source = ExportSource(result, budget)
    for path, file_format in zip(paths, formats, strict=True):
        module, _, function = file_format.writer.partition(":")
        write = cast("Writer", getattr(import_module(f"plexor.show.export.{module}"), function))
        with replacing(path) as unfinished:
            write(source, unfinished, path)
