# SPDX-License-Identifier: Apache-2.0
"""How many strikes a run will have, and which outputs show its progress. Pure."""

from __future__ import annotations

import math
from fractions import Fraction

from plexor.model.settings import Settings, Stimulus
from plexor.plan.registers import RegisterPlan
from plexor.protocol.registers import Trigger


def followed(settings: Settings) -> tuple[int, ...]:
    """Return the outputs whose strikes show the progress of a run.

    These are the outputs that start with the run and have an end, because they end it; else those
    that start with the run; else all. With a sweep table it is only output 0.
    """
    if settings.table:
        return (0,)
    of_run = [entry for entry in settings.strikes if entry.trigger == Trigger.RUN]
    ending = [entry for entry in of_run if settings.count or entry.count or entry.period_s is None]
    return tuple(entry.output for entry in ending or of_run or settings.strikes)


def expected_strikes(plan: RegisterPlan, settings: Settings) -> int | None:
    """Return how many strikes the followed outputs will have; None: without end, or not known.

    A run that a time ends has strikes at its start and before that time. With dither or at random
    their number is not known.
    """
    if settings.table:
        return sum(step.count for step in settings.table)
    outputs = followed(settings)
    entries = [entry for entry in settings.strikes if entry.output in outputs]
    if any(entry.trigger != Trigger.RUN for entry in entries):
        return None
    counts = [plan.value("stimulus", "strike_count", output) for output in outputs]
    if counts and all(counts):
        return sum(counts)
    if settings.time_s is None:
        return None
    if any(entry.dither_s or entry.poisson for entry in entries):
        return None
    return sum(_in_time(entry, settings.time_s) for entry in entries)


def _in_time(stimulus: Stimulus, time_s: Fraction) -> int:
    """Return how many strikes of an output that starts with the run come before a time."""
    left_s = max(time_s - stimulus.phase_s, Fraction(0))
    period_s = stimulus.period_s or left_s or Fraction(1)
    whole = int(left_s / period_s)
    in_last_s = left_s - whole * period_s
    spacing_s = stimulus.spacing_s or period_s
    return whole * stimulus.burst + min(math.ceil(in_last_s / spacing_s), stimulus.burst)
