# SPDX-License-Identifier: Apache-2.0
"""What `plexor compare` compares of a schedule: the fate of entries, and their lateness. Pure."""

from __future__ import annotations

from plexor.base.units import seconds_of, square_seconds_of
from plexor.library.parts.results import Figure, Figured, Sums, share_of
from plexor_lab.mixed.figures import summaries
from plexor_lab.mixed.model import MixedResult
from plexor_lab.mixed.summary import SCHEDULED, Moments, Summary


def figured_of(result: MixedResult, kind: str) -> Figured:
    """Return the figures of each run, by its name."""
    schedule, timecode = result.schedule, result.timecode
    gray = " in Gray code" if timecode.gray else ""
    return Figured(
        kind,
        {
            (name, figure): value
            for name, summary in summaries(result).items()
            for figure, value in _of_run(summary, result.tick_fs).items()
        },
        {
            "source": "simulated" if result.simulated else "measured",
            "count": str(schedule.count),
            "spacing": f"{schedule.spacing_steps} steps",
            "ids": f"{schedule.ids}, {schedule.order}",
            "timecode": f"{timecode.bits} bits{gray}, {float(timecode.period_s):g} s a step",
            **result.device,
        },
        result.simulated,
        result.invalid_reasons,
    )


def _of_run(summary: Summary, tick_fs: int) -> dict[str, Figure]:
    shares = {str(s): share_of(summary.counts[s], summary.scheduled) for s in SCHEDULED}
    return shares if summary.moments is None else shares | _times(summary.moments, tick_fs)


def _times(moments: Moments, tick_fs: int) -> dict[str, Figure]:
    mean_s = seconds_of(moments.mean_ticks, tick_fs)
    variance_s2 = square_seconds_of(moments.variance_ticks2, tick_fs)
    return {
        "min": Figure(seconds_of(moments.min_ticks, tick_fs)),
        "mean": Figure(mean_s, sums=Sums(moments.count, mean_s, variance_s2)),
        "max": Figure(seconds_of(moments.max_ticks, tick_fs)),
        "variance": Figure(variance_s2, "s²"),
    }
