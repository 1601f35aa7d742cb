"""One step as work that any process can do: strike at one rate until its verdict is known."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from plexor.analyse import ChannelFigures, analyse
from plexor.analyse import Figures as RunFigures
from plexor.device import Device
from plexor.errors import InvalidRunError, UsageError
from plexor.link.open import open_link
from plexor.percentiles import from_values, quantile
from plexor.plan import REPORT_SPACES, plan_of
from plexor.protocol.memory import ResponseClass, Space
from plexor.results import RunResult
from plexor.session import measure
from plexor.settings import Settings
from plexor.sweep.criterion import Criterion, judge, stage_strikes
from plexor.sweep.decide import STAGES, Verdict
from plexor.sweep.model import Figures, Step
from plexor.units import format_rate

LEAST_STRIKES = 256
"""So many tell whether a device falls behind, or does not answer at all."""
MOST_S = Fraction(60)
RECOVERY_S = 5.0
"""Wall time a device has to answer again."""
TIMEOUT_PERIODS = 4
"""Of a strike where no other time-out is asked for. A response later than that is taken for the
next strike's, so that one strike is missing where all are late: so many missing do not pass."""
RECOVERY_STRIKES = 16
"""All answered on all channels, they say that a device answers again."""
_QUANTILES = (Fraction(1, 2), Fraction(99, 100))


@dataclass(frozen=True, slots=True)
class Job:
    """A step to take. The same job of a simulated device always gives the same step."""

    link: str
    dut: str | None
    load: str
    settings: Settings
    """Its first stimulus is the one that is swept; of this the rate and the count are set."""
    rate_hz: Fraction
    for_channel: str
    """Strike until this channel's verdict is known; empty: until every channel's is."""
    criteria: tuple[Criterion, ...]
    least_strikes: int = LEAST_STRIKES
    most_s: Fraction = MOST_S
    """Of the instrument's time: no stage begins that would take longer in all."""
    rest_hz: Fraction | None = None
    """A rate at which the device must answer before it is struck; None: it has just started."""


def take(job: Job) -> tuple[Step]:
    """Take the one step of a job; stages of a simulated device are taken by a fresh one each.

    Raises PlexorError where a run does not start, breaks, or is not valid.
    """
    first = first_stage(job.criteria, job.least_strikes)
    stages: list[RunResult] = []
    figures: tuple[Figures, ...] = ()
    recovery_s = None if job.rest_hz is None else _recover(job, job.rest_hz)
    for stage, count in runs_of(first, job.least_strikes):
        if stage and (first << stage) / job.rate_hz > job.most_s:
            break
        stages.append(_run(job, job.rate_hz, len(stages), count))
        figures = figures_of(stages, job.criteria, stage, first, job.rate_hz)
        waited = [f for f in figures if job.for_channel in ("", f.name)]
        if all(entry.verdict != Verdict.UNDECIDED for entry in waited):
            break
    step = Step(
        stages[0].tick_fs,
        stages[0].simulated,
        job.load,
        job.rate_hz,
        job.for_channel,
        sum(run.strikes for run in stages),
        figures,
        recovery_s,
    )
    return (step,)


def check(job: Job) -> tuple[Step, ...]:
    """Strike nothing and return no step; raise UsageError where a job's rate is not possible."""
    settings = _settings(job, job.rate_hz, 0, LEAST_STRIKES)
    with _device(job) as device:
        try:
            plan_of(settings, device.identity)
        except ValueError as error:
            raise UsageError(f"at {format_rate(job.rate_hz)}: {error}") from error
    return ()


def first_stage(criteria: Sequence[Criterion], least_strikes: int) -> int:
    """Return how many strikes a step takes at least."""
    return stage_strikes(criteria, max(least_strikes, LEAST_STRIKES))


def runs_of(first: int, least: int) -> list[tuple[int, int]]:
    """Return stage and strikes of each run: a long first stage begins with a short one.

    What fails beyond doubt fails in it; it has `least` strikes or LEAST_STRIKES.
    """
    short = max(least, LEAST_STRIKES)
    begin = [short, first - short] if first >= 4 * short else [first]
    return [(0, count) for count in begin] + [
        (stage, first << stage - 1) for stage in range(1, STAGES)
    ]


def _recover(job: Job, rest_hz: Fraction) -> float:
    """Strike slowly until every channel answers; return the wall time that took.

    Raises InvalidRunError where one does not within RECOVERY_S.
    """
    began = time.monotonic()
    while True:
        waited_s = time.monotonic() - began
        run = _run(job, rest_hz, 0, RECOVERY_STRIKES)
        silent = [c.name for c in run.channels if c.classes[ResponseClass.MISSED]]
        if not silent:
            return round(waited_s, 3)
        if time.monotonic() - began > RECOVERY_S:
            raise InvalidRunError(
                f"{', '.join(silent)}: no answer to all of {RECOVERY_STRIKES} strikes at "
                f"{format_rate(rest_hz)} within {RECOVERY_S:g} s; restart it, or begin lower"
            )


def _device(job: Job) -> Device:
    return Device(open_link(job.link, job.dut))


