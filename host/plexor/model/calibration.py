"""Calibrations, in whole picoseconds."""

from __future__ import annotations

import math
from dataclasses import dataclass

FS_PER_PS = 1000


@dataclass(frozen=True, slots=True)
class Instants:
    """When the flip-flops of one channel sample, for edges of one direction.

    `late_ps[p]` is how much later than tick k sample k is taken, where p = k mod phases. The mean
    over all phases is subtracted, because no asynchronous source can tell it. An edge whose event
    has tick k came between the instants of samples k - 1 and k: this is the bin of phase p.
    """

    late_ps: tuple[int, ...]
    error_ps: tuple[int, ...]
    """Standard error of each value in `late_ps`."""
    edges: int
    """Number of edges that were used."""

    def widths_ps(self, tick_fs: int) -> tuple[float, ...]:
        """Return the width of each phase's bin, in ps."""
        late = self.late_ps
        return tuple(
            tick_fs / FS_PER_PS + late[phase] - late[phase - 1] for phase in range(len(late))
        )

    def rms_ps(self, tick_fs: int) -> float:
        """Return the RMS error of an edge that is assumed to be in the middle of its bin, in ps.

        For an edge that is equally likely at any time it is sqrt(sum of w**3 / (12 sum of w)) over
        the bin widths w. A bin is hit in proportion to its width; its mean square error is
        w**2 / 12.
        """
        widths = self.widths_ps(tick_fs)
        return math.sqrt(sum(width**3 for width in widths) / (12 * sum(widths)))


@dataclass(frozen=True, slots=True)
class ChannelInstants:
    """One channel, for rising and falling edges of its pin."""

    number: int
    rise: Instants
    fall: Instants


@dataclass(frozen=True, slots=True)
class PadDelay:
    """Delay from a strike's tick, through its pad and back, to the channel's mean sampling instant.

    `*_error_ps` is the maximum error of the delay, by every edge seen.
    """

    output: int
    channel: int
    rise_ps: int
    fall_ps: int
    rise_error_ps: int
    fall_error_ps: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """Calibration of one instrument, identified by serial, gateware hash and build."""

    serial: str
    gateware_hash: int
    board: str
    simulated: bool
    tick_fs: int
    made: str
    """Time of the calibration, ISO 8601 in UTC."""
    source_fs: int
    """Mean period of the asynchronous source, by the instrument's clock."""
    channels: tuple[ChannelInstants, ...]
    delays: tuple[PadDelay, ...]
    build_id: int = 0
    """Build of the gateware; 0 if the instrument does not know it."""

    @property
    def placement(self) -> int:
        """The number that the calibration is stored under; see Identity.placement."""
        return self.build_id or self.gateware_hash

    def channel(self, number: int) -> ChannelInstants | None:
        """Return the instants of a channel; None if it was not calibrated."""
        return next((entry for entry in self.channels if entry.number == number), None)

    def delay(self, output: int, channel: int) -> PadDelay | None:
        """Return the delay between an output and a channel; None if it was not measured."""
        return next(
            (e for e in self.delays if (e.output, e.channel) == (output, channel)),
            None,
        )
