# SPDX-License-Identifier: Apache-2.0
"""The figures of a step for each channel over all its runs, with the verdict. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from plexor.experiments.criterion import Criterion, judge
from plexor.experiments.step import RateFigures
from plexor.figures.analyse.analyse import ChannelFigures, analyse
from plexor.figures.analyse.analyse import Figures as RunFigures
from plexor.figures.analyse.pairing import Pairing
from plexor.figures.analyse.percentiles import from_values, quantile
from plexor.model.results import Kind, RunResult
from plexor.protocol.memory import ResponseClass
from plexor.wire.decode.matched import Samples

LEAST_STRIKES = 256
"""Strikes that show whether a device falls behind, or does not answer at all."""
_QUANTILES = (Fraction(1, 2), Fraction(99, 100))


def figures_of(
    runs: Sequence[RunResult],
    criteria: Sequence[Criterion],
    stage: int,
    first: int,
    rate_hz: Fraction,
    drawn: bool | None = None,
) -> tuple[RateFigures, ...]:
    """Return the figures of each channel over all runs of a step so far, with verdicts.

    `drawn` says whether anything in them was drawn at random.
    """
    period_ticks = 1 / rate_hz / Fraction(runs[0].tick_fs, 10**15)
    reports = [analyse(run) for run in runs]
    found: list[RateFigures] = []
    for place, channel in enumerate(runs[0].channels):
        classes = {
            entry: sum(run.channels[place].classes[entry] for run in runs)
            for entry in ResponseClass
        }
        channels = [report.channels[place] for report in reports]
        figures = _figures(channel.name, channels, classes, float(period_ticks), drawn is False)
        pairings = [entry.pairing for entry in channels]
        found.append(judged(figures, criteria, stage, first, runs[0].tick_fs, pairings))
    return tuple(found)


def judged(
    figures: RateFigures,
    criteria: Sequence[Criterion],
    stage: int,
    first: int,
    tick_fs: int,
    pairings: Sequence[Pairing | None],
) -> RateFigures:
    """Return figures with their verdict, without latencies whose strikes are not known.

    `pairings` are those of the runs, or of the part of one, that they are of.
    """
    shifted = any(pairing is not None and not pairing.known for pairing in pairings)
    figures = replace(figures, shifted=shifted)
    found = judge(criteria, figures, stage, first, tick_fs)
    figures = replace(figures, verdict=found.outcome, reason=found.reason, settles=found.settles)
    if not figures.shifted:
        return figures
    return replace(
        figures,
        min_ticks=None,
        max_ticks=None,
        p50_ticks=None,
        p99_ticks=None,
        rms_ticks=None,
        jitter128_ticks=None,
    )


def _figures(
    name: str,
    runs: Sequence[ChannelFigures],
    classes: Mapping[ResponseClass, int],
    period_ticks: float,
    deterministic: bool,
) -> RateFigures:
    rises = [rise for entry in runs if (rise := entry.kinds.get(Kind.RISE)) and rise.count]
    least = [rise.min_ticks for rise in rises if rise.min_ticks is not None]
    most = [rise.max_ticks for rise in rises if rise.max_ticks is not None]
    missed = classes[ResponseClass.MISSED]
    settled = (ResponseClass.ANSWERED, ResponseClass.LATE, ResponseClass.MISSED)
    samples = [rise.samples for rise in rises if rise.samples is not None]
    values = [entry.value_ticks for entry in samples]
    known = len(values) == len(runs)
    together = np.concatenate(values) if known else np.zeros(0, np.int64)
    spans = [rise.span.current_ticks for rise in rises if rise.span is not None]
    p50_ticks, p99_ticks = quantiles_of(together) if known else _greatest(rises)
    return RateFigures(
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
        cycle=_cycle_of(samples[-1], period_ticks) if known and deterministic else None,
    )


def _cycle_of(samples: Samples, period_ticks: float) -> int | None:
    """Return after how many strikes latencies and missing strikes repeat; None: they do not."""
    order = np.argsort(samples.start_ticks, kind="stable")
    start_ticks = samples.start_ticks[order]
    number = np.rint((start_ticks - start_ticks[0]) / period_ticks).astype(np.int64)
    answers = np.full(int(number[-1]) + 1, -1, np.int64)
    answers[number] = samples.value_ticks[order]
    return cycle(answers)


def cycle(answers: npt.NDArray[np.int64]) -> int | None:
    """Return the minimum number of strikes after which the answers repeat; None: they do not.

    They do where each of the latter half is as that one so many strikes before, and the half is
    twice as long or longer.
    """
    back = np.ascontiguousarray(answers[::-1])
    half = len(back) // 2
    size = back.itemsize
    content, wanted = back.tobytes(), back[:half].tobytes()
    place = content.find(wanted, size)
    while place % size and place > 0:
        place = content.find(wanted, place + 1)
    return place // size if half and 0 < place // size <= half // 2 else None


def quantiles_of(latency_ticks: npt.NDArray[np.int64]) -> tuple[int | None, int | None]:
    """Return p50 and p99 of samples."""
    found = [quantile(from_values(latency_ticks), q) for q in _QUANTILES]
    p50, p99 = (None if entry is None else entry.value_ticks for entry in found)
    return p50, p99


def _greatest(runs: Sequence[RunFigures]) -> tuple[int | None, int | None]:
    """Return the maximum p50 and p99 of the runs, if their samples are not known."""
    p50, p99 = (
        max(
            (
                found.value_ticks
                for run in runs
                if (found := run.quantile(q)) is not None and found.value_ticks is not None
            ),
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
