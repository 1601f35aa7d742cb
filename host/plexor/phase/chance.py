"""How surely masked strikes that lie together in phase are no work of chance. Pure.

Of a device without a window the latency may have any distribution, and strikes may be lost: what a
strike meets has nothing to do with its phase, so that each order of the strikes over phase is as
likely. Then, among N strikes of which M are masked,

- there are N (M/N) ((M - 1)/(N - 1)) ... places or fewer, on average, where L in a row are masked,
  with L factors behind the N;
- there are N exp(-x) or fewer where a stretch begins that a greater share of masked strikes makes
  exp(x) times as likely (J. Ville, "Étude critique de la notion de collectif", 1939).

Both are looked for, among strikes that are masked and among those that are missed, and each has its
part of the whole: a half, a quarter and twice an eighth.

A device's clock does tie latency to phase, where the reference is made of the same clock: a strike
waits for the next edge, up to the clock's period T. Such waits spread evenly over T, so that no
interval of latencies has more of the strikes than its length over T, whatever else is added: this
bounds T by the latencies seen. A latency above the threshold is, without that wait, above the
threshold less T; M counts all of these, and no clock has chosen their phases.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ticks = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Scores = npt.NDArray[np.float64]

LIMIT = 0.05
"""Of what chance does in a scan; all else is a window."""
PARTS = 16
"""Shares of the strikes whose narrowest interval is looked at."""
LEAST_PART = 2
"""Of PARTS: an 8th of the strikes that is not masked is enough."""
DEVIATIONS = 3
"""Standard deviations that a share may be off."""


def spread_ticks(latency: Ticks) -> int:
    """Return the greatest period of a device's clock that latencies, sorted, allow; 1 at least.

    Of latencies that spread evenly it is their range.
    """
    count, found = len(latency), math.inf
    for part in range(LEAST_PART, PARTS + 1):
        held = math.ceil(count * part / PARTS)
        if not held:
            break
        narrowest = int((latency[held - 1 :] - latency[: count - held + 1]).min())
        share = held / count
        least = share - DEVIATIONS * math.sqrt(share * (1 - share) / count)
        if least > 0:
            # Of a clock's period in ticks: an interval and the tick that each time is rounded to.
            found = min(found, (narrowest + 1) / least)
    return 1 if math.isinf(found) else max(round(found), 1)


@dataclass(frozen=True, slots=True)
class Law:
    """Of a scan's strikes so many are masked, whatever their phase."""

    strikes: int
    masked: int
    """At most, a device's clock set aside."""

    def in_a_row(self, flags: Flags) -> float:
        """Return the logarithm of the mean number of places with as many in a row."""
        length = longest(flags)

        def ways(many: int) -> float:
            return math.lgamma(many + 1) - math.lgamma(many - length + 1)

        return math.log(self.strikes) + ways(self.masked) - ways(self.strikes)

    def together(self, flags: Flags) -> float:
        """Return the logarithm of a bound on the mean number of as likely stretches."""
        low, high = self.likeliest(flags)
        return math.log(self.strikes) - float(self._scores(flags[low:high]).sum())

    def likeliest(self, flags: Flags) -> tuple[int, int]:
        """Return where the stretch with the greatest likelihood ratio begins and ends."""
        return stretch(self._scores(flags))

    def _scores(self, flags: Flags) -> Scores:
        """Return each strike's part of the logarithm of the likelihood ratio.

        The greater share is in the middle between all strikes' and 1.
        """
        share = self.masked / self.strikes
        return np.where(flags, math.log((1 + share) / (2 * share)), -math.log(2))


@dataclass(frozen=True, slots=True)
class Chance:
    """What chance does in a scan of so many channels."""

    masked: Law
    missed: Law
    channels: int

    def of(self, masked: Flags, missed: Flags) -> float:
        """Return the probability that a scan has such a stretch of strikes, at most."""
        found = 0.0
        for law, flags, parts in (
            (self.masked, masked, (2, 8)),
            (self.missed, missed, (4, 8)),
        ):
            if 0 < law.masked < law.strikes and flags.any():
                own = law.in_a_row(flags) + math.log(parts[0])
                found = min(found, own, law.together(flags) + math.log(parts[1]))
        return min(math.exp(found) * self.channels, 1.0)

    def outside(self, masked: Flags, missed: Flags) -> Flags:
        """Return which strikes lie outside the stretches that are no work of chance."""
        found = np.ones(len(masked), np.bool_)
        left = [(0, len(masked))]
        while left:
            low, high = left.pop()
            if not masked[low:high].any():
                continue
            first, last = self.masked.likeliest(masked[low:high])
            own = slice(low + first, low + last)
            if self.of(masked[own], missed[own]) <= LIMIT:
                found[own] = False
                left += [(low, own.start), (own.stop, high)]
        return found


def stretch(scores: Scores) -> tuple[int, int]:
    """Return where the stretch with the greatest sum begins and ends."""
    sums = np.concatenate(([0.0], np.cumsum(scores)))
    end = int(np.argmax(sums - np.minimum.accumulate(sums)))
    return int(np.argmin(sums[: end + 1])), end


def longest(masked: Flags) -> int:
    """Return how many in a row are set, at most."""
    gaps = np.flatnonzero(np.concatenate(([True], ~masked, [True])))
    return int(np.diff(gaps).max()) - 1


def needed(strikes: npt.NDArray[np.int64], share: float) -> npt.NDArray[np.int64]:
    """Return how many of a step's strikes must be masked to mark it, with such a share elsewhere.

    One, or more than chance masks; all of them at most.
    """
    mean = strikes * share
    most = np.floor(mean + DEVIATIONS * np.sqrt(mean * (1 - share))).astype(np.int64)
    return np.maximum(np.minimum(most + 1, strikes), 1)
