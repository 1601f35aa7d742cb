"""What a run that is under way tells of itself."""

from __future__ import annotations

from dataclasses import dataclass

from plexor.protocol.registers import RunState


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is. Expected figures are None where the run has no such end."""

    strikes: int
    expected_strikes: int | None
    elapsed_s: float
    """Of the instrument's time."""
    expected_s: float | None
    wall_s: float
    remaining_wall_s: float | None
    events_received: int
    dropped: int
    frames_lost: int
    decode_faults: int
    state: RunState

    @property
    def rate_hz(self) -> float:
        """Strikes a second of the instrument's time."""
        return self.strikes / self.elapsed_s if self.elapsed_s > 0 else 0.0

    @property
    def fraction(self) -> float | None:
        """The part of the run that is done, 0 to 1."""
        parts: list[float] = []
        if self.expected_strikes:
            parts.append(self.strikes / self.expected_strikes)
        if self.expected_s:
            parts.append(self.elapsed_s / self.expected_s)
        return min(max(parts), 1.0) if parts else None
