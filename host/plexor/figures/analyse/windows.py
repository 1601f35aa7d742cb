# SPDX-License-Identifier: Apache-2.0
"""Windows of one-tick bins that a run was asked for, and how many values lie in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from plexor.model.results import Kind, RunResult


@dataclass(frozen=True, slots=True)
class Window:
    """A channel's values that are counted to the tick, both ends of the window included."""

    channel: str
    kind: Kind
    first_ticks: int
    last_ticks: int
    inside: int
    """Values in the window."""
    count: int
    """All values of this kind."""

    @property
    def share(self) -> Fraction | None:
        """The share of all values that lies in the window; None without any."""
        return Fraction(self.inside, self.count) if self.count else None


def windows(result: RunResult) -> Iterator[Window]:
    """Yield the windows that each channel was given, where the instrument has them."""
    settings = {
        (channel.number, kind)
        for channel in result.settings.channels
        for kind in Kind
        if getattr(channel, f"zoom_{kind.value}_s")
    }
    for channel in result.channels:
        for measurement in channel.measurements:
            if measurement.zoom is None or (channel.number, measurement.kind) not in settings:
                continue
            counts = measurement.zoom.counts.astype(np.int64)
            first = measurement.zoom.first_ticks
            last = first + len(counts) - 3
            inside = int(counts[1:-1].sum())
            yield Window(channel.name, measurement.kind, first, last, inside, int(counts.sum()))
