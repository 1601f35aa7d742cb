# SPDX-License-Identifier: Apache-2.0
"""Decides whether masked strikes that lie together in phase can be chance. Pure.

A device without a window may have any latency distribution and may lose strikes. But what happens
to a strike has nothing to do with its phase, so every order of the strikes over phase is equally
likely. Then, among N strikes, M of them masked,

- a row of L masked strikes begins, on average, in at most N (M/N) ((M - 1)/(N - 1)) ... places,
  with L factors after N;
- a stretch that a larger share of masked strikes makes exp(x) times as likely begins, on average,
  in at most N exp(-x) places (J. Ville, "Étude critique de la notion de collectif", 1939).

Both tests are applied to masked strikes and to missed ones. Each of the four gets a part of the
whole error: a half and an eighth for masked strikes, a quarter and an eighth for missed ones.

A device's clock does tie latency to phase if the reference is made from the same clock: a strike
waits for the next clock edge, up to the period T. Such waits spread evenly over T. So whatever else
is added to them, an interval of latencies holds at most its length over T of all strikes. That
bounds T by the latencies seen. Without that wait, a latency above the threshold is still above the
threshold less T. M counts all latencies above this, whose phases no clock has chosen.
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
"""Maximum probability that chance makes such a stretch in a scan. Less likely ones are windows."""
PARTS = 16
"""Denominator of the shares of strikes whose narrowest interval is measured."""
LEAST_PART = 2
"""Smallest numerator of these shares. It serves while at least an 8th of strikes is unmasked."""
DEVIATIONS = 3
"""Tolerance of a share, in standard deviations."""


def spread_ticks(latency: Ticks) -> int:
    """Return the maximum period of a device's clock that sorted latencies allow, in ticks, from 1.

    For evenly spread latencies it is their range.
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
            # Times are rounded to ticks, so an interval may be one tick longer than it looks.
            found = min(found, (narrowest + 1) / least)
    return 1 if math.isinf(found) else max(round(found), 1)


@dataclass(frozen=True, slots=True)
class MaskedByChance:
    """The hypothesis that so many of a scan's strikes are masked, whatever their phase."""

    strikes: int
    masked: int
    """Maximum number of masked strikes, without those that a device's clock explains."""

    def in_a_row(self, flags: Flags) -> float:
        """Return the logarithm of the mean number of places with as many masked in a row."""
        length = longest(flags)

        def ways(many: int) -> float:
            return math.lgamma(many + 1) - math.lgamma(many - length + 1)

        return math.log(self.strikes) + ways(self.masked) - ways(self.strikes)

    def together(self, flags: Flags) -> float:
        """Return the logarithm of a bound on the mean number of stretches as likely as the best."""
        low, high = self.likeliest(flags)
        return math.log(self.strikes) - float(self._scores(flags[low:high]).sum())

    def likeliest(self, flags: Flags) -> tuple[int, int]:
        """Return begin and end of the stretch with the highest likelihood ratio."""
        return stretch(self._scores(flags))

    def _scores(self, flags: Flags) -> Scores:
        """Return each strike's contribution to the logarithm of the likelihood ratio.

        The alternative's share of masked strikes is halfway between that of all strikes and 1.
        """
        share = self.masked / self.strikes
        return np.where(flags, math.log((1 + share) / (2 * share)), -math.log(2))


@dataclass(frozen=True, slots=True)
class Chance:
    """What chance can do in a scan of `channels` channels."""

    masked: MaskedByChance
    missed: MaskedByChance
    channels: int

    def of(self, masked: Flags, missed: Flags) -> float:
        """Return an upper bound of the probability that chance makes such a stretch in a scan."""
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
        """Return which strikes lie outside all stretches that chance does not explain."""
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
    """Return begin and end of the stretch with the largest sum."""
    sums = np.concatenate(([0.0], np.cumsum(scores)))
    end = int(np.argmax(sums - np.minimum.accumulate(sums)))
    return int(np.argmin(sums[: end + 1])), end


def longest(masked: Flags) -> int:
    """Return the length of the longest row of set flags."""
    gaps = np.flatnonzero(np.concatenate(([True], ~masked, [True])))
    return int(np.diff(gaps).max()) - 1


def needed(strikes: npt.NDArray[np.int64], share: float) -> npt.NDArray[np.int64]:
    """Return how many strikes of each step must be masked to mark it, at most all of them.

    `share` is the share of masked strikes elsewhere. The number is above what chance masks.
    """
    mean = strikes * share
    most = np.floor(mean + DEVIATIONS * np.sqrt(mean * (1 - share))).astype(np.int64)
    return np.maximum(np.minimum(most + 1, strikes), 1)
