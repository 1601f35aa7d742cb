# SPDX-License-Identifier: Apache-2.0
"""What was done in a run, as a part of its document."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from typing import Any

from plexor.base.units import decimal_text
from plexor.figures.analyse.done import strikes_of, timeout_of
from plexor.files.store.figure_types import (
    RoundedPart,
    SettingsPart,
    StepPart,
    StrikesPart,
    WiredPart,
)
from plexor.model.results import RunResult
from plexor.model.settings import MODES, Channel


def settings_part(result: RunResult) -> SettingsPart:
    """Return strikes, channels, matching and end of a run; times and rates are exact texts."""
    settings = result.settings
    return SettingsPart(
        strikes=tuple(
            StrikesPart(
                output=strikes.stimulus.output,
                rate_hz=_maybe(strikes.rate_hz),
                period_s=_maybe(strikes.stimulus.period_s),
                width_s=_maybe(strikes.width_s),
                duty=_maybe(strikes.stimulus.duty),
                phase_s=decimal_text(strikes.stimulus.phase_s),
                burst=strikes.stimulus.burst,
                spacing_s=_maybe(strikes.stimulus.spacing_s),
                count=strikes.stimulus.count or None,
                dither_s=decimal_text(strikes.dither_s),
                poisson=strikes.stimulus.poisson,
                trigger=strikes.stimulus.trigger.name.lower(),
                trigger_over_s=_maybe(strikes.stimulus.trigger_over_s),
                seed=strikes.stimulus.seed,
                invert=strikes.stimulus.invert,
            )
            for strikes in strikes_of(result)
        ),
        channels=tuple(map(_wired, settings.channels)),
        policy=settings.policy.name.lower(),
        timeout_s=_maybe(timeout_of(result)),
        window_min_s=decimal_text(settings.window_min_s),
        early_s=decimal_text(settings.early_s),
        count=settings.count,
        time_s=_maybe(settings.time_s),
        mode=next((name for name, stream in MODES.items() if stream == settings.stream), None),
        table=tuple(
            StepPart(
                rate_hz=decimal_text(1 / step.period_s),
                count=step.count,
                width_s=_maybe(step.width_s),
                duty=_maybe(step.duty),
            )
            for step in settings.table
        ),
        rounded=tuple(
            RoundedPart(echo.name, decimal_text(echo.asked_s), decimal_text(echo.taken_s))
            for echo in result.echo
            if echo.error_s
        ),
    )


def _wired(channel: Channel) -> WiredPart:
    """Return the channel's fields by their names, times as exact texts."""
    told = {entry.name: getattr(channel, entry.name) for entry in fields(WiredPart)}
    told["name"] = channel.label
    exact: dict[str, Any] = {
        n: decimal_text(v) if isinstance(v, Fraction) else v for n, v in told.items()
    }
    return WiredPart(**exact)


def _maybe(value: Fraction | None) -> str | None:
    return None if value is None else decimal_text(value)
