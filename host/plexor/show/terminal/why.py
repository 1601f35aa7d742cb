# SPDX-License-Identifier: Apache-2.0
"""The late answers of a run on the terminal: clusters and how they recur."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from plexor.base.counts import counted
from plexor.base.figure_words import MAX_SEEN
from plexor.base.units import format_tick_range, format_ticks
from plexor.figures.codes.names import Names, code_phrase
from plexor.figures.explain.blame import NOT_KNOWN, Chain
from plexor.figures.explain.recurrence import Law, Recurrence
from plexor.figures.explain.why import Explained, RecurringCluster
from plexor.model.results import RunResult
from plexor.protocol.codes import split_code
from plexor.show import facts
from plexor.show.pictures.frame import provenance
from plexor.show.pictures.scale import grouped
from plexor.show.table import Cell
from plexor.show.terminal.columns import LEAST_WIDTH, Paint, table, wrapped

_LEAST_DIGITS, _MOST_DIGITS = 4, 6
HEADS = ["cluster", "latency", "answers", "share", "recurrence"]
"""Of the rows of clusters."""


Says = Callable[[int], str]
"""Returns what a code says."""


def code_text(names: Names, bits: int, code: int) -> str:
    """Return what a code of `bits` bits says, or that it is not known."""
    return "not known" if code == NOT_KNOWN else code_phrase(names, *split_code(code, bits))


def why_text(
    result: RunResult,
    channels: Sequence[Explained],
    says: Says,
    *,
    width: int,
    colour: bool,
) -> str:
    """Return it as lines of at most `width` columns (40 at least), each ended."""
    width, paint = max(width, LEAST_WIDTH), Paint(colour)
    name = facts.device_name(result.device) or "Late answers"
    lines = list(wrapped(name, width, paint, "bold"))
    lines += wrapped(provenance(result), width, paint, "alarm" if result.simulated else "muted")
    for reason in result.invalid_reasons:
        lines += wrapped(f"INVALID RUN: {reason}", width, paint, "bad")
    for entry in channels:
        lines += ["", *wrapped(f"{entry.name}: {summary(entry, result.tick_fs)}", width, paint, "")]
        rows = list(cluster_rows(entry, result.tick_fs))
        if rows:
            lines += table(HEADS, rows, width, paint)
        if entry.blamed:
            heads, rows = blame_rows(entry, says, result.tick_fs)
            lines += ["", *table(heads, rows, width, paint)]
        for chain in entry.chains:
            line = chain_text(chain, says, result.start_ticks, result.tick_fs)
            lines += ["", *wrapped(line, width, paint, "")]
    if not channels:
        lines += ["", *wrapped("No channel answers strikes.", width, paint, "doubt")]
    return paint.done(lines)


def summary(entry: Explained, tick_fs: int) -> str:
    """Return how many answers of a channel are usual, and how many are late."""
    if entry.tail is None:
        return f"not known, because {entry.missing}"
    late = entry.tail.count - entry.tail.usual
    parts = [counted(entry.tail.count, "answer")]
    if entry.tail.usual_ticks is not None:
        low, high = format_tick_range(*entry.tail.usual_ticks, tick_fs)
        parts.append(f"{grouped(entry.tail.usual)} usual, from {low} to {high}")
    parts.append(f"{grouped(late)} late" if late else "none stands apart")
    return "; ".join(parts)


def blame_rows(entry: Explained, says: Says, tick_fs: int) -> tuple[list[str], list[list[Cell]]]:
    """Return latencies by what the device did when it was struck, the latest first."""
    heads = ["when struck", "answers", "late", "min", "mean", MAX_SEEN]
    rows: list[list[Cell]] = [
        [
            (says(each.code), ""),
            (grouped(each.answers), ""),
            ("?" if each.late is None else grouped(each.late), ""),
            (format_ticks(each.min_ticks, tick_fs), ""),
            (format_ticks(each.sum_ticks / each.answers, tick_fs), ""),
            (format_ticks(each.max_ticks, tick_fs), ""),
        ]
        for each in entry.blamed
    ]
    return heads, rows


def chain_text(chain: Chain, says: Says, start_ticks: int, tick_fs: int) -> str:
    """Return a late answer from strike to response, with the share of each part."""
    parts = [
        f"{'strike' if link.code is None else says(link.code)} "
        f"{format_ticks(link.ticks, tick_fs)} ({link.ticks / max(chain.latency_ticks, 1):.0%})"
        for link in chain.links
    ]
    at = format_ticks(chain.strike_ticks - start_ticks, tick_fs, 6)
    whole = format_ticks(chain.latency_ticks, tick_fs)
    return f"{whole} after the strike at {at}: {says(chain.code)}; " + " → ".join(parts)


def cluster_rows(entry: Explained, tick_fs: int) -> Iterator[list[Cell]]:
    """Yield a row for each cluster of late answers: how late, how many, how they recur."""
    assert entry.tail is not None or not entry.groups
    for number, group in enumerate(entry.groups, 1):
        assert entry.tail is not None
        yield [
            (str(number), ""),
            (_span(group, tick_fs), ""),
            (grouped(group.cluster.count), ""),
            (f"{group.cluster.count / entry.tail.count:.2%}", ""),
            (recurrence_text(group.recurrence, tick_fs), ""),
        ]


def _span(group: RecurringCluster, tick_fs: int) -> str:
    low, high = format_tick_range(group.cluster.low_ticks, group.cluster.high_ticks, tick_fs)
    return low if low == high else f"{low} to {high}"


def recurrence_text(found: Recurrence, tick_fs: int) -> str:
    """Return how answers recur, in words."""
    if found.period_ticks is None:
        return "irregular" if found.law == Law.IRREGULAR else "too few to tell"
    period = format_ticks(found.period_ticks, tick_fs, _digits(found))
    if found.law == Law.PERIOD:
        return f"at a period of {period}"
    if found.every == 1:
        return f"all answers ({period})"
    each = f"each {found.every} answers{', exactly' if found.exact else ', with gaps'}"
    if found.law == Law.COUNT:
        return f"{each} ({period})"
    dither = "--dither" if found.evenly_struck else "a wider --dither"
    return f"{each}, or each {period}: these strikes cannot tell; {dither} would"


def _digits(found: Recurrence) -> int:
    """Return the digits of a period that its error leaves, four at least."""
    if found.period_ticks is None or not found.error_ticks:
        return _LEAST_DIGITS
    known = math.floor(math.log10(found.period_ticks / found.error_ticks)) + 1
    return min(max(known, _LEAST_DIGITS), _MOST_DIGITS)
