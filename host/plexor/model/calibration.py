# SPDX-License-Identifier: Apache-2.0
"""Calibrations, in whole picoseconds.

A latency between pins is what the flip-flops saw, less the way from a strike's tick over its pad,
and from a channel's pad to the flip-flops. Loopback measures another way: from the strike's pad it
goes back through a multiplexer, and meets the channel's own way at the look-up table only. Its
detour is that it is longer than the way of the pins. A jumper between both pins measures the way of
the pins itself; otherwise place and route says within which bounds the detour is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from plexor.base.constraints import Count, Ge, Le, Word
from plexor.model.numbers import ChannelNumber, OutputNumber, TickFs

Ps = Annotated[int, Ge(-(10**12)), Le(10**12)]
"""A time of less than a second, or of one, in ps."""
ErrorPs = Annotated[int, Ge(0), Le(10**12)]
MOST_PPB = 10**6
FS_PER_PS = 1000
PPB = 10**9
LEAST_EDGES = 1000
"""Edges of each direction on each channel that a calibration needs."""
PPS_HZ = Fraction(1)
LEAST_CLOCK_HZ = Fraction(10**6)
"""Lowest rate of a reference that is no 1 PPS."""
SIGMAS = 4
"""Standard errors that a stated error allows for each sampling instant."""
UNKNOWN_PS = (-4000, 13_000)
"""Detours of a board of which place and route is not known.

All that were computed of ECP5 and iCE40 lie within, over the vendors' corners.
"""
SIMULATED_PS = (-5000, 5000)
"""Detours of a simulation: none, give or take 5 ns."""


@dataclass(frozen=True, slots=True)
class Instants:
    """When the flip-flops of one channel sample, for edges of one direction.

    `late_ps[p]` is how much later than tick k sample k is taken, where p = k mod phases. The mean
    over all phases is subtracted, because no asynchronous source can tell it. An edge whose event
    has tick k came between the instants of samples k - 1 and k: this is the bin of phase p.
    """

    late_ps: tuple[Ps, ...]
    error_ps: tuple[ErrorPs, ...]
    """Standard error of each value in `late_ps`."""
    edges: Count
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

    number: ChannelNumber
    rise: Instants
    fall: Instants


@dataclass(frozen=True, slots=True)
class PadDelay:
    """Delay from a strike's tick to the channel's mean sampling instant, looped back at its pad.

    `*_error_ps` is the maximum error of the delay, by every edge seen.
    """

    output: OutputNumber
    channel: ChannelNumber
    rise_ps: Ps
    fall_ps: Ps
    rise_error_ps: ErrorPs
    fall_error_ps: ErrorPs


@dataclass(frozen=True, slots=True)
class PinDelay:
    """Delay from a strike's tick, over its pin and a channel's, to the mean sampling instant.

    `*_error_ps` is the maximum error of the delay, that of a jumper's length included.
    """

    output: OutputNumber
    channel: ChannelNumber
    rise_ps: Ps
    fall_ps: Ps
    rise_error_ps: ErrorPs
    fall_error_ps: ErrorPs
    made: str = ""
    """When a jumper measured it, ISO 8601 in UTC; empty: loopback, less its detour."""


@dataclass(frozen=True, slots=True)
class Detour:
    """By how much a loop is longer than the way of the pins, by place and route, in ps."""

    output: OutputNumber
    channel: ChannelNumber
    least_ps: Ps
    greatest_ps: Ps


@dataclass(frozen=True, slots=True)
class Scale:
    """By how much the board's oscillator is fast, measured with a reference."""

    fast_ppb: Annotated[int, Ge(-MOST_PPB), Le(MOST_PPB)]
    """Parts in 10^9 by which the instrument counts too many ticks; negative: too few."""
    error_ppb: Annotated[int, Ge(0), Le(MOST_PPB)]
    """Maximum error of `fast_ppb`, the oscillator's drift by a few kelvin included."""
    reference: str
    """What it was measured with: `1 PPS on ch7`."""
    made: str
    """When it was measured, ISO 8601 in UTC."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Calibration of one instrument, identified by serial, gateware hash and build."""

    serial: str
    gateware_hash: Word
    board: str
    simulated: bool
    tick_fs: TickFs
    made: str
    """Time of the calibration, ISO 8601 in UTC."""
    source_fs: Annotated[int, Ge(0)]
    """Mean period of the asynchronous source, by the instrument's clock."""
    channels: tuple[ChannelInstants, ...]
    delays: tuple[PadDelay, ...]
    build_id: Word = 0
    """Build of the gateware; 0 if the instrument does not know it."""
    jumpers: tuple[PinDelay, ...] = ()
    """Delays over pins that jumpers measured."""
    detours: tuple[Detour, ...] = ()
    """What place and route says of this build's loops; empty if it is not known."""
    scale: Scale | None = None
    """The oscillator's error; None if it was not measured."""

    @property
    def placement(self) -> int:
        """The number that the calibration is stored under; see Identity.placement."""
        return self.build_id or self.gateware_hash

    def channel(self, number: int) -> ChannelInstants | None:
        """Return the instants of a channel; None if it was not calibrated."""
        return next((instants for instants in self.channels if instants.number == number), None)

    def delay(self, output: int, channel: int) -> PadDelay | None:
        """Return the delay between an output and a channel; None if it was not measured."""
        return next(
            (e for e in self.delays if (e.output, e.channel) == (output, channel)),
            None,
        )

    def pins(self, output: int, channel: int) -> PinDelay | None:
        """Return the delay over an output's pin and a channel's; None if it was not measured.

        It is that of a jumper, or else that of the loop, less its detour.
        """
        for jumper in self.jumpers:
            if (jumper.output, jumper.channel) == (output, channel):
                return jumper
        loop = self.delay(output, channel)
        if loop is None:
            return None
        least_ps, greatest_ps = self.detour_ps(output, channel)
        detour_ps, off_ps = (least_ps + greatest_ps) // 2, (greatest_ps - least_ps + 1) // 2
        return PinDelay(
            output,
            channel,
            loop.rise_ps - detour_ps,
            loop.fall_ps - detour_ps,
            loop.rise_error_ps + off_ps,
            loop.fall_error_ps + off_ps,
        )

    def detour_ps(self, output: int, channel: int) -> tuple[int, int]:
        """Return the bounds of a loop's detour."""
        for detour in self.detours:
            if (detour.output, detour.channel) == (output, channel):
                return detour.least_ps, detour.greatest_ps
        return SIMULATED_PS if self.simulated else UNKNOWN_PS
