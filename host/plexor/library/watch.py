# SPDX-License-Identifier: Apache-2.0
"""What a person sees of a run that is under way."""

from __future__ import annotations

from plexor.base.counts import counted
from plexor.base.figure_words import MAX_SEEN
from plexor.base.units import format_rate, format_seconds, format_ticks
from plexor.model.results import Kind, SnapshotResult
from plexor.protocol.memory import ResponseClass
from plexor.run.session.actions import Actions
from plexor.run.session.progress import Progress
from plexor.show.terminal.live import live_text

__all__ = ["Actions", "Progress", "SnapshotResult", "live_text", "progress_text", "worst_text"]


def progress_text(progress: Progress) -> str:
    """Return `42 %  4,200 strikes  20 kHz  210 ms of the device's time  3 s left`."""
    share = progress.fraction
    pieces = [counted(progress.strikes, "strike")]
    if progress.expected_strikes:
        pieces[0] = f"{progress.strikes:,} of {counted(progress.expected_strikes, 'strike')}"
    if share is not None:
        pieces.insert(0, f"{share:4.0%}")
    if progress.rate_hz:
        pieces.append(format_rate(progress.rate_hz))
    pieces.append(f"{format_seconds(progress.elapsed_s, 3)} of the device's time")
    if progress.remaining_wall_s is not None:
        pieces.append(f"{progress.remaining_wall_s:.0f} s left")
    lost = progress.dropped + progress.frames_lost
    if lost:
        pieces.append(
            f"{counted(progress.dropped, 'event')} dropped, "
            f"{counted(progress.frames_lost, 'frame')} lost"
        )
    return "  ".join(pieces)


def worst_text(snapshot: SnapshotResult, tick_fs: int) -> str:
    """Return the maximum latency and the missed strikes of all: `max seen 9 µs  missed 0`."""
    maxima = [
        rise.statistics.max_ticks
        for channel in snapshot.channels
        if (rise := channel.measurement(Kind.RISE)) is not None
        and rise.statistics.max_ticks is not None
    ]
    missed = sum(channel.classes[ResponseClass.MISSED] for channel in snapshot.channels)
    most = [f"{MAX_SEEN} {format_ticks(max(maxima), tick_fs)}"] if maxima else []
    return "  ".join([*most, f"missed {missed:,}"])
