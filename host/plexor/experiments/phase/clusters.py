# SPDX-License-Identifier: Apache-2.0
"""Groups masked strikes into windows, and finds where each begins and ends. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from plexor.experiments.phase.chance import LIMIT, Chance, longest, needed, stretch
from plexor.experiments.phase.fold import MISSED
from plexor.experiments.phase.model import MaskedWindow

SURE = 0.025
"""Maximum probability that strikes masked by chance move an end by more than its error."""
Ticks = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class PhasedStrikes:
    """Strikes in order of phase."""

    phase: Ticks
    latency: Ticks
    masked: Flags
    step: Ticks
    """Number of each strike's phase step."""

    @property
    def missed(self) -> Flags:
        """Flags of the strikes without a response."""
        return self.latency == MISSED

    def turned(self, first: int, span_ticks: int, steps: int) -> PhasedStrikes:
        """Return the strikes from number `first` on; those before it follow, one period later."""
        wrapped = np.arange(len(self.phase)) >= len(self.phase) - first
        return PhasedStrikes(
            np.roll(self.phase, -first) + wrapped * span_ticks,
            np.roll(self.latency, -first),
            np.roll(self.masked, -first),
            np.roll(self.step, -first) + wrapped * steps,
        )


@dataclass(frozen=True, slots=True)
class PhaseScale:
    """The scales for phases and latencies."""

    span_ticks: int
    steps: int
    cyclic: bool
    base_ticks: int
    unseen_ticks: int
    """Delays up to this cannot be seen: the threshold, plus the base minus the minimum latency."""


def clusters(strikes: PhasedStrikes, scale: PhaseScale, chance: Chance) -> list[MaskedWindow]:
    """Return each group of adjacent masked steps as a window, likely or not."""
    if not strikes.masked.any():
        return []
    firsts, counts, held = _steps(strikes)
    if scale.cyclic:
        # Counting starts after the step with the smallest share of masked strikes, so that the
        # end of the period cuts no window in two.
        quiet = int(np.argmin(held / counts))
        strikes = strikes.turned(int(firsts[quiet] + counts[quiet]), scale.span_ticks, scale.steps)
        firsts, counts, held = _steps(strikes)
    others = chance.outside(strikes.masked, strikes.missed)
    share = _share(strikes.masked[others])
    missed = np.add.reduceat(strikes.missed.astype(np.int64), firsts)
    marked = held >= needed(counts, share)
    marked |= missed >= needed(counts, _share(strikes.missed[others]))
    if marked.all():
        marked = held == counts
    if marked.all():
        return []
    if strikes.masked[others].any():
        marked &= ~_single(strikes.masked, firsts, counts, marked, held)
    borders = np.diff(np.concatenate(([0], marked.astype(np.int8), [0])))
    found: list[tuple[int, int]] = []
    windows: list[MaskedWindow] = []
    for begin, end in zip(
        np.flatnonzero(borders == 1), np.flatnonzero(borders == -1) - 1, strict=True
    ):
        first, last = _ends(
            strikes.masked, int(firsts[begin]), int(firsts[end] + counts[end]), share
        )
        window = _window(strikes, first, last, scale, chance, _spare(share))
        if windows and _is_one(strikes.phase, found[-1], first, windows[-1], window, scale):
            first = found.pop()[0]
            windows.pop()
            window = _window(strikes, first, last, scale, chance, _spare(share))
        found.append((first, last))
        windows.append(window)
    return windows


def _single(masked: Flags, firsts: Ticks, counts: Ticks, marked: Flags, held: Ticks) -> Flags:
    """Return the steps at a window's ends whose only masked strike is apart from those inside.

    Chance that masks strikes elsewhere may have masked this one too.
    """
    before, after = np.append(False, marked[:-1]), np.append(marked[1:], False)
    begins = after & ~before & ~masked[firsts + counts - 1]
    ends = before & ~after & ~masked[firsts]
    return marked & (held == 1) & (begins | ends)


def _is_one(
    phase: Ticks,
    ends: tuple[int, int],
    first: int,
    before: MaskedWindow,
    after: MaskedWindow,
    scale: PhaseScale,
) -> bool:
    """Return whether the window `after` began before the window `before` had surely ended."""
    if max(before.chance, after.chance) > LIMIT or before.delay_ticks is None:
        return False
    return int(phase[first]) < int(phase[ends[1] + 1]) + scale.unseen_ticks


