"""What a calibration says, in whole picoseconds."""

from __future__ import annotations

import math
from dataclasses import dataclass

FS_PER_PS = 1000


@dataclass(frozen=True, slots=True)
class Instants:
    """When the flip-flops of one channel sample, for edges of one direction.

    `late_ps[p]` is how much later than tick k a sample k with k mod phases = p is taken, less the
    mean over all phases, which no asynchronous source can tell. An edge whose event is at tick k
    lies between the instants of samples k - 1 and k: that is the bin of phase p.
    """

    late_ps: tuple[int, ...]
    error_ps: tuple[int, ...]
    """Standard error of each of `late_ps`."""
    edges: int
    """From so many."""

    def widths_ps(self, tick_fs: int) -> tuple[float, ...]:
        """Return the width of the bin that each phase ends."""
        late = self.late_ps
        return tuple(
            tick_fs / FS_PER_PS + late[phase] - late[phase - 1] for phase in range(len(late))
        )

    def rms_ps(self, tick_fs: int) -> float:
        """Return the RMS error of an edge that is taken to be in the middle of its bin.

        For an edge that is as likely at any time: sqrt(sum of w**3 / (12 sum of w)) over the bin
        widths w; a bin of width w is hit in proportion to w, and its own error is w**2 / 12.
        """
        widths = self.widths_ps(tick_fs)
        return math.sqrt(sum(width**3 for width in widths) / (12 * sum(widths)))


@dataclass(frozen=True, slots=True)
class ChannelInstants:
    """One channel, for edges of its pin up and down."""

    number: int
    rise: Instants
    fall: Instants


@dataclass(frozen=True, slots=True)
class PadDelay:
    """From the tick of a strike, over its pad and back, to the channel's mean sampling instant.

    `*_error_ps`: by every edge seen, the delay lies at most that far from the figure.
    """

    output: int
    channel: int
    rise_ps: int
    fall_ps: int
    rise_error_ps: int
    fall_error_ps: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """One instrument, known by its serial, the hash of its gateware, and the build of that."""

    serial: str
    gateware_hash: int
    board: str
    simulated: bool
    tick_fs: int
    made: str
    """When, ISO 8601 in UTC."""
    source_fs: int
    """Mean period of the asynchronous source, as the instrument saw it."""
    channels: tuple[ChannelInstants, ...]
    delays: tuple[PadDelay, ...]
    build_id: int = 0
    """0 where the instrument does not know."""

    @property
    def placement(self) -> int:
        """What it is kept by, as Identity.placement."""
        return self.build_id or self.gateware_hash

    def channel(self, number: int) -> ChannelInstants | None:
        """Return a channel, None where it was not calibrated."""
        return next((entry for entry in self.channels if entry.number == number), None)

    def delay(self, output: int, channel: int) -> PadDelay | None:
        """Return the delay of an output and a channel, None where it was not measured."""
        return next(
            (e for e in self.delays if (e.output, e.channel) == (output, channel)),
            None,
        )
