# SPDX-License-Identifier: Apache-2.0
"""Computes when a run ends, if neither the device nor single clocks decide it."""

from __future__ import annotations

from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import LatencyKind
from plexor.protocol.registers import StopOn, Trigger
from plexor_sim.golden.instrument import Results
from plexor_sim.golden.settings import Settings
from plexor_sim.golden.stimulus import strikes
from plexor_sim.golden.table import end_of, step_count, step_ends

DECISIONS = (Trigger.LATENCY, Trigger.MISSED)
FAR_TICKS = 1 << 57
"""A time after every strike of a finite sequence."""


def _is_finite(settings: Settings, number: int) -> bool:
    """Return whether a stimulus' strikes end without a stop."""
    seen: set[int] = set()
    while settings.get("stimulus", "strike_count", number):
        trigger = settings.get("stimulus", "trigger", number)
        if trigger == Trigger.RUN or number in seen:
            return True
        if trigger in (Trigger.GATE, Trigger.CODE, Trigger.DUE, *DECISIONS):
            return False
        seen.add(number)
        number = settings.get("stimulus", "trigger_source", number)
    return False


def planned_end_ticks(geometry: Geometry, settings: Settings, start_ticks: int) -> int | None:
    """Return `end_ticks` by StopOn.TIME or STRIKES, whichever comes first; None without either.

    Raises ValueError for STRIKES if a counted stimulus waits for a gate or an endless stimulus.
    """
    samples = geometry.samples
    stop_on = settings.get("control", "stop_on")
    ends: list[int] = []
    if stop_on & StopOn.TIME:
        ends.append(
            start_ticks + -(-settings.get("control", "run_time_ticks") // samples) * samples
        )
    steps = step_count(geometry, settings)
    if stop_on & StopOn.STRIKES and steps:
        made = strikes(geometry, settings, start_ticks, FAR_TICKS)[0]
        struck = zip(made.rise_ticks.tolist(), made.fall_ticks.tolist(), strict=True)
        ends += list(step_ends(geometry, settings, struck))[steps - 1 :]
    elif stop_on & StopOn.STRIKES:
        enabled = [n for n in range(geometry.strikes) if settings.get("stimulus", "enable", n)]
        # What decisions start does not keep a run from its end.
        counted = [
            n
            for n in enabled
            if settings.get("stimulus", "strike_count", n)
            and settings.get("stimulus", "trigger", n) not in DECISIONS
        ]
        endless = [n for n in counted if not _is_finite(settings, n)]
        if endless:
            raise ValueError(f"stimulus[{endless[0]}]: its end depends on more than the settings")
        # Endless stimuli are left out, because they would strike up to FAR_TICKS.
        finite = Settings(
            {
                (block, copy, name): value
                for (block, copy, name), value in settings.values.items()
                if block == "stimulus" and copy in counted
            }
        )
        made = strikes(geometry, finite, start_ticks, FAR_TICKS)
        made = [made[n] for n in counted if len(made[n].rise_ticks)]
        if made:
            last_rise = max(int(each.rise_ticks[-1]) for each in made)
            last_fall = max(int(each.fall_ticks[-1]) for each in made)
            settle_ticks = settings.get("control", "settle_ticks")
            ends.append(end_of(samples, settle_ticks, last_rise, last_fall))
    return min(ends, default=None)


def latency_trigger(settings: Settings, results: Results) -> tuple[int, int] | None:
    """Return index and time of the first event that triggers StopOn.LATENCY; None without one."""
    limit = settings.get("control", "trigger_latency_ticks")
    channels = settings.get("control", "trigger_channels")
    found: list[tuple[int, int]] = []
    for (kind, channel), samples in results.latency_samples.items():
        over = samples.value_ticks > limit
        if kind == LatencyKind.RISE and channels >> channel & 1 and over.any():
            first = int(over.argmax())
            found.append((int(samples.index[first]), int(samples.time_ticks[first])))
    return min(found, default=None)
