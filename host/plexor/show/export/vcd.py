# SPDX-License-Identifier: Apache-2.0
"""Events as waveforms: a value change dump, IEEE Std 1364-2005, section 18."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from plexor.files.imports.exported import SCOPE
from plexor.show.export.about import about, line_of
from plexor.show.export.source import CHUNK, ExportSource, distinct
from plexor.show.export.target import needed

_UNITS = ("s", "ms", "us", "ns", "ps", "fs")
LEAD_TICKS = 1
"""Ticks before the run in files of samples and changes: sigrok and FST take no edge at time 0."""


def timescale(tick_fs: int) -> tuple[int, str, int]:
    """Return the greatest unit of VCD that a tick is a multiple of, and how many a tick has.

    For example, a tick of 500 ps is (100, "ps", 5).
    """
    unit_fs = 10**17
    for unit in _UNITS:
        for size in (100, 10, 1):
            if not tick_fs % unit_fs:
                return size, unit, tick_fs // unit_fs
            unit_fs //= 10
    raise ValueError(f"tick_fs: {tick_fs}; must be above 0")


def identifiers(names: list[str]) -> list[str]:
    """Return the names as VCD has them: printable ASCII without spaces, each once."""
    plain = [
        "".join(sign if "!" <= sign <= "~" and sign != "$" else "_" for sign in name) or "_"
        for name in names
    ]
    return distinct([name.replace("\\", "_") for name in plain])


def write_vcd(source: ExportSource, path: Path, name: Path) -> None:
    """Write a wire for each pin; 1 is its active level, and time 0 the tick before the run.

    So an edge in the run's first tick is seen by readers that take what is at time 0 for the level
    before it. Code pins are pins too. Times are exact, and the last one is the end of the run.
    Raises UsageError, with `name`, if the run kept no events.
    """
    events = source.edges(name)
    library = needed("vcd.writer", "pyvcd", name)
    size, unit, factor = timescale(source.result.tick_fs)
    facts = {**about(source), "lead_ticks": str(LEAD_TICKS)}
    texts = [line_of(f"{key}: {text}").replace("$end", "$ end") for key, text in facts.items()]
    texts.append("level: 1 is the active level")
    labels = identifiers([pin.name for pin in source.waves])
    with path.open("w", encoding="ascii") as file:
        writer = library.VCDWriter(
            file,
            (size, unit),
            date=line_of(source.result.started),
            comment="\n".join(texts),
            version="Plexor",
            check_values=False,
        )
        wires: dict[int, Any] = {}
        for pin, label in zip(source.waves, labels, strict=True):
            level = source.level_at_start(pin.source)
            wires[pin.source] = writer.register_var(SCOPE, label, "wire", 1, level)
        writer.flush()
        for first in range(0, len(events), CHUNK):
            piece = events[first : first + CHUNK]
            times = (source.times(piece) + LEAD_TICKS).tolist()
            sources, levels = piece["source"].tolist(), piece["polarity"].tolist()
            for time, number, level in zip(times, sources, levels, strict=True):
                writer.change(wires[number], time * factor, level)
        writer.close((source.duration_ticks + LEAD_TICKS) * factor)