def _share(flags: Flags) -> float:
    """Return the share of flags set in the quieter half of a row; 0 if a quarter has none.

    A window that is not always there thins out at its end. What is left of it is not chance.
    """
    sums = np.concatenate(([0], np.cumsum(flags)))
    half, quarter = (-(-len(flags) // part) for part in (2, 4))
    if not half or (sums[quarter:] == sums[:-quarter]).any():
        return 0.0
    return float((sums[half:] - sums[:-half]).min()) / half


def _steps(strikes: PhasedStrikes) -> tuple[Ticks, Ticks, Ticks]:
    """Return each non-empty step's first strike, strike count and masked count."""
    firsts = np.flatnonzero(np.diff(strikes.step, prepend=-1))
    counts = np.diff(firsts, append=len(strikes.step))
    return firsts, counts, np.add.reduceat(strikes.masked.astype(np.int64), firsts)


def _ends(masked: Flags, low: int, high: int, share: float) -> tuple[int, int]:
    """Return the first and last masked strike of a window, from those `low` to `high` - 1.

    If chance masks a share of the other strikes, these are the ends of the likeliest stretch. The
    longest row of masked strikes estimates the share inside. Masked strikes that directly adjoin
    the stretch belong to it, in any step.
    """
    own = masked[low:high]
    most = longest(own)
    inside = (most + 1) / (most + 2)
    if 0 < share < inside:
        scores = np.where(own, math.log(inside / share), math.log((1 - inside) / (1 - share)))
        begin, end = stretch(scores)
        low, high = low + begin, low + end
    hits = np.flatnonzero(masked[low:high]) + low
    first, last = int(hits[0]), int(hits[-1])
    while first > 0 and masked[first - 1]:
        first -= 1
    while last + 1 < len(masked) and masked[last + 1]:
        last += 1
    return first, last


def _spare(share: float) -> int:
    """Return how many strikes at an end may have been masked by chance alone."""
    return math.ceil(math.log(SURE) / math.log(share)) - 1 if 0 < share < 1 else 0


def _window(
    strikes: PhasedStrikes, first: int, last: int, scale: PhaseScale, chance: Chance, spare: int
) -> MaskedWindow:
    """Return the window from strike `first` to strike `last`, both masked."""
    own = slice(first, last + 1)
    phase, latency, masked = strikes.phase[own], strikes.latency[own], strikes.masked[own]
    missed = latency == MISSED
    delayed = masked & ~missed
    lower, upper = _around(strikes.phase, int(phase[0]), int(phase[-1]), scale)
    # Short delays stay below the threshold, so a window of delayed strikes may go on unseen.
    until = upper + scale.unseen_ticks * bool(delayed.any())
    if not scale.cyclic:
        until = min(until, scale.span_ticks)
    begun = int(phase[min(spare, len(phase) - 1)])
    over = int(phase[max(len(phase) - 1 - spare, 0)])
    start, end = Fraction(lower + begun, 2), Fraction(over + until, 2)
    laps = start // scale.span_ticks * scale.span_ticks
    delays = (latency - scale.base_ticks)[delayed]
    waits = (phase[delayed] + delays).max() - laps if len(delays) and scale.cyclic else None
    return MaskedWindow(
        start - laps,
        Fraction(begun - lower, 2),
        end - laps,
        Fraction(until - over, 2),
        len(phase),
        int(np.count_nonzero(masked)),
        int(np.count_nonzero(missed)),
        int(strikes.step[last] - strikes.step[first] + 1) - len(np.unique(strikes.step[own])),
        int(delays.max()) if len(delays) else None,
        None if waits is None else int(waits),
        chance.of(masked, missed),
    )


def _around(phase: Ticks, first: int, last: int, scale: PhaseScale) -> tuple[int, int]:
    """Return the nearest phases of any strike below `first` and above `last`."""
    before = int(np.searchsorted(phase, first)) - 1
    after = int(np.searchsorted(phase, last, side="right"))
    span = scale.span_ticks
    lower = int(phase[before]) if before >= 0 else int(phase[-1]) - span if scale.cyclic else 0
    upper = int(phase[after]) if after < len(phase) else span + int(phase[0]) * scale.cyclic
    return lower, upper
