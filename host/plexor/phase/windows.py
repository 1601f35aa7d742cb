"""From strikes with their phases to latency over phase and its masked windows. Pure."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from plexor.phase.fold import MISSED, Folded
from plexor.phase.model import PhaseBin, PhaseScan, Window

FASTEST = 4
"""The base is the median of the fastest 4th of strikes: exact while an 8th is not masked."""
SPREADS = 2
"""Without a threshold of the user's own it is so many times what latency varies by in a step."""
LEAST_THRESHOLD_TICKS = 2
"""For strike and response are each rounded to a tick."""
MOST_PHASES = 100_000

Ticks = npt.NDArray[np.int64]


def scan(
    channel: str, folded: Folded, step_ticks: Fraction, threshold_ticks: int | None = None
) -> PhaseScan:
    """Return latency over phase in steps, with the masked windows, the widest first.

    Raises ValueError for a step that is below a tick, or leaves too many phases or only one.
    """
    count = math.ceil(folded.span_ticks / step_ticks)
    if step_ticks < 1 or not 2 <= count <= MOST_PHASES:
        raise ValueError(
            f"step: {float(step_ticks):g} ticks of {folded.span_ticks}; must be a tick or more, "
            f"and make 2 to {MOST_PHASES} phases"
        )
    latency = folded.latency_ticks
    answered = np.sort(latency[latency != MISSED])
    base = int(answered[len(answered) // (2 * FASTEST)]) if len(answered) else None
    order = np.argsort(folded.phase_ticks, kind="stable")
    phase, latency = folded.phase_ticks[order], latency[order]
    numerator, denominator = step_ticks.numerator, step_ticks.denominator
    starts = np.searchsorted(phase * denominator // numerator, np.arange(count + 1))
    steps = [latency[low:high] for low, high in pairwise(starts.tolist())]
    if threshold_ticks is None:
        threshold_ticks = max(LEAST_THRESHOLD_TICKS, math.ceil(SPREADS * _spread(steps)))
    masked = latency == MISSED
    if base is not None:
        masked |= latency > base + threshold_ticks
    bins = tuple(
        _bin(n * step_ticks, own, masked[low : low + len(own)])
        for n, (low, own) in enumerate(zip(starts.tolist(), steps, strict=False))
    )
    cyclic = folded.reference.period_ticks is not None
    found = _Windows(phase, latency, masked, bins, starts, folded.span_ticks, cyclic)
    windows = found.windows(base or 0, threshold_ticks)
    return PhaseScan(
        channel,
        folded.reference,
        step_ticks,
        folded.span_ticks,
        base,
        threshold_ticks,
        len(phase),
        folded.left_out,
        bins,
        tuple(sorted(windows, key=lambda window: (-window.width_ticks, window.start_ticks))),
    )


def _spread(steps: list[Ticks]) -> float:
    """Return by how much latency varies in a step, the median of all: of a range of so many."""
    found: list[float] = []
    for latency in steps:
        own = latency[latency != MISSED]
        if len(own) > 1:
            # The range of r values that spread evenly is (r - 1) / (r + 1) of theirs, on average.
            found.append(float(own.max() - own.min()) * (len(own) + 1) / (len(own) - 1))
    return float(np.median(found)) if found else 0.0


def _bin(phase: Fraction, latency: Ticks, masked: npt.NDArray[np.bool_]) -> PhaseBin:
    answered = np.sort(latency[latency != MISSED])
    some = len(answered) > 0
    return PhaseBin(
        phase,
        len(latency),
        len(latency) - len(answered),
        int(answered[0]) if some else None,
        int(answered[(len(answered) - 1) // 2]) if some else None,
        int(answered[-1]) if some else None,
        bool(masked.any()),
    )


class _Windows:
    """Strikes by phase, and the phase steps they are in."""

    def __init__(
        self,
        phase: Ticks,
        latency: Ticks,
        masked: npt.NDArray[np.bool_],
        bins: tuple[PhaseBin, ...],
        starts: npt.NDArray[np.int64],
        span_ticks: int,
        cyclic: bool,
    ) -> None:
        self.phase, self.latency, self.masked = phase, latency, masked
        self.bins, self.starts = bins, starts
        self.span_ticks, self.cyclic = span_ticks, cyclic
        self.known = [place for place, entry in enumerate(bins) if entry.strikes]

    def windows(self, base: int, threshold: int) -> list[Window]:
        """Return the windows in order of their start; steps without a strike are passed over."""
        flags = [self.bins[place].masked for place in self.known]
        if not any(flags):
            return []
        if all(flags):
            return [self._whole(base)]
        count = len(flags)
        # A cyclic scan begins after a phase that is not masked, so that no window is cut in two.
        first = flags.index(False) if self.cyclic else 0
        found: list[Window] = []
        run: list[int] = []
        for turn in range(first, first + count):
            if flags[turn % count]:
                run.append(turn)
            elif run:
                found.append(self._window(run, base, threshold))
                run = []
        if run:
            found.append(self._window(run, base, threshold))
        return sorted(found, key=lambda window: window.start_ticks)

    def _strikes(self, turn: int) -> list[tuple[int, int, bool]]:
        """Return (phase, latency, masked) of a known step, phases counted on from turn to turn."""
        lap, place = divmod(turn, len(self.known))
        low, high = self.starts[self.known[place]], self.starts[self.known[place] + 1]
        return [
            (int(phase) + lap * self.span_ticks, int(latency), bool(masked))
            for phase, latency, masked in zip(
                self.phase[low:high], self.latency[low:high], self.masked[low:high], strict=True
            )
        ]

    def _window(self, run: list[int], base: int, threshold: int) -> Window:
        """Return the window of the known steps `run`, counted on over the end of the period."""
        own = [strike for turn in run for strike in self._strikes(turn)]
        around = list(own)
        before, after = run[0] - 1, run[-1] + 1
        if self.cyclic or before >= 0:
            around += self._strikes(before)
        if self.cyclic or after < len(self.known):
            around += self._strikes(after)
        hit = [strike for strike in own if strike[2]]
        first, last = hit[0][0], max(phase for phase, _, _ in hit)
        least = 0 if not self.cyclic else first
        lower = max((phase for phase, _, _ in around if phase < first), default=least)
        upper = min((phase for phase, _, _ in around if phase > last), default=self.span_ticks)
        until = upper + threshold
        if not self.cyclic:
            until = min(until, self.span_ticks)
        start, end = Fraction(lower + first, 2), Fraction(last + until, 2)
        laps = start // self.span_ticks * self.span_ticks
        waits = [phase + latency - base for phase, latency, _ in hit if latency != MISSED]
        delays = [latency - base for _, latency, _ in hit if latency != MISSED]
        return Window(
            start - laps,
            Fraction(first - lower, 2),
            end - laps,
            Fraction(until - last, 2),
            len(own),
            sum(latency == MISSED for _, latency, _ in own),
            self._between(run),
            max(delays, default=None),
            max(waits) - int(laps) if waits and self.cyclic else None,
        )

    def _between(self, run: list[int]) -> int:
        """Return how many steps without a strike lie between those of a run."""
        places = [
            self.known[turn % len(self.known)] + turn // len(self.known) * len(self.bins)
            for turn in run
        ]
        return places[-1] - places[0] + 1 - len(run)

    def _whole(self, base: int) -> Window:
        answered = self.latency[self.latency != MISSED]
        return Window(
            Fraction(0),
            Fraction(0),
            Fraction(self.span_ticks),
            Fraction(0),
            len(self.phase),
            len(self.phase) - len(answered),
            len(self.bins) - len(self.known),
            int(answered.max()) - base if len(answered) else None,
            None,
            whole=True,
        )
