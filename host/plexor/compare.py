"""Two runs of the same device: what differs, by how much, how surely, and whether that is too much.

Differences are exact, in seconds: the second run's figure less the first one's. The interval of a
quantile's difference joins two intervals of 97.5 % each (`plexor.percentiles`): both hold at once
with 95 % (Bonferroni's inequality).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from plexor.analyse import ChannelFigures, Figures, Report
from plexor.percentiles import parse_quantile, quantile, quantile_name
from plexor.protocol.memory import ResponseClass
from plexor.units import seconds_of

QUANTILES = (Fraction(1, 2), Fraction(9, 10), Fraction(99, 100), Fraction(999, 1000))
EACH_CONFIDENCE = Fraction(975, 1000)
SATURATION = "saturation"


@dataclass(frozen=True, slots=True)
class Difference:
    """One figure of one channel, before and after: times in seconds, shares as they are."""

    channel: str
    figure: str
    before: Fraction
    after: Fraction
    least: Fraction | None = None
    """Of the difference, with 95 %; None where there are too few samples or no law to tell by."""
    most: Fraction | None = None
    is_time: bool = True

    @property
    def change(self) -> Fraction | None:
        """The difference as a part of what was before; None where that was 0."""
        return (self.after - self.before) / self.before if self.before else None

    @property
    def sure(self) -> bool:
        """Whether the interval leaves out that nothing changed."""
        return self.least is not None and self.most is not None and not self.least <= 0 <= self.most


@dataclass(frozen=True, slots=True)
class FailOn:
    """What must not happen: a figure that changes by more than a part of what it was."""

    figure: str
    rises: bool
    part: Fraction

    @property
    def text(self) -> str:
        """As it is written: `p99.9>+5%`."""
        return f"{self.figure}{'>' if self.rises else '<'}{float(self.part * 100):+g}%"

    def breaks(self, difference: Difference) -> bool:
        """Return whether a difference is too great; from 0, any that goes this way."""
        if difference.change is None:
            return (difference.after > 0) == self.rises and difference.after != 0
        return difference.change > self.part if self.rises else difference.change < self.part


_FAIL_ON = re.compile(
    r"\s*(?P<figure>[a-z0-9._]+)\s*(?P<way>[<>])\s*(?P<part>[+-]?\d+(\.\d+)?)%\s*"
)
_SHARES = {entry.name.lower(): entry for entry in ResponseClass if entry != ResponseClass.STRIKES}
_TIMES: dict[str, Callable[[Figures], int | Fraction | None]] = {
    "min": lambda figures: figures.min_ticks,
    "mean": lambda figures: figures.mean_ticks,
    "max": lambda figures: figures.max_ticks,
    "peak_to_peak": lambda figures: figures.peak_to_peak_ticks,
}


def parse_fail_on(text: str) -> tuple[FailOn, ...]:
    """Return the conditions of `p99.9>+5%,max>+10%,saturation<-2%`; raise ValueError."""
    found: list[FailOn] = []
    for part in text.split(","):
        match = _FAIL_ON.fullmatch(part)
        if match is None or not _known(match["figure"]):
            figures = ", ".join((*_TIMES, *_SHARES, "p50 to p99.99", SATURATION))
            raise ValueError(
                f"condition: {part.strip()!r}; must be a figure ({figures}), < or > and a "
                "percentage, such as p99.9>+5% or saturation<-2%"
            )
        figure = match["figure"]
        found.append(FailOn(figure, match["way"] == ">", Fraction(match["part"]) / 100))
    return tuple(found)


def _known(figure: str) -> bool:
    if figure in _TIMES or figure in _SHARES or figure == SATURATION:
        return True
    try:
        parse_quantile(figure)
    except ValueError:
        return False
    return True


def configuration(report: Report) -> dict[str, str]:
    """Return what a run's device was: its description, and whether it was loaded."""
    return {"load": str(report.result.settings.load), **report.result.device}


def differing_keys(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, ...]:
    """Return the keys of two configurations that differ."""
    return tuple(sorted(k for k in {*before, *after} if before.get(k) != after.get(k)))


def differences(
    before: Report, after: Report, wanted: Sequence[str] = ()
) -> tuple[Difference, ...]:
    """Return every figure of the channels that both runs have, by name, and the `wanted` ones."""
    qs = {quantile_name(q): q for q in QUANTILES}
    qs |= {name: parse_quantile(name) for name in wanted if re.fullmatch(r"p[\d.]+", name)}
    found: list[Difference] = []
    for channel in before.channels:
        other = next((entry for entry in after.channels if entry.name == channel.name), None)
        if other is not None:
            found += _channel(channel, other, (before.result.tick_fs, after.result.tick_fs), qs)
    return tuple(found)


def _channel(
    one: ChannelFigures, other: ChannelFigures, tick_fs: tuple[int, int], qs: dict[str, Fraction]
) -> list[Difference]:
    found: list[Difference] = []
    for name, entry in _SHARES.items():
        shares = [Fraction(c.result.classes[entry], max(c.result.strikes, 1)) for c in (one, other)]
        if any(shares):
            found.append(Difference(one.name, name, shares[0], shares[1], is_time=False))
    rises = one.rise, other.rise
    if rises[0] is None or rises[1] is None:
        return found
    for name, figure in _TIMES.items():
        ticks = figure(rises[0]), figure(rises[1])
        if ticks[0] is not None and ticks[1] is not None:
            before, after = (
                seconds_of(t, fs) for t, fs in zip(ticks, tick_fs, strict=True) if t is not None
            )
            found.append(Difference(one.name, name, before, after))
    for name, q in qs.items():
        found += _quantile(one.name, name, q, (rises[0], rises[1]), tick_fs)
    return found


def _quantile(
    channel: str, name: str, q: Fraction, rises: tuple[Figures, Figures], tick_fs: tuple[int, int]
) -> list[Difference]:
    one, other = (quantile(rise.distribution, q, EACH_CONFIDENCE) for rise in rises)
    if one is None or other is None:
        return []
    bounds = [
        None if ticks is None else seconds_of(ticks, fs)
        for ticks, fs in (
            (one.lower_ticks, tick_fs[0]),
            (one.upper_ticks, tick_fs[0]),
            (other.lower_ticks, tick_fs[1]),
            (other.upper_ticks, tick_fs[1]),
        )
    ]
    low, high, other_low, other_high = bounds
    return [
        Difference(
            channel,
            name,
            seconds_of(one.value_ticks, tick_fs[0]),
            seconds_of(other.value_ticks, tick_fs[1]),
            None if other_low is None or high is None else other_low - high,
            None if other_high is None or low is None else other_high - low,
        )
    ]
