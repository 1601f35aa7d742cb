# SPDX-License-Identifier: Apache-2.0
"""The facts of a run in every exported file: its source, its validity and its losses."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from importlib import metadata

from plexor.figures.analyse.analyse import Report
from plexor.figures.analyse.pairing import AMBIGUOUS
from plexor.show import facts
from plexor.show.export.source import ExportSource
from plexor.show.pictures.frame import provenance


def about(source: ExportSource) -> Mapping[str, str]:
    """Return texts by name, in the order of exported files. Each name is one line."""
    result = source.result
    bare = Report(result, (), ())
    reasons = source.invalid_reasons
    books = result.accounting
    texts = {
        "program": f"Plexor {metadata.version('plexor')}",
        "device": facts.device_name(result.device),
        "source": provenance(result),
        "simulated": _yes(result.simulated),
        "valid": "no: " + "; ".join(reasons) if reasons else "yes",
        "pairing": "; ".join(f"{name}: {AMBIGUOUS}" for name in source.unpaired),
        "started": result.started,
        "interrupted": _yes(result.interrupted),
        "stopped_by": result.stop_reason.name.lower(),
        "instrument": facts.instrument(bare),
        "tick_fs": str(result.tick_fs),
        "start_ticks": str(result.start_ticks),
        "duration_ticks": str(source.duration_ticks),
        "accounting": facts.books(books),
        "dropped_on_chip": str(books.dropped_on_chip),
        "lost_on_link": str(books.lost_on_link),
        "computed_on_host": ", ".join(result.computed_on_host),
        "left_out": ", ".join(result.omitted),
        "imported": "; ".join(facts.imported(bare)),
        "clock": facts.clock(bare),
        "ways_over_pads": facts.ways(bare),
    }
    texts |= {f"device.{name}": text for name, text in result.device.items()}
    texts |= {f"version.{name}": text for name, text in result.versions.items()}
    return {" ".join(name.split()): text for name, text in texts.items() if text}


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def started_s(source: ExportSource) -> float | None:
    """Return when the run began, in seconds since the epoch; None if it does not say."""
    try:
        return datetime.fromisoformat(source.result.started).timestamp()
    except (ValueError, OverflowError):
        return None


def line_of(text: str) -> str:
    """Return a text as one line of ASCII, other characters escaped."""
    return " ".join(text.split()).encode("ascii", "backslashreplace").decode("ascii")
