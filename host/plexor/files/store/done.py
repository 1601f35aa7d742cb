# SPDX-License-Identifier: Apache-2.0
"""What was done in a run, as a part of its document."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from plexor.base.units import decimal_text
from plexor.figures.analyse.done import strikes_of, timeout_of
from plexor.model.results import RunResult
from plexor.model.settings import MODES


def settings_document(result: RunResult) -> dict[str, Any]:
    """Return strikes, channels, matching and end of a run; times and rates are exact texts."""
    settings = result.settings
    return {
        "strikes": [
            {
                "output": entry.stimulus.output,
                "rate_hz": _text(entry.rate_hz),
                "period_s": _text(entry.stimulus.period_s),
                "width_s": _text(entry.width_s),
                "duty": _text(entry.stimulus.duty),
                "phase_s": _text(entry.stimulus.phase_s),
                "burst": entry.stimulus.burst,
                "spacing_s": _text(entry.stimulus.spacing_s),
                "count": entry.stimulus.count or None,
                "dither_s": _text(entry.stimulus.dither_s),
                "poisson": entry.stimulus.poisson,
                "trigger": entry.stimulus.trigger.name.lower(),
                "trigger_over_s": _text(entry.stimulus.trigger_over_s),
                "seed": entry.stimulus.seed,
                "invert": entry.stimulus.invert,
            }
            for entry in strikes_of(result)
        ],
        "channels": [
            {
                "name": entry.label,
                "number": entry.number,
                "reference": entry.reference,
                "deadline_s": _text(entry.deadline_s),
                "filter_s": _text(entry.filter_s),
                "invert": entry.invert,
                "either": entry.either,
            }
            for entry in settings.channels
        ],
        "policy": settings.policy.name.lower(),
        "timeout_s": _text(timeout_of(result)),
        "window_min_s": _text(settings.window_min_s),
        "early_s": _text(settings.early_s),
        "count": settings.count,
        "time_s": _text(settings.time_s),
        "mode": next((name for name, stream in MODES.items() if stream == settings.stream), None),
        "table": [
            {
                "rate_hz": _text(1 / step.period_s),
                "count": step.count,
                "width_s": _text(step.width_s),
                "duty": _text(step.duty),
            }
            for step in settings.table
        ],
        "rounded": [
            {"name": echo.name, "asked_s": _text(echo.asked_s), "taken_s": _text(echo.taken_s)}
            for echo in result.echo
            if echo.error_s
        ],
    }


def _text(value: Fraction | None) -> str | None:
    return None if value is None else decimal_text(value)
