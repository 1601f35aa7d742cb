# SPDX-License-Identifier: Apache-2.0
"""A sweep as the page draws it: its steps as they come, and where each channel saturates."""

from __future__ import annotations

import math
from typing import Any

from plexor.base.units import plot_seconds
from plexor.experiments.step import RateFigures, RateStep
from plexor.experiments.sweep.model import Knee
from plexor.model.settings import Channel
from plexor.show.terminal.sweep import bracket_text


class SweepView:
    """The steps so far. `number` of a step counts from 1; `expected` is about how many come."""

    def __init__(self, channels: tuple[Channel, ...]) -> None:
        self._numbers = {channel.label: channel.number for channel in channels}
        self._steps: list[dict[str, Any]] = []
        self._expected = 0
        self._knees: list[dict[str, Any]] = []

    def step(self, step: RateStep, number: int, expected: int) -> None:
        """Take a step."""
        self._expected = max(expected, number)
        self._steps.append(
            {
                "rate": float(step.rate_hz),
                "channel": step.for_channel,
                "channels": [self._figures(step, channel) for channel in step.channels],
            }
        )

    def end(self, knees: tuple[Knee, ...]) -> None:
        """Take what the sweep found."""
        self._expected = len(self._steps)
        self._knees = [
            {
                "name": knee.channel,
                "number": self._numbers.get(knee.channel, 0),
                "text": bracket_text(knee.bracket),
                "passing": _hertz(knee.bracket.passing_hz),
                "failing": _hertz(knee.bracket.failing_hz),
            }
            for knee in knees
        ]

    def document(self) -> dict[str, Any]:
        """Return all of it as JSON: rates in hertz, times in seconds."""
        return {"steps": [*self._steps], "expected": self._expected, "knees": self._knees}

    def _figures(self, step: RateStep, channel: RateFigures) -> dict[str, Any]:
        def seconds(ticks: int | None) -> float | None:
            return None if ticks is None else plot_seconds(ticks, step.tick_fs)

        return {
            "name": channel.name,
            "number": self._numbers.get(channel.name, 0),
            "strikes": channel.strikes,
            "missed": channel.missed_share if math.isfinite(channel.missed_share) else 0.0,
            "min": seconds(channel.min_ticks),
            "p50": seconds(channel.p50_ticks),
            "p99": seconds(channel.p99_ticks),
            "max": seconds(channel.max_ticks),
            "verdict": channel.verdict.value,
            "reason": channel.reason,
        }


def _hertz(rate: Any) -> float | None:
    return None if rate is None else float(rate)
