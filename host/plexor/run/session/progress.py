# SPDX-License-Identifier: Apache-2.0
"""Progress of a run."""

from __future__ import annotations

from dataclasses import dataclass

from plexor.protocol.registers import RunState


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come. Expected values are None if the run does not end by them."""

    strikes: int
    expected_strikes: int | None
    elapsed_s: float
    """Time since the start, by the instrument's clock."""
    expected_s: float | None
    wall_s: float
    remaining_wall_s: float | None
    events_received: int
    dropped: int
    frames_lost: int
    decode_faults: int
    state: RunState
    start_ticks: int | None = None
    """The run's start by the instrument's clock; None before it."""

    @property
    def rate_hz(self) -> float:
        """Strikes per second of the instrument's time."""
        return self.strikes / self.elapsed_s if self.elapsed_s > 0 else 0.0

    @property
    def fraction(self) -> float | None:
        """The completed part of the run, 0 to 1; None if its end is not known."""
        parts: list[float] = []
        if self.expected_strikes:
            parts.append(self.strikes / self.expected_strikes)
        if self.expected_s:
            parts.append(self.elapsed_s / self.expected_s)
        return min(max(parts), 1.0) if parts else None
