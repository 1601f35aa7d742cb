# SPDX-License-Identifier: Apache-2.0
"""An output's strikes as channels see them over wires at the pins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from plexor.base.counts import counted
from plexor.base.errors import InstrumentError
from plexor.experiments.calibration.loopback import bounds, middles_ps
from plexor.experiments.calibration.observation import LoopedEdges, Way
from plexor.experiments.calibration.run import observer_of
from plexor.model.calibration import FS_PER_PS, SIGMAS, Calibration, Instants
from plexor.wire.device.device import Device

Echoes = Mapping[Way, LoopedEdges]


@dataclass(frozen=True, slots=True)
class WireDelay:
    """A delay and its maximum error, in ps."""

    value_ps: float
    error_ps: float

    def __sub__(self, subtrahend: WireDelay) -> WireDelay:
        """Return the difference, whose error is the sum of both."""
        return WireDelay(self.value_ps - subtrahend.value_ps, self.error_ps + subtrahend.error_ps)


def echoes(device: Device, output: int, channels: Sequence[int]) -> Echoes:
    """Return the edges that channels see at their pins for an output's strikes at each phase.

    Raises InstrumentError if events are missing after several tries.
    """
    seen = observer_of(device).wired(output, channels)
    if not seen.echoes:
        raise InstrumentError(
            f"strike{output}: {seen.received} of {counted(sum(seen.generated.values()), 'event')} "
            "arrived"
        )
    return seen.echoes


def missing(measured: Echoes) -> list[str]:
    """Return the channels that do not see each strike once."""
    return [
        f"ch{channel}: its pin sees {counted(echo.seen, 'edge')} {'up' if polarity else 'down'} of "
        f"{counted(echo.struck, 'strike')}; is the wire there?"
        for (channel, polarity), echo in measured.items()
        if echo.seen != echo.struck or not echo.seen
    ]


def delay(
    measured: Echoes, edge: Way, device: Device, calibration: Calibration | None
) -> WireDelay:
    """Return the delay from a strike's tick to a channel's mean sampling instant.

    Its error is half of the range that the strikes leave, plus that of the bins' instants.
    """
    echo, bins = measured[edge], _bins(device, edge, calibration)
    within = bounds(echo.strikes_ticks, echo.seen_ticks, bins, device.identity.tick_fs)
    low, high = sorted((within.low_ps, within.high_ps))
    return WireDelay((low + high) / 2, (high - low) / 2 + SIGMAS * max(bins.error_ps))


def spread_ps(
    measured: Echoes, first: Way, second: Way, device: Device, calibration: Calibration | None
) -> float:
    """Return the RMS error of one edge: that of the channels' difference, over the root of two."""
    difference_ps = _passed_ps(measured, first, device, calibration)
    difference_ps = difference_ps - _passed_ps(measured, second, device, calibration)
    return float(difference_ps.std() / np.sqrt(2))


def _passed_ps(
    measured: Echoes, edge: Way, device: Device, calibration: Calibration | None
) -> np.ndarray:
    echo, tick_fs = measured[edge], device.identity.tick_fs
    passed = (echo.seen_ticks - echo.strikes_ticks) * (tick_fs / FS_PER_PS)
    return passed + middles_ps(echo.seen_ticks, _bins(device, edge, calibration), tick_fs)


def _bins(device: Device, edge: Way, calibration: Calibration | None) -> Instants:
    """Return a channel's bins; even ones without a calibration."""
    number, polarity = edge
    known = None if calibration is None else calibration.channel(number)
    if known is None:
        even = (0,) * device.identity.geometry.phases
        return Instants(even, even, 0)
    return known.rise if polarity else known.fall
