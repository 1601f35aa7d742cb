# SPDX-License-Identifier: Apache-2.0
"""The warm-up of a device: it is struck before a run as in the run, and that is counted apart."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from plexor.model.results import Kind, RunResult, Statistics, StepChannel, WarmUp
from plexor.model.settings import Settings
from plexor.run.session.follow import OnProgress
from plexor.run.session.session import measure_whole
from plexor.run.session.stop import Stop
from plexor.wire.device.device import Device


def warm_up(
    device: Device, settings: Settings, stop: Stop, on_progress: OnProgress | None = None
) -> WarmUp | None:
    """Warm a device up as the settings of a run ask, and return what it did; None: they do not ask.

    Raises KeyboardInterrupt if it was interrupted or stopped, and what `measure` raises.
    """
    if settings.warm_up_s is None:
        return None
    warming = warming_of(settings, settings.warm_up_s)
    return warmed(measure_whole(device, warming, stop, on_progress))


def warming_of(settings: Settings, time_s: Fraction) -> Settings:
    """Return the settings of a warm-up: those of the run, without its stop conditions.

    Outputs with a period strike for `time_s`, at least once each, and their last strikes are waited
    for. Without such an output, the device runs by itself for `time_s`.
    """
    strikes = tuple(each.lasting(time_s) if each.is_periodic else each for each in settings.strikes)
    ends = any(each.is_periodic for each in strikes) and all(each.count for each in strikes)
    return replace(
        settings,
        strikes=strikes,
        count=None,
        time_s=None if ends else time_s,
        latency_over_s=None,
        stop_on_missed=False,
        stall=None,
        stop_code=None,
        keep_events=False,
        report_s=None,
        warm_up_s=None,
        table=(),
    )


def warmed(result: RunResult) -> WarmUp:
    """Return what a run says that keeps a warm-up's counts."""
    channels: list[StepChannel] = []
    for channel in result.channels:
        rise = channel.measurement(Kind.RISE)
        channels.append(
            StepChannel(
                number=channel.number,
                name=channel.name,
                classes=channel.classes,
                pending_before=0,
                pending=channel.pending,
                rise=Statistics(0, 0, 0, None, None) if rise is None else rise.statistics,
            )
        )
    return WarmUp(
        start_ticks=result.start_ticks,
        end_ticks=result.end_ticks,
        strikes=result.strikes,
        channels=tuple(channels),
        accounting=result.accounting,
        invalid_reasons=result.invalid_reasons,
    )
