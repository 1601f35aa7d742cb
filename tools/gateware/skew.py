"""What a placed front-end resolves: when each phase samples its pin, and when it changes an output.

All is computed from the delays that nextpnr has of the device, at its slowest corner: not measured.
What it does not have is left out: the skew of the global clocks inside a macro's few tiles, the PLL's
own phase error and jitter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from plexor_hdl.front.sampler import first_name, seen_name
from plexor_hdl.front.serialiser import joined_name, last_name
from tools.gateware.sdf import Delays


@dataclass(frozen=True)
class Bins:
    """The bins of one channel in a period of the fast clocks, in ps; they add up to the period."""

    widths_ps: tuple[float, ...]

    @property
    def widest_ps(self) -> float:
        """Return the width of the widest."""
        return max(self.widths_ps)

    @property
    def dnl(self) -> tuple[float, ...]:
        """Return each bin's width over the mean, less 1 (IEEE 1241, differential nonlinearity)."""
        mean_ps = sum(self.widths_ps) / len(self.widths_ps)
        return tuple(width_ps / mean_ps - 1 for width_ps in self.widths_ps)

    def rms_ps(self) -> float:
        """Return the RMS error of an edge taken to be in the middle of the bin where it lies.

        Edges come at any time alike: the mean square is the sum of w**3 / 12 over the period.
        """
        period_ps = sum(self.widths_ps)
        return math.sqrt(sum(width_ps**3 for width_ps in self.widths_ps) / 12 / period_ps)

    def raw_rms_ps(self) -> float:
        """Return the RMS error where every bin is taken to be of the mean width.

        An edge in bin k is taken at (k + 1/2) mean widths, and the mean error is left out.
        """
        period_ps = sum(self.widths_ps)
        mean_ps = period_ps / len(self.widths_ps)
        start_ps, first, second = 0.0, 0.0, 0.0
        for number, width_ps in enumerate(self.widths_ps):
            end_ps, taken_ps = start_ps + width_ps, (number + 0.5) * mean_ps
            low, high = start_ps - taken_ps, end_ps - taken_ps
            first += (high**2 - low**2) / 2
            second += (high**3 - low**3) / 3
            start_ps = end_ps
        return math.sqrt(second / period_ps - (first / period_ps) ** 2)


def bins(lags_ps: Sequence[float], period_ps: float) -> Bins:
    """Return the bins between the samples of phases that see their pin so much late.

    Phase k samples what stood at the pin at k / phases of the period less its lag. Samples in
    another order than their phases' make a bin below zero, which no pulse passes in order.
    """
    phases = len(lags_ps)
    times = [k * period_ps / phases - lag_ps for k, lag_ps in enumerate(lags_ps)]
    times.append(times[0] + period_ps)
    return Bins(tuple(after - before for before, after in zip(times, times[1:], strict=False)))


def sampler_lags_ps(delays: Delays, channel: int, phases: int, table: str, flip_flop: str):
    """Return how late each phase sees what stands behind the channel's look-up table.

    `table` and `flip_flop` are what yosys adds to a cell's name; with the set-up times.
    """
    driver = f"front.sampler.{seen_name(channel)}{table}"
    port = "F" if table.startswith("_LUT4") else "O"
    sinks = {cell: (port, ps) for (cell, port), ps in delays.sinks(driver, port).items()}
    lags = []
    for phase in range(phases):
        cell = f"front.sampler.{first_name(channel, phase)}{flip_flop}"
        port, wire_ps = sinks[cell]
        lags.append(wire_ps + delays.setup(cell, port))
    return lags


def serialiser_lags_ps(delays: Delays, output: int, phases: int, flip_flop: str, port: str):
    """Return how long after its phase each flip-flop changes the last look-up table's output."""
    lags = []
    for phase in range(phases):
        cell, out = f"front.serialiser.{last_name(output, phase)}{flip_flop}", "Q" if port == "F" else "O"
        lag = delays.through(cell, "CLK", out)
        ends = [f"front.serialiser.{joined_name(output, phase // 4)}_table"]
        if phases > 4:
            ends.append(f"front.serialiser.driven_{output}_table")
        for end in ends:
            ((_, pin), wire_ps) = next(e for e in delays.sinks(cell, out).items() if e[0][0] == end)
            lag += wire_ps + delays.through(end, pin, port)
            cell, out = end, port
        lags.append(lag)
    return lags
