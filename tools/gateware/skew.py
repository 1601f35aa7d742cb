# SPDX-License-Identifier: Apache-2.0
"""Resolution of a placed front-end: when each phase samples its pin, and when it changes an output.

All of it is computed from nextpnr's delays of the device, at its slowest corner. Nothing is
measured. nextpnr lacks the skew of the global clocks inside a macro's few tiles, and the PLL's
phase error and jitter.
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
    """The bins of one channel in a period of the fast clocks, in ps. Their sum is the period."""

    widths_ps: tuple[float, ...]

    @property
    def widest_ps(self) -> float:
        """Return the width of the widest bin."""
        return max(self.widths_ps)

    @property
    def dnl(self) -> tuple[float, ...]:
        """Return each bin's width divided by the mean, minus 1 (DNL, IEEE 1241)."""
        mean_ps = sum(self.widths_ps) / len(self.widths_ps)
        return tuple(width_ps / mean_ps - 1 for width_ps in self.widths_ps)

    def rms_ps(self) -> float:
        """Return the RMS error of an edge that is assumed to be in the middle of its bin.

        Edges are equally likely at any time: the mean square is the sum of w**3 / 12 over a period.
        """
        period_ps = sum(self.widths_ps)
        return math.sqrt(sum(width_ps**3 for width_ps in self.widths_ps) / 12 / period_ps)

    def raw_rms_ps(self) -> float:
        """Return the RMS error if every bin is assumed to have the mean width.

        An edge in bin k is assumed at (k + 1/2) mean widths. The mean error is subtracted.
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
    """Return the bins between the samples of phases whose views of the pin lag by `lags_ps`.

    A phase samples the pin's level at its time in the period minus its lag. If samples are not in
    the order of their phases, a bin is negative. No pulse passes such a bin in order.
    """
    seen = [time_ps - lag_ps for time_ps, lag_ps in zip(times_ps, lags_ps, strict=True)]
    return Bins(tuple(after - before for before, after in pairwise([*seen, seen[0] + period_ps])))


def steps(times_ps: Sequence[float], lags_ps: Sequence[float], period_ps: float) -> Bins:
    """Return the steps between an output's changes, which lag behind their phases by `lags_ps`."""
    return bins(times_ps, [-lag_ps for lag_ps in lags_ps], period_ps)


def sampler_lags_ps(family: Family, delays: Delays, channel: int) -> list[int]:
    """Return each phase's lag behind a channel's look-up table, set-up time included."""
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
    """Return the delay from a channel's pad to the net that is sampled."""
    suffix, port = family.pad
    table = family.after(f"{SAMPLER}.{seen_name(channel)}{family.table}", table=True)
    pin, wire_ps = delays.into(f"channels[{channel}]{suffix}", port, table)
    return wire_ps + delays.through(table, pin, family.ports[0])


def serialiser_lags_ps(family: Family, delays: Delays, output: int) -> list[int]:
    """Return each flip-flop's delay from its phase to the last look-up table's output."""
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
