# SPDX-License-Identifier: Apache-2.0
"""An instrument behind the live page's interface, with planted histograms whose truth is known.

Up to eight channels, struck at any rate, with a snapshot whenever the wall clock says so. No
simulator does that in real time, so the page is shown what an instrument would send.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from plexor.base.errors import PlexorError, UsageError
from plexor.base.units import parse_rate
from plexor.experiments.step import RateFigures, RateStep
from plexor.experiments.sweep.model import Bracket, Knee
from plexor.figures.judge.verdict import Outcome
from plexor.library.run_spec import RunSpec, settings_of
from plexor.model.identity import Identity
from plexor.model.results import (
    EVENT_DTYPE,
    Accounting,
    Bins,
    ChannelResult,
    EventArray,
    Kind,
    RunResult,
    SampleResult,
    Statistics,
)
from plexor.model.settings import Channel, Settings
from plexor.protocol.geometry import ALL_FEATURES, Geometry
from plexor.protocol.memory import ResponseClass, bin_bits
from plexor.protocol.registers import RunState, StatusFlag, StopReason
from plexor.run.session.progress import Progress
from plexor.run.session.stop import Stop
from plexor.scope.interface import OnStep, Shot, Swept
from plexor.wire.decode.bins import bin_numbers

Ticks = npt.NDArray[np.int64]

MANTISSA_BITS = 6
TICK_FS = 1_000_000
TICKS_S = 10**9
NAMES = ("ISR", "TASK", "CAN rx", "PWM", "SPI cs", "NET", "LOG", "IDLE")
KNEE_HZ = 40_000
"""Rate above which the first channel misses strikes; the second does above twice that."""
POOL = 1 << 18
"""Responses that are drawn; a run takes them in turn, again and again."""
MISSED_EVERY = 50_000
"""Of the strikes of the second channel, one in so many is missed."""


def drawn(number: int, random: np.random.Generator) -> tuple[Ticks, Ticks]:
    """Return latencies and widths in ticks: a usual path, a masked one, and a rare far one."""
    latency = 1800 + 900 * number + random.gamma(3.0, 60 + 25 * number, POOL)
    masked = random.random(POOL) < 0.02
    latency[masked] += 500 + 900 * random.random(int(masked.sum()))
    rare = random.random(POOL) < 2e-5
    latency[rare] += 4000 * random.random(int(rare.sum()))
    width = 300 + 40 * number + random.normal(0, 6, POOL)
    return latency.astype(np.int64), np.maximum(width, 1).astype(np.int64)


def _no_counts() -> npt.NDArray[np.uint64]:
    return np.zeros(1 << bin_bits(MANTISSA_BITS), np.uint64)


def _counted(values: Ticks) -> npt.NDArray[np.uint64]:
    numbers = bin_numbers(values, MANTISSA_BITS)
    return np.bincount(numbers, minlength=1 << bin_bits(MANTISSA_BITS)).astype(np.uint64)


@dataclass
class PlantedChannel:
    """What one channel has measured so far."""

    number: int
    latency: Ticks
    width: Ticks
    rise: npt.NDArray[np.uint64] = field(default_factory=_no_counts)
    fall: npt.NDArray[np.uint64] = field(default_factory=_no_counts)
    count: int = 0
    missed: int = 0
    total: int = 0
    squares: int = 0
    least: int | None = None
    most: int | None = None
    most_at: int | None = None

    def grow(self, first: int, count: int, missed: int, now_ticks: int) -> None:
        """Take `count` responses more, from `first` of the pool on, and so many misses."""
        place = np.arange(first, first + count) % POOL
        latency = self.latency[place]
        self.rise += _counted(latency)
        self.fall += _counted(latency + self.width[place])
        self.count += count
        self.missed += missed
        self.total += int(latency.sum())
        self.squares += int((latency * latency).sum())
        if count:
            least, most = int(latency.min()), int(latency.max())
            self.least = least if self.least is None else min(self.least, least)
            if self.most is None or most > self.most:
                self.most, self.most_at = most, now_ticks

    def result(self) -> ChannelResult:
        """Return its results so far."""
        known = Statistics(
            self.count, self.total, self.squares, self.least, self.most, None, None, None,
            self.most_at,
        )  # fmt: skip
        falls = Statistics(self.count, 0, None, None, None)
        classes = dict.fromkeys(ResponseClass, 0) | {
            ResponseClass.ANSWERED: self.count,
            ResponseClass.MISSED: self.missed,
            ResponseClass.STRIKES: self.count + self.missed,
        }
        measurements = (
            SampleResult(Kind.RISE, known, Bins(MANTISSA_BITS, self.rise.copy())),
            SampleResult(Kind.FALL, falls, Bins(MANTISSA_BITS, self.fall.copy())),
        )
        return ChannelResult(
            self.number, NAMES[self.number], "strike0", None, classes, 0, self.count, measurements
        )


class PlantedRun:
    """A run whose snapshots come by the wall clock, `each_s` apart."""

    def __init__(self, settings: Settings, channels: int, each_s: float) -> None:
        (strike,) = settings.strikes
        self.settings = settings
        self.rate_hz = float(1 / (strike.period_s or 1))
        self.wanted = strike.count or None
        self.strikes = 0
        self._each_s = each_s
        self._stop = threading.Event()
        self._elapsed_s = 0.0
        random = np.random.default_rng(7)
        self.channels = [PlantedChannel(n, *drawn(n, random)) for n in range(channels)]

    def shots(self) -> Iterator[Shot]:
        """Yield the results so far, until the run has ended."""
        began = time.monotonic()
        number = 0
        while not self._stop.is_set():
            number += 1
            now_s = number * self._each_s
            self._stop.wait(max(began + now_s - time.monotonic(), 0))
            due = int(now_s * self.rate_hz)
            last = self.wanted is not None and due >= self.wanted
            self._grow(due if self.wanted is None else min(due, self.wanted), now_s)
            yield self._shot(number, time.monotonic() - began)
            if last:
                return

    def events(self) -> Iterator[EventArray]:
        """Yield no events."""
        yield np.empty(0, EVENT_DTYPE)

    def stop(self) -> None:
        """End the run."""
        self._stop.set()

    def result(self) -> RunResult:
        """Return the whole run."""
        events = self._events()
        return RunResult(
            identity=Identity(Geometry(channels=8, features=ALL_FEATURES), 7),
            settings=self.settings,
            registers=(),
            echo=(),
            start_ticks=0,
            end_ticks=int(self._elapsed_s * TICKS_S),
            stop_reason=StopReason.STRIKES,
            flags=StatusFlag(0),
            channels=tuple(channel.result() for channel in self.channels),
            accounting=Accounting(events, events, 0, 0),
            wall_seconds=self._elapsed_s,
        )

    def _grow(self, strikes: int, now_s: float) -> None:
        for channel in self.channels:
            before, after = self.strikes, strikes
            missed = 0
            if channel.number == 1:
                missed = after // MISSED_EVERY - before // MISSED_EVERY
            channel.grow(before, after - before - missed, missed, int(now_s * TICKS_S))
        self.strikes, self._elapsed_s = strikes, now_s

    def _events(self) -> int:
        return 2 * self.strikes + 2 * sum(channel.count for channel in self.channels)

    def _shot(self, number: int, wall_s: float) -> Shot:
        progress = Progress(
            self.strikes, self.wanted, self._elapsed_s, None, wall_s, None, self._events(), 0, 0,
            0, RunState.RUNNING,
        )  # fmt: skip
        channels = tuple(channel.result() for channel in self.channels)
        return Shot(number, progress, channels, TICK_FS, True, 0, time.time())


@dataclass(frozen=True)
class PlantedSweep:
    """A sweep that has ended. `steps` are those that were told."""

    steps: tuple[RateStep, ...]
    knees: tuple[Knee, ...]
    error: PlexorError | None = None


def planted_step(rate_hz: Fraction, channels: tuple[Channel, ...], strikes: int = 1000) -> RateStep:
    """Return a step at a rate: channel n misses a tenth of the strikes above its knee."""
    found: list[RateFigures] = []
    for channel in channels:
        fails = rate_hz > KNEE_HZ * (channel.number + 1)
        missed = strikes // 10 if fails else 0
        base = 1800 + 900 * channel.number
        classes = dict.fromkeys(ResponseClass, 0) | {
            ResponseClass.ANSWERED: strikes - missed,
            ResponseClass.MISSED: missed,
        }
        verdict = Outcome.FAIL if fails else Outcome.PASS
        ends = (base, base + 1500 * (1 + fails), base + 200, base + 800 * (1 + fails))
        found.append(RateFigures(channel.label, strikes, classes, *ends, verdict=verdict))
    return RateStep(TICK_FS, True, "none", rate_hz, "", strikes, tuple(found))


class PlantedRig:
    """The instrument. It remembers the settings of its runs, and the folders of kept ones."""

    def __init__(self, channels: int = 8, each_s: float = 0.05) -> None:
        self.runs: list[PlantedRun] = []
        self.swept: list[dict[str, Any]] = []
        self.kept: list[Path] = []
        self._channels = channels
        self._each_s = each_s
        self.about: Mapping[str, Any] = {
            "device": "planted histograms",
            "link": "planted:",
            "source": "simulated",
            "simulated": True,
            "tick_fs": TICK_FS,
            "notes": [],
            "pins": [{"number": n, "name": NAMES[n], "measured": True} for n in range(channels)],
        }

    def check(self, options: Mapping[str, Any]) -> None:
        """Raise UsageError if a run with these options cannot be taken."""
        if not settings_of(RunSpec.of(options), endless=True).strikes:
            raise UsageError("rate: must be given")

    def begin(self, options: Mapping[str, Any]) -> PlantedRun:
        """Begin a run."""
        settings = settings_of(RunSpec.of(options), endless=True)
        self.runs.append(PlantedRun(settings, self._channels, self._each_s))
        return self.runs[-1]

    def channels(self, options: Mapping[str, Any]) -> tuple[Channel, ...]:
        """Return the channels of a run or a sweep with these options."""
        named = {"channels": options["channels"]} if "channels" in options else {}
        return settings_of(RunSpec.of({"rate": "1k", **named}), endless=True).channels

    def sweep(self, options: Mapping[str, Any], on_step: OnStep, stop: Stop) -> PlantedSweep:
        """Sweep over even ratios of rates, a step each `each_s`, until stopped."""
        self.swept.append(dict(options))
        channels = self.channels(options)
        low, high = parse_rate(options["low"]), parse_rate(options["high"])
        count = int(options.get("points", 9))
        ratio = float(high / low) ** (1 / (count - 1))
        steps: list[RateStep] = []
        while len(steps) < count and not stop.asked:
            rate = low * Fraction(ratio ** len(steps)).limit_denominator(10**6)
            steps.append(planted_step(rate, channels))
            on_step(steps[-1], len(steps), count)
            time.sleep(self._each_s)
        knees: list[Knee] = []
        for channel in channels:
            limit = KNEE_HZ * (channel.number + 1)
            passing = [step.rate_hz for step in steps if step.rate_hz <= limit]
            failing = [step.rate_hz for step in steps if step.rate_hz > limit]
            bracket = Bracket(max(passing, default=None), min(failing, default=None))
            knees.append(Knee("none", channel.label, bracket, 1000 * len(steps)))
        return PlantedSweep(tuple(steps), tuple(knees))

    def explain(self, result: RunResult) -> Mapping[str, Any]:
        """Return that there are no codes."""
        return {"timeline": "", "texts": {}}

    def keep(self, result: RunResult | Swept, folder: Path) -> None:
        """Remember a folder."""
        del result
        self.kept.append(folder)

    def close(self) -> None:
        """End all runs."""
        for run in self.runs:
            run.stop()
