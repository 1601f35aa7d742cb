"""What calibration and self-test see of an instrument, whichever way it tells it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from plexor.model.calibration import ChannelInstants

Ticks = npt.NDArray[np.int64]
Way = tuple[int, int]
"""A channel, and a direction of its pin's edges: 1 for up, 0 for down."""
Behind = Mapping[int, Sequence[float | None]]
"""By direction: by how many ps each channel sees the source later than the first; None: unknown."""
LOOPED_WIDTH_CLOCKS = 32
"""Of strikes that are looped back, in core clocks."""


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Edges of the asynchronous source."""

    counts: Mapping[Way, Ticks]
    """How many ended in each phase: a row for each batch, of edges one after the other."""
    period_fs: int
    """Mean period of the source; 0: no channel sees it."""

    @property
    def edges(self) -> int:
        """Edges counted, in all."""
        return sum(int(counts.sum()) for counts in self.counts.values())


@dataclass(frozen=True, slots=True, eq=False)
class Echo:
    """A strike output's edges of one direction, as one channel sees them."""

    struck: int
    seen: int
    strikes_ticks: Ticks
    """Times of strikes, of which only phase and difference to `seen_ticks` mean something. Those
    seen first and last at each phase are enough."""
    seen_ticks: Ticks
    """When each was seen; as many as strikes where `struck` is `seen`."""


@dataclass(frozen=True, slots=True, eq=False)
class Looped:
    """Strikes of one output, at each phase of the sampler, looped back to every channel."""

    generated: Mapping[int, int]
    """Edges by source, both ways, counted before any could be dropped."""
    received: int
    """Of these, those that the echoes are made of."""
    echoes: Mapping[Way, Echo]
    lost: int = 0
    """On the link, in each of several tries."""

    @property
    def complete(self) -> bool:
        """Whether every edge is in the echoes."""
        return bool(self.echoes) and self.received == sum(self.generated.values())


class Observer(Protocol):
    """Who observes. All that takes runs raises LinkError for one whose end was never seen."""

    def source(self, edges: int) -> Source:
        """Return what came of the source: `edges` on each channel each way, if it sees them."""
        ...

    def behind(self, channels: Sequence[ChannelInstants]) -> Behind:
        """Return how much later than the first each channel sees the edges of `source`."""
        ...

    def looped(self, output: int) -> Looped:
        """Return strikes of an output, looped back."""
        ...
