# SPDX-License-Identifier: Apache-2.0
"""The steps of a sweep as rows, and its heading: the same in every picture of it."""

from __future__ import annotations

from collections.abc import Sequence

from plexor.base.figure_words import MAX_SEEN
from plexor.base.units import format_rate, format_ticks
from plexor.experiments.step import REST, RateStep
from plexor.experiments.sweep.model import Knee, SweepResult
from plexor.show.facts import load_word
from plexor.show.table import NOTHING


def own_steps(steps: Sequence[RateStep], knee: Knee) -> list[RateStep]:
    """Return the steps of a channel under a load but those at rest, rates rising."""
    own = [
        step
        for step in steps
        if step.load == knee.load
        and step.for_channel in ("", knee.channel)
        and step.direction != REST
    ]
    return sorted(own, key=lambda step: step.rate_hz)


def step_rows(result: SweepResult) -> tuple[list[str], list[list[str]]]:
    """Return the heads and a row for each channel at each step."""
    head = [
        "load",
        "rate",
        "channel",
        "verdict",
        "missed",
        "p50",
        "p99",
        MAX_SEEN,
        "strikes",
        "again",
    ]
    return head, [
        [
            load_word(step.load),
            " ".join(filter(None, (format_rate(step.rate_hz), step.direction))),
            figures.name,
            " ".join(filter(None, (figures.verdict.value, figures.judged.line))),
            f"{figures.missed_share:.3%}",
            *(
                NOTHING if ticks is None else format_ticks(ticks, result.tick_fs)
                for ticks in (figures.p50_ticks, figures.p99_ticks, figures.max_ticks)
            ),
            f"{figures.strikes:,}",
            NOTHING if figures.cycle is None else f"every {figures.cycle:,}",
        ]
        for step in sorted(result.steps, key=lambda step: (step.load, step.rate_hz))
        for figures in step.channels
        if step.for_channel in ("", figures.name)
    ]


def heading(result: SweepResult) -> tuple[str, str]:
    """Return what was swept, and where the figures come from."""
    device = result.device
    title = device.get("os") or device.get("system") or device.get("dut") or "Saturation"
    return title, "simulated" if result.simulated else "measured"
