# SPDX-License-Identifier: Apache-2.0
"""The matching rules of a capture: times in ticks of up to 62 bits."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from plexor.base.constraints import MOST_TICKS
from plexor.base.errors import UsageError
from plexor.base.units import format_seconds, format_ticks, seconds_of, whole_ticks
from plexor.files.imports.events import edges_to
from plexor.files.imports.signals import ImportRules
from plexor.files.imports.windows import Gaps, steps_of
from plexor.model.results import EventArray
from plexor.model.settings import AppliedSetting, RegisterWrite
from plexor.model.timeouts import default_timeout_s
from plexor.protocol.memory import VALUE_MOST


@dataclass(frozen=True, slots=True)
class MatchingRules:
    """The policy as an instrument's register, and each time as requested and as applied."""

    registers: tuple[RegisterWrite, ...]
    echo: tuple[AppliedSetting, ...]
    timeout_s: Fraction


def matching(
    rules: ImportRules, events: EventArray, tick_fs: int, gaps: Gaps = ()
) -> MatchingRules:
    """Return the matching rules of all channels; the time-out is at least a tick.

    Raises UsageError for a time of too many ticks.
    """
    asked_s = rules.timeout_s
    if asked_s is None:
        asked_s = _timeout(rules, events, tick_fs, gaps)
    asked_s = max(asked_s, seconds_of(1, tick_fs))
    times = (
        ("timeout", asked_s, MOST_TICKS - 1),
        ("window", rules.window_min_s, MOST_TICKS - 1),
        # Values below 0 have as many bits as an instrument's.
        ("early", rules.early_s, VALUE_MOST),
    )
    return MatchingRules(
        (RegisterWrite("matcher", 0, "policy", int(rules.policy)),),
        tuple(
            AppliedSetting(
                name, time_s, seconds_of(ticks_within(name, time_s, tick_fs, most), tick_fs)
            )
            for name, time_s, most in times
        ),
        asked_s,
    )


def ticks_within(label: str, time_s: Fraction, tick_fs: int, most: int = MOST_TICKS - 1) -> int:
    """Return a time in ticks, from -most to most. Raises UsageError, with `label`, for others."""
    ticks = whole_ticks(time_s, tick_fs)
    if abs(ticks) > most:
        raise UsageError(
            f"{label}: {format_seconds(time_s)}; at most {format_ticks(most, tick_fs)} with the "
            f"capture's tick of {format_ticks(1, tick_fs)}"
        )
    return ticks


def _timeout(rules: ImportRules, events: EventArray, tick_fs: int, gaps: Gaps) -> Fraction:
    """Return the default time-out, by the median time between strikes of each reference."""
    middles = [
        int(np.median(steps))
        for reference in {channel.reference for channel in rules.channels}
        if len(steps := steps_of(edges_to(events, reference).astype(np.int64), gaps))
    ]
    return default_timeout_s((seconds_of(middle, tick_fs) for middle in middles), most_s=None)
