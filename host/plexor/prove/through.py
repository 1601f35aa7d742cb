# SPDX-License-Identifier: Apache-2.0
"""What channels see of an output's strikes that come over wires at the pins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from plexor.calibration.loopback import bounds, middles_ps
from plexor.calibration.observation import LoopedEdges, Way
from plexor.calibration.run import observer_of
from plexor.device.device import Device
from plexor.errors import InstrumentError
from plexor.model.calibration import FS_PER_PS, SIGMAS, Calibration, Instants

Echoes = Mapping[Way, LoopedEdges]


@dataclass(frozen=True, slots=True)
class WireDelay:
    """A delay, and by how much it is off at most, in ps."""

    value_ps: float
    error_ps: float

    def __sub__(self, other: WireDelay) -> WireDelay:
        """Return the difference, whose error is the sum of both."""
        return WireDelay(self.value_ps - other.value_ps, self.error_ps + other.error_ps)


def echoes(device: Device, output: int, channels: Sequence[int]) -> Echoes:
    """Return what channels see at their pins of an output's strikes at each phase.

    Raises InstrumentError if events are missing after several tries.
    """
    found = observer_of(device).wired(output, channels)
    if not found.echoes:
        raise InstrumentError(
            f"strike{output}: {found.received} of {sum(found.generated.values())} events arrived"
        )
    return found.echoes


def missing(found: Echoes) -> list[str]:
    """Return the channels that do not see each strike once."""
    return [
        f"ch{channel}: its pin sees {echo.seen} edges {'up' if way else 'down'} of {echo.struck} "
        "strikes; is the wire there?"
        for (channel, way), echo in found.items()
        if echo.seen != echo.struck or not echo.seen
    ]


def delay(found: Echoes, way: Way, device: Device, calibration: Calibration | None) -> WireDelay:
    """Return the delay from a strike's tick to a channel's mean sampling instant.

    Its error is half of what the strikes leave, and what the bins' instants may be off.
    """
    echo, bins = found[way], _bins(device, way, calibration)
    within = bounds(echo.strikes_ticks, echo.seen_ticks, bins, device.identity.tick_fs)
    low, high = sorted((within.low_ps, within.high_ps))
    return WireDelay((low + high) / 2, (high - low) / 2 + SIGMAS * max(bins.error_ps))


def spread_ps(
    found: Echoes, one: Way, other: Way, device: Device, calibration: Calibration | None
) -> float:
    """Return the RMS error of one edge: that of two channels' differences, over the root of two."""
    apart = _passed_ps(found, one, device, calibration)
    apart = apart - _passed_ps(found, other, device, calibration)
    return float(apart.std() / np.sqrt(2))


def _passed_ps(
    found: Echoes, way: Way, device: Device, calibration: Calibration | None
) -> np.ndarray:
    echo, tick_fs = found[way], device.identity.tick_fs
    passed = (echo.seen_ticks - echo.strikes_ticks) * (tick_fs / FS_PER_PS)
    return passed + middles_ps(echo.seen_ticks, _bins(device, way, calibration), tick_fs)


def _bins(device: Device, way: Way, calibration: Calibration | None) -> Instants:
    """Return a channel's bins; even ones without a calibration."""
    number, polarity = way
    known = None if calibration is None else calibration.channel(number)
    if known is None:
        even = (0,) * device.identity.geometry.phases
        return Instants(even, even, 0)
    return known.rise if polarity else known.fall
