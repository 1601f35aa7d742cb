# SPDX-License-Identifier: Apache-2.0
"""An uneven front-end that a simulated instrument is given, and what it must be found to be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from plexor.model.calibration import Calibration, Detour
from plexor.protocol.geometry import Geometry


@dataclass(frozen=True)
class Planted:
    """What is wrong with a front-end: by how much each phase samples late, up and down, in ps.

    `input_ps` and `loop_ps` are the ways of each channel, from its pin and from the multiplexer;
    loopback has only the second one in it.
    """

    geometry: Geometry
    rise_ps: tuple[tuple[int, ...], ...]
    fall_ps: tuple[tuple[int, ...], ...]
    input_ps: tuple[int, ...]
    output_ps: int
    loop_ps: tuple[int, ...]
    back_ps: int = 0

    @property
    def options(self) -> str:
        """The simulator's option."""
        parts = [f"output_ps.0={self.output_ps}", f"back_ps.0={self.back_ps}"]
        for name, rows in (("rise", self.rise_ps), ("fall", self.fall_ps)):
            parts += [f"{name}.{n}={':'.join(map(str, row))}" for n, row in enumerate(rows)]
        for name, ways in (("input_ps", self.input_ps), ("loop_ps", self.loop_ps)):
            parts += [f"{name}.{n}={way}" for n, way in enumerate(ways)]
        return ",".join(parts)

    def rows(self, up: bool) -> tuple[tuple[int, ...], ...]:
        return self.rise_ps if up else self.fall_ps

    def ideal_rms_ps(self, number: int) -> float:
        """Return the least RMS error of an edge up, by the widths of the planted bins."""
        instants = np.array(self.rise_ps[number]) + np.arange(self.geometry.phases) * self.tick_ps
        period = self.geometry.phases * self.tick_ps
        widths = np.diff(np.append(instants, instants[0] + period))
        return float(np.sqrt((widths**3).sum() / 12 / period))

    @property
    def detours(self) -> tuple[Detour, ...]:
        """By how much each loop is longer than the way of its channel's pin, to the ps."""
        return tuple(
            Detour(0, number, *[self.back_ps + loop_ps - input_ps] * 2)
            for number, (loop_ps, input_ps) in enumerate(
                zip(self.loop_ps, self.input_ps, strict=True)
            )
        )

    @property
    def tick_ps(self) -> float:
        return self.geometry.tick_fs / 1000

    def deviations(self, calibration: Calibration) -> np.ndarray:
        """Return how far all instants found lie from those planted, in their standard errors."""
        found: list[float] = []
        for entry in calibration.channels:
            for up, way in ((True, entry.rise), (False, entry.fall)):
                planted = np.array(self.rows(up)[entry.number])
                off = np.array(way.late_ps) - (planted - planted.mean())
                found += (np.abs(off) / np.array(way.error_ps)).tolist()
        return np.array(found)

    def delays(self, calibration: Calibration) -> Iterator[tuple[float, int, int]]:
        """Yield each delay of the loop as planted, as found, and its bound, in ps."""
        for entry in calibration.delays:
            for up, found, bound in (
                (True, entry.rise_ps, entry.rise_error_ps),
                (False, entry.fall_ps, entry.fall_error_ps),
            ):
                late = np.mean(self.rows(up)[entry.channel])
                looped = self.output_ps + self.back_ps + self.loop_ps[entry.channel]
                yield looped - late, found, bound
