# SPDX-License-Identifier: Apache-2.0
"""What calibration and self-test observe of an instrument, by events or by histograms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from plexor.model.calibration import ChannelInstants

Ticks = npt.NDArray[np.int64]
Way = tuple[int, int]
"""Channel number, and direction of its pin's edges: 1 for rising, 0 for falling."""
Behind = Mapping[int, Sequence[float | None]]
"""How many ps later than the first each channel sees the source, by direction; None: unknown."""
LOOPED_WIDTH_CLOCKS = 32
"""Width of looped-back strikes, in core clocks."""


@dataclass(frozen=True, slots=True, eq=False)
class FreeEdges:
    """Edges of the asynchronous source."""

    counts: Mapping[Way, Ticks]
    """Edges by phase: one row for each batch of consecutive edges, one column for each phase."""
    period_fs: int
    """Mean period of the source; 0 if no channel sees it."""

    @property
    def edges(self) -> int:
        """Number of edges counted on all channels."""
        return sum(int(counts.sum()) for counts in self.counts.values())


@dataclass(frozen=True, slots=True, eq=False)
class LoopedEdges:
    """A strike output's edges of one direction, as one channel sees them."""

    struck: int
    seen: int
    strikes_ticks: Ticks
    """Times of strikes. Only their phase and the difference to `seen_ticks` have a meaning. The
    strikes seen first and last at each phase are enough."""
    seen_ticks: Ticks
    """When each strike was seen. There are as many as strikes if `struck` equals `seen`."""


@dataclass(frozen=True, slots=True, eq=False)
class Looped:
    """One output's strikes, at each phase of the sampler, as channels see them.

    They come looped back, or through jumpers.
    """

    generated: Mapping[int, int]
    """Edges of both directions, by source, counted before any could be dropped."""
    received: int
    """Number of these edges that the echoes contain."""
    echoes: Mapping[Way, LoopedEdges]
    lost: int = 0
    """Number of edges lost on the link, after several tries."""

    @property
    def complete(self) -> bool:
        """Whether the echoes contain every edge."""
        return bool(self.echoes) and self.received == sum(self.generated.values())


class Observer(Protocol):
    """Observes an instrument. Methods raise LinkError if the end of a run is never seen."""

    def source(self, edges: int) -> FreeEdges:
        """Return the source's edges: `edges` of each direction on each channel that sees them."""
        ...

    def behind(self, channels: Sequence[ChannelInstants]) -> Behind:
        """Return how much later than the first each channel sees the edges of `source`, in ps."""
        ...

    def looped(self, output: int) -> Looped:
        """Return an output's strikes, looped back to every channel."""
        ...

    def wired(self, output: int, channels: Sequence[int]) -> Looped:
        """Return an output's strikes, through jumpers to the pins of channels."""
        ...
