# SPDX-License-Identifier: Apache-2.0
"""One rate under one load: what strikes at it found, and the verdict. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated

from plexor.base.constraints import Count, Ge, Positive, Signed
from plexor.base.counts import counted
from plexor.figures.judge.verdict import Outcome, Verdict
from plexor.model.numbers import TickFs
from plexor.protocol.memory import ResponseClass

UP, DOWN, REST = "up", "down", "rest"
"""Which way a scan goes; at rest it strikes at the lowest rate after the highest."""


@dataclass(frozen=True, slots=True)
class RateFigures:
    """One channel at one rate, over all stages of its test. Times are rise latencies in ticks.

    Of a channel that is `shifted` no latency is known.
    """

    name: str
    strikes: Count
    """Settled: answered, late or missed."""
    classes: Mapping[ResponseClass, Count]
    min_ticks: Signed | None = None
    max_ticks: Signed | None = None
    p50_ticks: Signed | None = None
    p99_ticks: Signed | None = None
    rms_ticks: Annotated[float, Ge(0)] | None = None
    jitter128_ticks: Count | None = None
    falls_behind: bool | None = None
    """Whether latency still grew at the end; None: not known."""
    behind: Count = 0
    """Strikes by which it fell behind while it was struck."""
    shifted: bool = False
    """Whether responses may have been matched with strikes other than their own: missed strikes
    were still open when the next ones came."""
    cycle: int | None = None
    """If nothing is random: the number of strikes after which the answers repeat; None: they do
    not, or it is not known."""
    verdict: Outcome = Outcome.TOO_FEW
    reason: str = ""
    """The criterion that decided, if the verdict is not a pass."""
    settles: str = ""
    """What would settle it, if it is open."""

    @property
    def judged(self) -> Verdict:
        """The verdict on all criteria."""
        return Verdict(outcome=self.verdict, reason=self.reason, settles=self.settles)

    @property
    def peak_to_peak_ticks(self) -> int | None:
        """Maximum minus minimum latency."""
        if self.min_ticks is None or self.max_ticks is None:
            return None
        return self.max_ticks - self.min_ticks

    @property
    def missed_share(self) -> float:
        """Missed strikes, as a part of all."""
        return self.classes[ResponseClass.MISSED] / self.strikes if self.strikes else 0.0

    def grown(self, strikes: int) -> RateFigures:
        """Return the figures of that many strikes, if they continued like these."""
        part = strikes / self.strikes if self.strikes else 0
        classes = {entry: round(part * count) for entry, count in self.classes.items()}
        return replace(self, strikes=strikes, classes=classes)


@dataclass(frozen=True, slots=True)
class RateStep:
    """One rate under one load."""

    tick_fs: TickFs
    simulated: bool
    load: str
    rate_hz: Positive
    for_channel: str
    """The channel whose knee was searched; empty: all of them, in the first scan."""
    strikes: Count
    """Strikes that were sent, over all stages."""
    channels: tuple[RateFigures, ...]
    recovery_s: Annotated[float, Ge(0)] | None = None
    """Wall time until the device answered at rest, before the step; None: it had just started.

    Of REST, from the last strike of the overload to the first from which on all are answered, in
    the instrument's time; None: there is none."""
    direction: str = ""
    """UP, DOWN or REST of a scan; empty: the device was not struck at another rate before."""
    drawn: bool | None = None
    """Whether anything was random, in the strikes or in a simulated device. If not, the same
    strikes get the same answers. None: not known, for a real device."""
    device_load: str | None = None
    """The load that a simulated device ran, such as `cpu`, or `none`; None: it has none, or
    nothing is known."""
    ends_hz: Positive | None = None
    """The highest rate that the instrument carries, of a step above it that was not taken."""

    def of(self, name: str) -> RateFigures:
        """Return a channel's figures; raise KeyError for a channel that is not there."""
        for entry in self.channels:
            if entry.name == name:
                return entry
        raise KeyError(name)


Steps = tuple[RateStep, ...]
"""What came of one piece of work."""
_DIRECTIONS = ("", UP, DOWN, REST)
_SETTLED = (ResponseClass.ANSWERED, ResponseClass.LATE, ResponseClass.MISSED)


def of_step(step: RateStep) -> Iterator[str]:
    """Yield each contradiction in a step, and what would be right."""
    for text in _of_step(step):
        yield f"{step.load!r} at {step.rate_hz} Hz: {text}"


def _of_step(step: RateStep) -> Iterator[str]:
    if step.direction not in _DIRECTIONS:
        yield f"direction: {step.direction!r}; must be one of {_DIRECTIONS}"
    if step.ends_hz is not None and step.ends_hz >= step.rate_hz:
        yield f"the instrument ends at {step.ends_hz} Hz; must be below the step's rate"
    names = [entry.name for entry in step.channels]
    if len(set(names)) < len(names) or (step.for_channel and step.for_channel not in names):
        yield f"channels {names}, for {step.for_channel!r}; must be different and include it"
    for entry in step.channels:
        yield from (f"{entry.name!r}: {text}" for text in _of_figures(entry))


def _of_figures(entry: RateFigures) -> Iterator[str]:
    settled = sum(entry.classes[name] for name in _SETTLED)
    if entry.strikes != settled:
        yield (
            f"{counted(entry.strikes, 'strike')}, {settled} answered, late or missed; both must "
            "be equal"
        )
    span = entry.peak_to_peak_ticks
    if span is not None and span < 0:
        yield f"from {entry.min_ticks} to {entry.max_ticks} ticks; must rise"
