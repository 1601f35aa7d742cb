# SPDX-License-Identifier: Apache-2.0
"""Two runs of the same device: what differs, by how much, and how certain that is.

Differences are exact, in seconds: the second run's figure minus the first one's. Their intervals
hold with 95 %, by the laws of `plexor.figures.judge.change_bounds`. A maximum or minimum has no
interval.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Protocol

from plexor.base.figure_words import figure_word
from plexor.base.units import seconds_of, square_seconds_of
from plexor.figures.analyse.analyse import ChannelFigures, Figures
from plexor.figures.analyse.pairing import AMBIGUOUS
from plexor.figures.analyse.percentiles import (
    least_count,
    parse_quantile,
    quantile,
    quantile_name,
)
from plexor.figures.judge.change_bounds import (
    ExcessBounds,
    FigurePair,
    MeanLaw,
    QuantileLaw,
    ShareLaw,
    Sums,
)
from plexor.protocol.memory import UNBOUNDED_CLASSES, ResponseClass

QUANTILES = (Fraction(1, 2), Fraction(9, 10), Fraction(99, 100), Fraction(999, 1000))
SATURATION = "saturation"
SHARES = {entry.name.lower(): entry for entry in ResponseClass if entry != ResponseClass.STRIKES}
TIMES: dict[str, Callable[[Figures], int | Fraction | None]] = {
    "min": lambda figures: figures.min_ticks,
    "mean": lambda figures: figures.mean_ticks,
    "max": lambda figures: figures.max_ticks,
    "peak_to_peak": lambda figures: figures.peak_to_peak_ticks,
}
VARIANCE = "variance"
WITHOUT_LAW = ("min", "max", "peak_to_peak")
"""Figures of single samples, the most extreme ones: more samples only make them more extreme."""
_EACH_SIDE = 0.025
_NEAR, _FARTHEST, _STEP = Fraction(1, 10**6), 10**9, Fraction(1, 10**5)
"""Least and greatest factors that are looked at, and how near each other two of them end."""


class OpenEnd(StrEnum):
    """What is known of a figure of which only one end is known."""

    ABOVE = "above"
    BELOW = "below"


@dataclass(frozen=True, slots=True)
class Difference:
    """One figure of one channel, before and after: times in seconds, shares as they are.

    None: the run has no such figure, because it has no samples, or fewer than `needs`.
    """

    channel: str
    figure: str
    before: Fraction | None
    after: Fraction | None
    law: FigurePair | None = None
    """None: its uncertainty is not known."""
    unit: str = "s"
    """Or `s²` of a variance, `share`, or `Hz`."""
    result: str = ""
    """Name of the two results that it is of, where folders of results are compared."""
    side: str = ""
    """Letter of the second run, where several are compared with the first; else it is B."""
    reason: str = ""
    """Why it cannot be compared; empty if it can, or if there are no samples."""
    before_bound: OpenEnd | None = None
    after_bound: OpenEnd | None = None
    """Whether the figure lies above or below its value, and is not it."""
    needs: int | None = None
    """Samples without which a run has no such percentile; None: both have as many."""

    @property
    def name(self) -> str:
        """Return the channel, with the letter of the second run and the name of its result."""
        return ": ".join(filter(None, (self.side, self.result, self.channel)))

    @property
    def word(self) -> str:
        """What people read for the figure, such as `max seen` for `max`."""
        return figure_word(self.figure)

    @property
    def change(self) -> Fraction | None:
        """The difference as a part of what was before; None where that was 0, or is not known."""
        return None if self.before_bound or self.after_bound else self._change

    @property
    def _change(self) -> Fraction | None:
        if not self.before or self.after is None:
            return None
        return (self.after - self.before) / self.before

    @property
    def change_ends(self) -> tuple[Fraction | None, Fraction | None]:
        """The least and the most that the change can be, where a value is a bound of its figure.

        None: nothing bounds that side.
        """
        if not self.before_bound and not self.after_bound:
            return self.change, self.change
        least = self.before_bound != OpenEnd.ABOVE and self.after_bound != OpenEnd.BELOW
        most = self.before_bound != OpenEnd.BELOW and self.after_bound != OpenEnd.ABOVE
        return self._change if least else None, self._change if most else None

    @property
    def ratio(self) -> Fraction | None:
        """What is now, divided by what was before; None if that was not above 0, or not known."""
        if self.before is None or self.after is None or self.before <= 0:
            return None
        return None if self.before_bound or self.after_bound else self.after / self.before

    @property
    def interval(self) -> ExcessBounds:
        """The difference with 95 %."""
        if self.law is None:
            return ExcessBounds()
        return self.law.excess(Fraction(0), _EACH_SIDE, _EACH_SIDE)

    @property
    def ratio_interval(self) -> ExcessBounds:
        """The ratio with 95 %: of one below its least, the second figure would surely be more.

        By the law of the difference: an end is the factor of the first figure at which the bound
        of the excess is 0. None: nothing bounds that side.
        """
        ratio, law = self.ratio, self.law
        if ratio is None or law is None:
            return ExcessBounds()

        def is_below(factor: Fraction) -> bool:
            least = law.excess(factor - 1, _EACH_SIDE, _EACH_SIDE).least
            return least is not None and least > 0

        def is_above(factor: Fraction) -> bool:
            most = law.excess(factor - 1, _EACH_SIDE, _EACH_SIDE).most
            return most is not None and most < 0

        least = most = None
        if is_below(Fraction(0)):
            least, _ = _turn(Fraction(0), max(ratio, _NEAR), is_below)
        far = 2 * max(ratio, _NEAR)
        while far < _FARTHEST and not is_above(far):
            far *= 2
        if is_above(far):
            _, most = _turn(ratio, far, lambda factor: not is_above(factor))
        return ExcessBounds(least, most)


def _turn(
    low: Fraction, high: Fraction, holds: Callable[[Fraction], bool]
) -> tuple[Fraction, Fraction]:
    """Return two factors near each other: at the lower one it holds, at the higher one it may not.

    It holds at `low`; beyond the lower one it is not known to.
    """
    if holds(high):
        return high, high
    while high - low > _STEP * high:
        # Of few digits: sums of what is multiplied by them stay short.
        middle = Fraction(round((low + high) / 2 * 2**40), 2**40)
        if not low < middle < high:
            break
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low, high


class Side(Protocol):
    """A run to be compared: a report, or what an archive keeps of one."""

    @property
    def channels(self) -> tuple[ChannelFigures, ...]:
        """Its channels with their figures."""
        ...

    @property
    def tick_fs(self) -> int:
        """Length of a tick, in femtoseconds."""
        ...


def is_quantile(figure: str) -> bool:
    """Return whether a figure is a percentile."""
    try:
        parse_quantile(figure)
    except ValueError:
        return False
    return True


def differing_keys(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, ...]:
    """Return the keys of two configurations that differ."""
    return tuple(sorted(k for k in {*before, *after} if before.get(k) != after.get(k)))


def differences(before: Side, after: Side, wanted: Collection[str] = ()) -> tuple[Difference, ...]:
    """Return every figure of the channels that both runs have, by name.

    The `wanted` ones are there too where one run alone has them, classes where neither has, and
    latencies of a channel whose answers may be those of other strikes, without values. A percentile
    of too few samples has no value, as in a run's own report, unless it is wanted: its law then
    says what is known.
    """
    qs = {quantile_name(q): q for q in QUANTILES}
    qs |= {name: parse_quantile(name) for name in wanted if is_quantile(name)}
    found: list[Difference] = []
    for channel in before.channels:
        other = next((entry for entry in after.channels if entry.name == channel.name), None)
        if other is not None:
            tick_fs = before.tick_fs, after.tick_fs
            found += _shares(channel, other, wanted)
            apart = [
                letter for letter, c in zip("AB", (channel, other), strict=True) if not c.paired
            ]
            if apart:
                reason = f"in {' and '.join(apart)} {AMBIGUOUS}"
                names = [name for name in wanted if name in TIMES or name in qs]
                found += [Difference(channel.name, n, None, None, reason=reason) for n in names]
                continue
            found += _times(channel, other, tick_fs, wanted)
            found += _variance(channel, other, tick_fs)
            found += _quantiles(channel, other, tick_fs, qs, wanted)
    return tuple(found)


def _shares(
    one: ChannelFigures, other: ChannelFigures, wanted: Collection[str]
) -> list[Difference]:
    found: list[Difference] = []
    for name, entry in SHARES.items():
        counts = [(c.result.classes[entry], c.result.strikes) for c in (one, other)]
        if name in wanted or any(count for count, _ in counts):
            values = [Fraction(count, of) if of else None for count, of in counts]
            law = ShareLaw(*counts, bounded=entry not in UNBOUNDED_CLASSES)
            found.append(Difference(one.name, name, values[0], values[1], law, "share"))
    return found


def _times(
    one: ChannelFigures,
    other: ChannelFigures,
    tick_fs: tuple[int, int],
    wanted: Collection[str],
) -> list[Difference]:
    found: list[Difference] = []
    for name, figure in TIMES.items():
        ticks = [None if c.rise is None else figure(c.rise) for c in (one, other)]
        if ticks == [None, None] or (name not in wanted and None in ticks):
            continue
        before, after = (
            None if t is None else seconds_of(t, fs) for t, fs in zip(ticks, tick_fs, strict=True)
        )
        law = _mean_law(one.rise, other.rise, tick_fs) if name == "mean" else None
        found.append(Difference(one.name, name, before, after, law))
    return found


def _variance(
    one: ChannelFigures, other: ChannelFigures, tick_fs: tuple[int, int]
) -> list[Difference]:
    """Return the difference of the variances, where both are known. No law bounds it."""
    before, after = (_variance_s2(c.rise, fs) for c, fs in zip((one, other), tick_fs, strict=True))
    if before is None or after is None:
        return []
    return [Difference(one.name, VARIANCE, before, after, unit="s²")]


def _variance_s2(figures: Figures | None, tick_fs: int) -> Fraction | None:
    if figures is None or figures.variance_ticks2 is None:
        return None
    return square_seconds_of(figures.variance_ticks2, tick_fs)


def _mean_law(
    one: Figures | None, other: Figures | None, tick_fs: tuple[int, int]
) -> MeanLaw | None:
    sums: list[Sums] = []
    for figures, fs in zip((one, other), tick_fs, strict=True):
        variance_s2 = _variance_s2(figures, fs)
        if figures is None or figures.mean_ticks is None or variance_s2 is None:
            return None
        sums.append(Sums(figures.count, seconds_of(figures.mean_ticks, fs), variance_s2))
    return MeanLaw(sums[0], sums[1])


def _quantiles(
    one: ChannelFigures,
    other: ChannelFigures,
    tick_fs: tuple[int, int],
    qs: Mapping[str, Fraction],
    wanted: Collection[str],
) -> list[Difference]:
    found: list[Difference] = []
    for name, q in qs.items():
        known = [None if c.rise is None else quantile(c.rise.distribution, q) for c in (one, other)]
        if known == [None, None] or (name not in wanted and None in known):
            continue
        enough = [name in wanted or (k is not None and k.enough) for k in known]
        before, after = (
            seconds_of(k.value_ticks, fs)
            if k is not None and k.value_ticks is not None and is_told
            else None
            for k, fs, is_told in zip(known, tick_fs, enough, strict=True)
        )
        if not all(enough):
            needs = least_count(q)
            found.append(Difference(one.name, name, before, after, needs=needs))
            continue
        law = None
        if one.rise is not None and other.rise is not None:
            law = QuantileLaw(q, (one.rise.distribution, other.rise.distribution), tick_fs)
        found.append(Difference(one.name, name, before, after, law))
    return found
