# SPDX-License-Identifier: Apache-2.0
"""A burst scan on the terminal, and in words for the picture."""

from __future__ import annotations

from plexor.base.figure_words import MAX_SEEN, source_word
from plexor.base.units import format_seconds, format_ticks
from plexor.experiments.burst.model import BurstResult, Lengths, SpacingLimit
from plexor.model.load import load_texts
from plexor.show import facts
from plexor.show.pictures.scale import grouped
from plexor.show.table import NOTHING, Cell
from plexor.show.terminal.columns import LEAST_WIDTH, Paint, table, wrapped
from plexor.show.terminal.sweep import DETERMINISTIC


def burst_text(result: BurstResult, *, width: int, colour: bool) -> str:
    """Return all of it as lines of at most `width` columns (40 at least), each ended."""
    width, paint = max(width, LEAST_WIDTH), Paint(colour)
    name = facts.device_name(result.device)
    lines = list(wrapped(name, width, paint, "bold")) if name else []
    lines += wrapped(summary(result), width, paint, "alarm" if result.simulated else "muted")
    heads, rows = limit_rows(result)
    lines += ["", *table(heads, rows, width, paint)]
    for note in notes(result):
        lines += wrapped(note, width, paint, "doubt")
    return paint.done(lines)


def summary(result: BurstResult) -> str:
    """Return what was done to the device."""
    parts = [
        f"bursts every {format_seconds(result.period_s)}",
        f"time-out {format_seconds(result.timeout_s)}",
        f"{result.criterion}, and below half a strike per burst",
        *load_texts(result.device_load, result.load, result.load_name),
        source_word(result.simulated),
    ]
    return " · ".join(parts + (["interrupted"] if result.interrupted else []))


def limit_rows(result: BurstResult) -> tuple[list[str], list[list[Cell]]]:
    """Return the heads and a row for each spacing and channel."""
    heads = ["channel", "spacing", "survives", "fails", "why", MAX_SEEN, "strikes"]
    return heads, [_row(entry, result.tick_fs) for entry in result.limits]


def _row(entry: SpacingLimit, tick_fs: int) -> list[Cell]:
    lengths = entry.lengths
    failing = NOTHING if lengths.failing is None else grouped(lengths.failing)
    latency = NOTHING if entry.max_ticks is None else format_ticks(entry.max_ticks, tick_fs)
    return [
        (entry.channel, ""),
        (format_seconds(entry.spacing_s), ""),
        (grouped(lengths.passing) if lengths.passing else NOTHING, ""),
        (failing, "undecided" if lengths.failing in lengths.undecided else ""),
        (entry.reason or NOTHING, ""),
        (latency, ""),
        (grouped(entry.strikes), ""),
    ]


def lengths_text(lengths: Lengths) -> str:
    """Return the longest burst that is survived: `13`, `≥ 64` where no longer one was tried."""
    if not lengths.passing:
        return "none"
    return f"{'≥ ' if lengths.failing is None else ''}{grouped(lengths.passing)}"


def notes(result: BurstResult) -> list[str]:
    """Return what a reader of the limits must know."""
    found: list[str] = []
    for entry in result.limits:
        where = f"{entry.channel}, {format_seconds(entry.spacing_s)}"
        if entry.lengths.failing is None:
            found.append(f"{where}: survives bursts of {entry.most}, the longest tried")
        if entry.lengths.failing == 1:
            found.append(f"{where}: loses single strikes a period apart")
        if entry.shifted:
            found.append(
                f"{where}: latency not known, because some strikes of the bursts that it survives "
                "are missed"
            )
    if result.drawn is False:
        found.append(DETERMINISTIC)
    return found
