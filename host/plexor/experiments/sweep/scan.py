# SPDX-License-Identifier: Apache-2.0
"""Scans by the instrument's own table: up and down in one run, then the recovery from overload."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from plexor.base.counts import agreed, counted
from plexor.base.errors import InvalidRunError
from plexor.base.units import seconds_of
from plexor.experiments.criterion import Criterion
from plexor.experiments.figures import LEAST_STRIKES, judged, quantiles_of
from plexor.experiments.job import RunCheck, drawn_anew, draws_option, first_stage, is_drawn
from plexor.experiments.step import DOWN, REST, UP, RateFigures, RateStep, Steps
from plexor.experiments.work import Work
from plexor.figures.analyse.analyse import ChannelFigures, analyse
from plexor.figures.analyse.evidence import pairing_of_step
from plexor.model.results import Kind, RunResult, StepChannel, StepResult
from plexor.model.settings import Settings, TableStep
from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.memory import ResponseClass, Space
from plexor.run.plan.registers import COUNTED_SPACES
from plexor.run.session.session import measure_whole
from plexor.wire.decode.matched import Samples
from plexor.wire.device.device import Device
from plexor.wire.link.open import open_link

STAGE = 1
"""The dwell of a step is that of the test's stage of this number: its verdicts have its bounds."""
REST_STRIKES = 64
"""At the lowest rate, after the highest: by these recovery is measured."""


@dataclass(frozen=True, slots=True)
class RateScan(Work[Steps]):
    """A scan to take: from the lowest rate to the highest, down again, and to rest from there."""

    link: str
    dut: str | None
    load: str
    settings: Settings
    """Its first stimulus is swept; it has the time-out."""
    rates_hz: tuple[Fraction, ...]
    """Two or more rates, rising."""
    criteria: tuple[Criterion, ...]
    least_strikes: int = LEAST_STRIKES

    @property
    def draws_of(self) -> str:
        """What the scan is, as `Job.draws_of`."""
        rates = ", ".join(map(str, self.rates_hz))
        return f"scan both ways at {rates} Hz under {self.load!r}"

    @property
    def check(self) -> RunCheck:
        """What checks whether it is possible."""
        return RunCheck(self.link, self.dut, _asked(self)[1], "--both-ways")

    def take(self) -> Steps:
        """Take it. Raises PlexorError where its run does not start, breaks or is not valid.

        The last step is at rest, at the lowest rate: its `recovery_s` is from the last strike at
        the highest rate to the first from which on every one is answered, of the slowest channel.
        """
        ways, settings = _asked(self)
        swept = self.settings.strikes[0]
        own = draws_option(swept, self.draws_of) if self.link.startswith("sim:") else ()
        link = open_link(self.link, self.dut, own, again=True)
        with Device(link) as device:
            run = measure_whole(device, settings)
        if not run.valid:
            raise InvalidRunError(f"scan: {'; '.join(run.invalid_reasons)}")
        if len(run.steps) != len(ways):
            raise InvalidRunError(
                f"scan: {counted(len(run.steps), 'step')} {agreed(len(run.steps), 'was', 'were')} "
                f"taken; must be {len(ways)}"
            )
        channels = analyse(run).channels
        first = first_stage(self.criteria, self.least_strikes)
        source, drawn = (run.tick_fs, run.simulated), is_drawn(settings, link)
        steps: list[RateStep] = []
        for (rate_hz, way), step in zip(ways, run.steps, strict=True):
            figures = tuple(
                judged(
                    _figures(step, counted, channel),
                    self.criteria,
                    STAGE,
                    first,
                    run.tick_fs,
                    (pairing_of_step(run, channel.result, counted, step, _samples(channel)),),
                )
                for counted, channel in zip(step.channels, channels, strict=True)
            )
            strikes = max((counted.strikes for counted in step.channels), default=0)
            steps.append(
                RateStep(
                    *source,
                    self.load,
                    rate_hz,
                    "",
                    strikes,
                    figures,
                    direction=way,
                    drawn=drawn,
                    device_load=run.device_load,
                )
            )
        last = replace(steps[-1], recovery_s=recovery_s(run, channels, run.steps[-2:]))
        return (*steps[:-2], last)


def plan(scan: RateScan) -> tuple[list[tuple[Fraction, str]], list[TableStep]]:
    """Return rate and direction of each step, and the steps."""
    up = [(rate, UP) for rate in scan.rates_hz]
    down = [(rate, DOWN) for rate in reversed(scan.rates_hz[:-1])]
    ways = [*up, *down, (scan.rates_hz[-1], REST), (scan.rates_hz[0], REST)]
    count = first_stage(scan.criteria, scan.least_strikes) << STAGE
    swept = scan.settings.strikes[0]
    steps = [
        TableStep(1 / rate, REST_STRIKES if way == REST else count, swept.width_s, swept.duty)
        for rate, way in ways
    ]
    return ways, steps


def _asked(scan: RateScan) -> tuple[list[tuple[Fraction, str]], Settings]:
    """Return rate and direction of each step, and the run that takes them."""
    ways, table = plan(scan)
    swept, *others = scan.settings.strikes
    settings = replace(
        scan.settings,
        strikes=(
            replace(drawn_anew(swept, scan.draws_of), period_s=table[0].period_s),
            *others,
        ),
        table=tuple(table),
        spaces=(*COUNTED_SPACES, Space.STEPS),
    )
    return ways, settings


def _figures(step: StepResult, counted: StepChannel, channel: ChannelFigures) -> RateFigures:
    samples = _samples(channel)
    values = np.zeros(0, np.int64)
    if samples is not None:
        inside = (samples.start_ticks >= step.start_ticks) & (samples.start_ticks < step.end_ticks)
        values = samples.value_ticks[inside]
    known = len(values) == counted.rise.count > 0
    p50_ticks, p99_ticks = quantiles_of(values) if known else (None, None)
    return RateFigures(
        counted.name,
        counted.classes[ResponseClass.STRIKES] + counted.pending_before - counted.pending,
        counted.classes,
        counted.rise.min_ticks,
        counted.rise.max_ticks,
        p50_ticks,
        p99_ticks,
        float(np.std(values)) if known else None,
    )


def _samples(channel: ChannelFigures) -> Samples | None:
    """Return the latencies as they were matched, if all events came."""
    rise = channel.kinds.get(Kind.RISE)
    return None if rise is None else rise.samples


def recovery_s(
    run: RunResult, channels: Sequence[ChannelFigures], steps: Sequence[StepResult]
) -> float | None:
    """Return how long after the overload every channel answers every strike; None: it does not."""
    events = run.whole_events
    if events is None:
        return None
    strikes = events["time_ticks"][(events["source"] == SOURCE_STRIKE) & (events["polarity"] == 1)]
    overload, rest = (
        strikes[(strikes >= step.start_ticks) & (strikes < step.end_ticks)] for step in steps
    )
    if not len(overload) or not len(rest):
        return None
    begins = 0
    for channel in channels:
        samples = _samples(channel)
        if samples is None or not len(samples.start_ticks):
            return None
        missed = np.flatnonzero(~np.isin(rest, samples.start_ticks))
        begins = max(begins, int(missed[-1]) + 1 if len(missed) else 0)
    if begins == len(rest):
        return None
    return float(seconds_of(int(rest[begins] - overload[-1]), run.tick_fs))
