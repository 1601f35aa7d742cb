# SPDX-License-Identifier: Apache-2.0
"""Devices that lose strikes at random, under the real code of a sweep: no simulator."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from plexor.experiments import job
from plexor.experiments.job import RunCheck
from plexor.model.identity import Identity
from plexor.model.results import (
    Accounting,
    Bins,
    ChannelResult,
    Kind,
    RunResult,
    SampleResult,
    SourceAccounting,
    Statistics,
)
from plexor.model.settings import Settings
from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import ResponseClass, bin_of
from plexor.protocol.registers import StatusFlag, StopReason

LATENCY_TICKS = 300
GEOMETRY = Geometry()
STRIKE0 = 8


@dataclass(frozen=True)
class Lossy:
    """A device that loses each strike with a probability.

    Started anew for a step it draws the same again, and for another step other numbers.
    """

    seed: int
    loss: float

    def run(self, settings: Settings, draws_of: str = "") -> RunResult:
        """Return the run of so many strikes, after a start."""
        swept = settings.strikes[0]
        assert swept.period_s is not None
        own = [self.seed, *draws_of.encode()]
        lost = np.random.default_rng(own).random(swept.count) < self.loss
        return run_of(settings, int(lost.sum()))


def run_of(settings: Settings, missed: int) -> RunResult:
    """Return a run without events, as of a slow link: so many of its strikes are missed."""
    strikes = settings.strikes[0].count
    answered = strikes - missed
    counts = np.zeros(1 << GEOMETRY.latency_mantissa_bits + 5, np.uint64)
    counts[bin_of(LATENCY_TICKS, GEOMETRY.latency_mantissa_bits)] = answered
    ends = (LATENCY_TICKS, LATENCY_TICKS) if answered else (None, None)
    squares = answered * LATENCY_TICKS**2
    rise = Statistics(answered, answered * LATENCY_TICKS, squares, *ends)
    classes = dict.fromkeys(ResponseClass, 0) | {
        ResponseClass.ANSWERED: answered,
        ResponseClass.MISSED: missed,
        ResponseClass.STRIKES: strikes,
    }
    channel = settings.channels[0]
    edges = 2 * strikes
    return RunResult(
        identity=Identity(GEOMETRY, 1),
        settings=settings,
        registers=(),
        echo=(),
        start_ticks=0,
        end_ticks=10**9,
        stop_reason=StopReason.STRIKES,
        flags=StatusFlag(0),
        channels=(
            ChannelResult(
                channel.number,
                channel.label,
                "strike0",
                None,
                classes,
                0,
                answered,
                (SampleResult(Kind.RISE, rise, Bins(GEOMETRY.latency_mantissa_bits, counts)),),
            ),
        ),
        accounting=Accounting(edges, edges, 0, 0, (SourceAccounting(STRIKE0, edges, 0, 0, edges),)),
    )


class Here(Executor):
    """Does a job where it is asked for; every rate is possible."""

    def submit(self, work: Callable[..., object], asked: object) -> Future[object]:
        future: Future[object] = Future()
        future.set_result(None if isinstance(asked, RunCheck) else work(asked))
        return future


def put_in(monkeypatch, device: Lossy) -> None:
    """Have jobs strike a device that starts anew for each run, as a simulated one does."""

    def run(asked: job.Job, rate_hz: Fraction, number: int, count: int):
        swept, *others = asked.settings.strikes
        swept = replace(swept, period_s=1 / rate_hz, count=count, seed=swept.seed + number)
        timeout_s = asked.settings.timeout_s
        assert timeout_s is not None
        settings = replace(asked.settings, strikes=(swept, *others), timeout_s=timeout_s)
        return device.run(settings, asked.draws_of), True

    monkeypatch.setattr(job, "_run", run)
