# SPDX-License-Identifier: Apache-2.0
"""Computes latency over phase and its masked windows, from strikes with phases. Pure."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from plexor.experiments.phase.chance import LIMIT, Chance, MaskedByChance, spread_ticks
from plexor.experiments.phase.clusters import PhasedStrikes, PhaseScale, clusters
from plexor.experiments.phase.fold import MISSED, Folded
from plexor.experiments.phase.model import ChannelPhases, PhaseBin

FASTEST = 4
"""The base is the median of the fastest 1/FASTEST of strikes: exact if an 8th is not masked."""
SPREADS = 2
"""Default threshold, in multiples of the spread of the device's latency."""
MOST_PHASES = 100_000

Ticks = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


def scan(
    channel: str,
    folded: Folded,
    step_ticks: Fraction,
    threshold_ticks: int | None = None,
    channels: int = 1,
) -> ChannelPhases:
    """Return latency over phase in steps, with the masked windows, the widest first.

    The scan has `channels` channels, this one included. Raises ValueError if a step is shorter than
    a tick, or makes too many phases or only one.
    """
    count = math.ceil(folded.span_ticks / step_ticks)
    if step_ticks < 1 or not 2 <= count <= MOST_PHASES:
        raise ValueError(
            f"step: {float(step_ticks):g} ticks of {folded.span_ticks}; must be at least a tick, "
            f"and make 2 to {MOST_PHASES} phases"
        )
    latency = folded.latency_ticks
    answered = np.sort(latency[latency != MISSED])
    base = int(answered[len(answered) // (2 * FASTEST)]) if len(answered) else None
    over_least = base - int(answered[0]) if base is not None else 0
    spread = spread_ticks(answered)
    threshold = SPREADS * spread if threshold_ticks is None else threshold_ticks
    order = np.argsort(folded.phase_ticks, kind="stable")
    phase, latency = folded.phase_ticks[order], latency[order]
    step = phase * step_ticks.denominator // step_ticks.numerator
    starts = np.searchsorted(step, np.arange(count + 1))
    over = np.where(latency == MISSED, np.iinfo(np.int64).max, latency - (base or 0))
    masked = over > threshold
    # A response after the time-out counts as missed, so the time-out acts as a threshold too.
    latest = folded.timeout_ticks - (base or 0)
    level = min(threshold, latest) if folded.missed else threshold
    masked_law, missed_law = (
        MaskedByChance(len(phase), int(np.count_nonzero(over > most - spread)))
        for most in (level, latest)
    )
    cyclic = folded.reference.period_ticks is not None
    found = clusters(
        PhasedStrikes(phase, latency, masked, step),
        PhaseScale(folded.span_ticks, count, cyclic, base or 0, threshold + over_least),
        Chance(masked_law, missed_law, channels),
    )
    windows = [window for window in found if window.chance <= LIMIT]
    others = [window for window in found if window.chance > LIMIT]
    stray = int(np.count_nonzero(masked)) - sum(window.masked for window in windows)
    return ChannelPhases(
        channel,
        folded.reference,
        step_ticks,
        folded.span_ticks,
        base,
        spread,
        threshold,
        len(phase),
        folded.left_out,
        tuple(
            _bin(n * step_ticks, latency[low:high], int(np.count_nonzero(masked[low:high])))
            for n, (low, high) in enumerate(pairwise(starts.tolist()))
        ),
        tuple(sorted(windows, key=lambda window: (-window.width_ticks, window.start_ticks))),
        min(others, key=lambda window: (window.chance, -(window.delay_ticks or 0)), default=None),
        stray,
    )


def _bin(phase: Fraction, latency: Ticks, masked: int) -> PhaseBin:
    answered = np.sort(latency[latency != MISSED])
    some = len(answered) > 0
    return PhaseBin(
        phase,
        len(latency),
        len(latency) - len(answered),
        int(answered[0]) if some else None,
        int(answered[(len(answered) - 1) // 2]) if some else None,
        int(answered[-1]) if some else None,
        masked,
    )