def _settings(job: Job, rate_hz: Fraction, number: int, count: int) -> Settings:
    swept, *others = job.settings.strikes
    swept = replace(swept, period_s=1 / rate_hz, count=count, seed=swept.seed + number)
    timeout_s = job.settings.timeout_s or TIMEOUT_PERIODS / rate_hz
    simulated = job.link.startswith("sim:")
    # Bins are for the quantiles of a step whose events a slow link does not carry.
    spaces = REPORT_SPACES if simulated else (*REPORT_SPACES, Space.LATENCY_BINS)
    return replace(job.settings, strikes=(swept, *others), timeout_s=timeout_s, spaces=spaces)


def _run(job: Job, rate_hz: Fraction, number: int, count: int) -> RunResult:
    with _device(job) as device:
        result = measure(device, _settings(job, rate_hz, number, count))
    if result.interrupted:
        raise KeyboardInterrupt
    # A device that is swept may leave every strike unanswered; nothing else may be wrong.
    if not result.valid:
        raise InvalidRunError(f"at {format_rate(rate_hz)}: {'; '.join(result.invalid_reasons)}")
    return result


def figures_of(
    stages: Sequence[RunResult],
    criteria: Sequence[Criterion],
    stage: int,
    first: int,
    rate_hz: Fraction,
) -> tuple[Figures, ...]:
    """Return the figures of each channel over the runs of all stages so far, with verdicts."""
    period_ticks = 1 / rate_hz / Fraction(stages[0].tick_fs, 10**15)
    reports = [analyse(run) for run in stages]
    found: list[Figures] = []
    for place, channel in enumerate(stages[0].channels):
        figures = _figures(
            channel.name,
            [report.channels[place] for report in reports],
            {
                entry: sum(run.channels[place].classes[entry] for run in stages)
                for entry in ResponseClass
            },
            float(period_ticks),
        )
        verdict, reason = judge(criteria, figures, stage, first, stages[0].tick_fs)
        found.append(replace(figures, verdict=verdict, reason=reason))
    return tuple(found)


def _figures(
    name: str,
    stages: Sequence[ChannelFigures],
    classes: Mapping[ResponseClass, int],
    period_ticks: float,
) -> Figures:
    rises = [entry.rise for entry in stages if entry.rise is not None]
    least = [rise.min_ticks for rise in rises if rise.min_ticks is not None]
    most = [rise.max_ticks for rise in rises if rise.max_ticks is not None]
    missed = classes[ResponseClass.MISSED]
    settled = (ResponseClass.ANSWERED, ResponseClass.LATE, ResponseClass.MISSED)
    values = [rise.samples.value_ticks for rise in rises if rise.samples is not None]
    known = len(values) == len(stages)
    together = np.concatenate(values) if known else np.zeros(0, np.int64)
    spans = [rise.span.current_ticks for rise in rises if rise.span is not None]
    p50_ticks, p99_ticks = quantiles_of(together) if known else _greatest(rises)
    return Figures(
        name,
        strikes=sum(classes[entry] for entry in settled),
        classes=classes,
        min_ticks=min(least, default=None),
        max_ticks=max(most, default=None),
        p50_ticks=p50_ticks,
        p99_ticks=p99_ticks,
        rms_ticks=float(np.std(together)) if len(together) else None,
        jitter128_ticks=max(spans, default=None),
        # Behind a strike that is missing responses are taken for those of strikes before theirs.
        falls_behind=any(map(falls_behind, values)) if known and not missed else None,
        behind=sum(behind(entry, period_ticks) for entry in values),
    )


def quantiles_of(latency_ticks: npt.NDArray[np.int64]) -> tuple[int | None, int | None]:
    """Return p50 and p99 of samples."""
    found = [quantile(from_values(latency_ticks), q) for q in _QUANTILES]
    p50, p99 = (None if entry is None else entry.value_ticks for entry in found)
    return p50, p99


def _greatest(stages: Sequence[RunFigures]) -> tuple[int | None, int | None]:
    """Return the greatest p50 and p99 that a stage has, where their samples are not known."""
    p50, p99 = (
        max(
            (f.value_ticks for stage in stages if (f := stage.quantile(q)) is not None),
            default=None,
        )
        for q in _QUANTILES
    )
    return p50, p99


def behind(latency_ticks: npt.NDArray[np.int64], period_ticks: float) -> int:
    """Return by how many strikes a run of them fell behind: how much more of them wait at its end.

    What a device's queue takes up goes missing later, so that a short run alone would show less
    than the device loses in the long run.
    """
    eighth = len(latency_ticks) // 8
    if not eighth:
        return 0
    growth = float(latency_ticks[-eighth:].mean()) - float(latency_ticks[:eighth].mean())
    return max(round(growth / period_ticks), 0)


def falls_behind(latency_ticks: npt.NDArray[np.int64]) -> bool:
    """Return whether latency grew from quarter to quarter of the strikes, and still at the end.

    A device that takes longer for a response than the strikes are apart falls behind by the same
    time with every strike, long before a strike goes missing. Latencies that spread by more than it
    falls behind in a quarter of the strikes hide it.
    """
    if len(latency_ticks) < LEAST_STRIKES // 2:
        return False
    first, second, third, last = np.array_split(latency_ticks, 4)
    middles = [float(quarter.mean()) for quarter in (second, third, last)]
    return (
        int(third.min()) > int(first.max())
        and int(last.min()) > int(second.max())
        and middles[2] - middles[1] > (middles[1] - middles[0]) / 2
    )
