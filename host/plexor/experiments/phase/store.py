# SPDX-License-Identifier: Apache-2.0
"""The document of a phase scan, and what rejects one that contradicts itself."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from plexor.base.counts import counted
from plexor.base.documents import Document
from plexor.experiments.phase.model import ChannelPhases, MaskedWindow, PhaseBin, PhaseResult
from plexor.experiments.phase.windows import MOST_PHASES


def contradictions_of(result: PhaseResult) -> Iterator[str]:
    """Yield each contradiction in a scan, and what would be right."""
    if not result.scans:
        yield "no scans; must be one for each channel"
    for scan in result.scans:
        yield from (f"{scan.channel!r}: {text}" for text in _of_scan(scan))


def _of_scan(scan: ChannelPhases) -> Iterator[str]:
    span, step = scan.span_ticks, scan.step_ticks
    if not 2 <= len(scan.bins) <= MOST_PHASES or len(scan.bins) != math.ceil(span / step):
        yield f"{counted(len(scan.bins), 'step')}; must be {math.ceil(span / step)}"
    if any(entry.phase_ticks != n * step for n, entry in enumerate(scan.bins)):
        yield f"steps that are not {step} ticks apart"
    if scan.strikes != sum(entry.strikes for entry in scan.bins):
        yield f"{counted(scan.strikes, 'strike')}; must be the sum of its steps"
    if (scan.base_ticks is None) != all(entry.max_ticks is None for entry in scan.bins):
        yield (
            f"base_ticks: {scan.base_ticks}; must be present if, and only if, a strike was answered"
        )
    reference = scan.reference
    if reference.least_ticks > reference.most_ticks:
        yield f"reference: {reference.least_ticks} to {reference.most_ticks} ticks; must rise"
    for entry in scan.bins:
        yield from _of_bin(entry)
    for window in (*scan.windows, *(() if scan.suspect is None else (scan.suspect,))):
        yield from _of_window(window, span)


def _of_bin(entry: PhaseBin) -> Iterator[str]:
    where = f"step at {entry.phase_ticks} ticks"
    if not entry.missed <= entry.masked <= entry.strikes:
        yield (
            f"{where}: {entry.missed} missed, {entry.masked} masked of "
            f"{counted(entry.strikes, 'strike')}"
        )
    found = (entry.min_ticks, entry.median_ticks, entry.max_ticks)
    known = [ticks for ticks in found if ticks is not None]
    if len(known) not in (0, 3) or bool(known) != (entry.strikes > entry.missed):
        yield f"{where}: latencies {found} of {counted(entry.strikes - entry.missed, 'answer')}"
    if any(before > after for before, after in pairwise(known)):
        yield f"{where}: latencies {found}; must rise"


def _of_window(window: MaskedWindow, span: int) -> Iterator[str]:
    where = f"window at {window.start_ticks} ticks"
    if window.start_ticks >= span or not 0 <= window.width_ticks <= 2 * span:
        yield f"{where}: up to {window.end_ticks}; must rise, from below {span}"
    if not window.missed <= window.masked <= window.strikes:
        yield (
            f"{where}: {window.missed} missed, {window.masked} masked of "
            f"{counted(window.strikes, 'strike')}"
        )


PHASE = Document("phase", 2, PhaseResult, contradictions_of, oldest=2)
