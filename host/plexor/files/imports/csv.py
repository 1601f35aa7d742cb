# SPDX-License-Identifier: Apache-2.0
"""Reads tables of logic analysers and oscilloscopes: CSV with levels, words or volts.

Known to be read: Saleae Logic 1 and 2, DSView, PulseView and sigrok-cli, Rigol, Siglent, Keysight,
Tektronix, PicoScope, LeCroy, Rohde & Schwarz, OWON, WaveForms, the Power Profiler Kit, the logic
analysers in FPGAs of AMD and Altera, and simulators of circuits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from plexor.base.errors import UsageError
from plexor.files.imports.capture import Capture, CaptureFile, ReadRules, SignalBit
from plexor.files.imports.csv_axis import axis_of
from plexor.files.imports.csv_columns import columns_of, levels_of
from plexor.files.imports.csv_table import table_of
from plexor.files.imports.edges import SignalEdges
from plexor.files.imports.windows import edges_in_windows, in_windows

_OWN = re.compile(r"^# program: Plexor ", re.MULTILINE)
"""What stands above the events that `plexor show` writes."""


def open_csv(path: Path, rules: ReadRules) -> CaptureFile:
    """Return a table with its columns as signals.

    Raises UsageError with the path for a file without such a table, and without times or a rate.
    """
    table = table_of(path)
    if _OWN.search(table.above):
        raise UsageError(
            f"{path}: holds the events of a run, not levels; plexor show RUN --to FILE.vcd writes "
            "those"
        )
    axis = axis_of(path, table, rules)

    starts = [int(axis.times[row]) for row in axis.starts]

    def read(chosen: Sequence[SignalBit]) -> Capture:
        edges: dict[str, SignalEdges] = {}
        notes: list[str] = []
        for signal in chosen:
            levels, note = levels_of(table, signal, rules)
            edges[signal.name] = edges_in_windows(axis.times, levels, starts, rules.unknown)
            notes += [note] if note else []
        capture = Capture(
            format="CSV",
            unit_fs=axis.unit_fs,
            sampled=axis.sampled,
            start=int(axis.times[0]),
            end=int(axis.times[-1]) + axis.sampled,
            edges=edges,
            notes=(*notes, *axis.notes),
        )
        return in_windows(capture, starts)

    return CaptureFile(path, "CSV", columns_of(table, axis.columns), read)
