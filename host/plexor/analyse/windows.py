"""Windows of one-tick bins that a run was asked for, and how many latencies lie in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from plexor.model.results import Kind, RunResult


@dataclass(frozen=True, slots=True)
class Window:
    """A channel's rise latencies that are counted to the tick, both ends of the window included."""

    channel: str
    first_ticks: int
    last_ticks: int
    inside: int
    """Latencies in the window."""
    count: int
    """All latencies of the channel."""

    @property
    def share(self) -> Fraction | None:
        """The part of all latencies that lies in the window; None without any."""
        return Fraction(self.inside, self.count) if self.count else None


def windows(result: RunResult) -> Iterator[Window]:
    """Yield the window of each channel that was given one, where the instrument has it."""
    asked = {channel.number for channel in result.settings.channels if channel.zoom_rise_s}
    for channel in result.channels:
        for entry in channel.measurements:
            if entry.kind != Kind.RISE or entry.zoom is None or channel.number not in asked:
                continue
            counts = entry.zoom.counts.astype(np.int64)
            first = entry.zoom.first_ticks
            last = first + len(counts) - 3
            yield Window(channel.name, first, last, int(counts[1:-1].sum()), int(counts.sum()))
