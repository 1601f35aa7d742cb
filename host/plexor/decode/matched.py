"""How a channel is matched, and what its events come to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plexor.model.results import Kind
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Policy

Ticks = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Rules:
    """How one channel is matched; as in the registers."""

    channel_source: int
    reference_source: int
    reference_polarity: int
    policy: Policy
    timeout_ticks: int
    window_min_ticks: int
    early_ticks: int
    deadline_ticks: int
    queue_depth: int


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Values in the order in which they were completed.

    `time_ticks` and `index` are those of the event that completed each: the response, the trailing
    edge, or for an early response the strike. `start_ticks` is the time of the edge each was
    measured from: the strike, by which channels that share it are joined, or the active edge.
    """

    value_ticks: Ticks
    time_ticks: Ticks
    index: Ticks
    start_ticks: Ticks


@dataclass(frozen=True, slots=True, eq=False)
class Matched:
    """What a run's events come to on one channel."""

    samples: dict[Kind, Samples]
    classes: dict[ResponseClass, int]
    outstanding_ticks: Ticks
    """Times of the strikes that are outstanding at the end."""
    active_edges: int

    @property
    def pending(self) -> int:
        """Number of strikes that are outstanding at the end."""
        return len(self.outstanding_ticks)
