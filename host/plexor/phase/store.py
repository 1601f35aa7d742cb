"""Loads stored phase scans, and rejects those that contradict themselves."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from plexor.documents import Document
from plexor.phase.model import PhaseBin, PhaseResult, PhaseScan, Window
from plexor.phase.windows import MOST_PHASES

FILE = "phase.json"
MOST_TICKS = 1 << 62


def load(folder: Path) -> PhaseResult:
    """Return the scan in a folder. Raises StoreError if there is no valid one."""
    return PHASE.read(folder / FILE)


def contradictions_of(result: PhaseResult) -> Iterator[str]:
    """Yield each contradiction in a scan, and what would be right."""
    if not 0 < result.tick_fs < MOST_TICKS:
        yield f"tick_fs: {result.tick_fs}; must be above 0"
    if not 0 < result.rate_hz < MOST_TICKS or not 0 < result.asked_rate_hz < MOST_TICKS:
        yield f"rates of {result.rate_hz} and {result.asked_rate_hz} Hz; must be above 0"
    if not result.scans:
        yield "no scans; must be one for each channel"
    for scan in result.scans:
        yield from (f"{scan.channel!r}: {text}" for text in _of_scan(scan))


def _of_scan(scan: PhaseScan) -> Iterator[str]:
    span, step = scan.span_ticks, scan.step_ticks
    if not 0 < span < MOST_TICKS or not 1 <= step < MOST_TICKS:
        yield f"steps of {step} ticks up to {span}; must be 1 or more"
        return
    if not 2 <= len(scan.bins) <= MOST_PHASES or len(scan.bins) != math.ceil(span / step):
        yield f"{len(scan.bins)} steps; must be {math.ceil(span / step)}"
    if any(entry.phase_ticks != n * step for n, entry in enumerate(scan.bins)):
        yield f"steps that are not {step} ticks apart"
    if scan.strikes != sum(entry.strikes for entry in scan.bins):
        yield f"{scan.strikes} strikes; must be the sum of its steps"
    if (scan.base_ticks is None) != all(entry.max_ticks is None for entry in scan.bins):
        yield (
            f"base_ticks: {scan.base_ticks}; must be present if, and only if, a strike was answered"
        )
    reference = scan.reference
    period = reference.period_ticks
    if (
        not 0 <= reference.least_ticks <= reference.most_ticks < MOST_TICKS
        or (period is not None and not 0 < period < MOST_TICKS)
        or not 0 <= reference.edges < MOST_TICKS
    ):
        yield f"reference: {reference.least_ticks} to {reference.most_ticks} ticks; must rise"
    counts = (scan.threshold_ticks, scan.spread_ticks, scan.stray_strikes, scan.base_ticks or 0)
    wrong = [count for count in counts if not 0 <= count < MOST_TICKS]
    wrong += [count for count in scan.left_out.values() if count < 0]
    if wrong:
        yield f"a count of {wrong[0]}; must be 0 or more, and below {MOST_TICKS}"
    for entry in scan.bins:
        yield from _of_bin(entry)
    for window in (*scan.windows, *(() if scan.suspect is None else (scan.suspect,))):
        yield from _of_window(window, span)


def _of_bin(entry: PhaseBin) -> Iterator[str]:
    where = f"step at {entry.phase_ticks} ticks"
    if not 0 <= entry.missed <= entry.masked <= entry.strikes < MOST_TICKS:
        yield f"{where}: {entry.missed} missed, {entry.masked} masked of {entry.strikes} strikes"
    found = (entry.min_ticks, entry.median_ticks, entry.max_ticks)
    known = [ticks for ticks in found if ticks is not None]
    if len(known) not in (0, 3) or bool(known) != (entry.strikes > entry.missed):
        yield f"{where}: latencies {found} of {entry.strikes - entry.missed} answers"
    if known and not 0 <= min(known) <= max(known) < MOST_TICKS:
        yield f"{where}: latencies {found}; must be 0 or more"
    if any(before > after for before, after in pairwise(known)):
        yield f"{where}: latencies {found}; must rise"


def _of_window(window: Window, span: int) -> Iterator[str]:
    where = f"window at {window.start_ticks} ticks"
    if not 0 <= window.start_ticks < span or not 0 <= window.width_ticks <= 2 * span:
        yield f"{where}: up to {window.end_ticks}; must rise, from below {span}"
    if min(window.start_error_ticks, window.end_error_ticks) < 0:
        yield f"{where}: errors below 0"
    if not 0 <= window.missed <= window.masked <= window.strikes < MOST_TICKS:
        yield f"{where}: {window.missed} missed, {window.masked} masked of {window.strikes} strikes"
    if not 0 <= window.chance <= 1 or window.empty_phases < 0:
        yield f"{where}: a chance of {window.chance}; must be 0 to 1"
    times = (window.delay_ticks or 0, window.waits_until_ticks or 0)
    if max(map(abs, times)) >= MOST_TICKS:
        yield f"{where}: times of {times} ticks; must be below {MOST_TICKS}"


PHASE = Document("phase", 2, PhaseResult, contradictions_of, oldest=2)
