# SPDX-License-Identifier: Apache-2.0
"""What was done in a run, as a part of its document."""

from __future__ import annotations

from fractions import Fraction

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
from plexor.model.settings import MODES


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
                dither_s=decimal_text(strikes.stimulus.dither_s),
                poisson=strikes.stimulus.poisson,
                trigger=strikes.stimulus.trigger.name.lower(),
                trigger_over_s=_maybe(strikes.stimulus.trigger_over_s),
                seed=strikes.stimulus.seed,
                invert=strikes.stimulus.invert,
            )
            for strikes in strikes_of(result)
        ),
        channels=tuple(
            WiredPart(
                name=channel.label,
                number=channel.number,
                reference=channel.reference,
                deadline_s=_maybe(channel.deadline_s),
                filter_s=decimal_text(channel.filter_s),
                invert=channel.invert,
                either=channel.either,
            )
            for channel in settings.channels
        ),
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


def _maybe(value: Fraction | None) -> str | None:
    return None if value is None else decimal_text(value)
