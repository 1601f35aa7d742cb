"""What a placed front-end resolves: when each phase samples its pin, and when it changes an output.

All is computed from the delays that nextpnr has of the device, at its slowest corner: not measured.
What it does not have is left out: the skew of the global clocks inside a macro's few tiles, the
PLL's own phase error and jitter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from plexor_hdl.front.sampler import first_name, seen_name
from plexor_hdl.front.serialiser import last_name, table_names
from tools.gateware.families import Family
from tools.gateware.sdf import Delays

SAMPLER = "front.sampler"
SERIALISER = "front.serialiser"


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


def bins(times_ps: Sequence[float], lags_ps: Sequence[float], period_ps: float) -> Bins:
    """Return the bins between the samples of phases that see their pin so much late.

    A phase samples what stood at the pin at its time in the period less its lag. Samples in
    another order than their phases' make a bin below zero, which no pulse passes in order.
    """
    seen = [time_ps - lag_ps for time_ps, lag_ps in zip(times_ps, lags_ps, strict=True)]
    return Bins(tuple(after - before for before, after in pairwise([*seen, seen[0] + period_ps])))


def steps(times_ps: Sequence[float], lags_ps: Sequence[float], period_ps: float) -> Bins:
    """Return the steps between an output's changes, each so much later than its phase."""
    return bins(times_ps, [-lag_ps for lag_ps in lags_ps], period_ps)


def sampler_lags_ps(family: Family, delays: Delays, channel: int) -> list[int]:
    """Return how late each phase sees what stands behind a channel's look-up table, with set-up."""
    table = family.after(f"{SAMPLER}.{seen_name(channel)}{family.table}", table=True)
    sinks = {cell: (port, ps) for (cell, port), ps in delays.sinks(table, family.ports[0]).items()}
    lags: list[int] = []
    for phase in range(family.phases):
        net = f"{SAMPLER}.{first_name(channel, phase)}"
        cell = family.after(family.flip_flop(net, phase))
        port, wire_ps = sinks[cell]
        lags.append(wire_ps + delays.setup(cell, port))
    return lags


def pad_lag_ps(family: Family, delays: Delays, channel: int) -> int:
    """Return the delay from a channel's pad to what its samples are taken of."""
    suffix, port = family.pad
    table = family.after(f"{SAMPLER}.{seen_name(channel)}{family.table}", table=True)
    pin, wire_ps = delays.into(f"channels[{channel}]{suffix}", port, table)
    return wire_ps + delays.through(table, pin, family.ports[0])


def serialiser_lags_ps(family: Family, delays: Delays, output: int) -> list[int]:
    """Return how long after its phase each flip-flop changes the last look-up table's output."""
    lags: list[int] = []
    for phase in range(family.phases):
        net = f"{SERIALISER}.{last_name(output, phase)}"
        cell, port = family.after(family.flip_flop(net, phase)), family.ports[1]
        lag = delays.through(cell, "CLK", port)
        for table in table_names(output, family.phases, phase):
            end = family.after(f"{SERIALISER}.{table}", table=True)
            pin, wire_ps = delays.into(cell, port, end)
            lag += wire_ps + delays.through(end, pin, family.ports[0])
            cell, port = end, family.ports[0]
        lags.append(lag)
    return lags


def lags_ps(kind: str, family: Family, delays: Delays, number: int) -> list[int]:
    """Return the lags of the phases of a channel (`sampler`) or an output (`serialiser`)."""
    if kind == "sampler":
        return sampler_lags_ps(family, delays, number)
    return serialiser_lags_ps(family, delays, number)
