# SPDX-License-Identifier: Apache-2.0
"""How many strikes a run will have, and which outputs show its progress. Pure."""

from __future__ import annotations

import math
from fractions import Fraction

from plexor.model.settings import Settings, Stimulus
from plexor.protocol.registers import Trigger
from plexor.run.plan.registers import RegisterPlan


def followed(settings: Settings) -> tuple[int, ...]:
    """Return the outputs whose strikes show the progress of a run.

    These are the outputs that start with the run and end by a count, because they end the run;
    otherwise those that start with the run; otherwise all. With a sweep table it is output 0.
    """
    if settings.table:
        return (0,)
    of_run = [stimulus for stimulus in settings.strikes if stimulus.trigger == Trigger.RUN]
    ending = [
        stimulus
        for stimulus in of_run
        if settings.count or stimulus.count or stimulus.period_s is None
    ]
    return tuple(stimulus.output for stimulus in ending or of_run or settings.strikes)


def expected_strikes(plan: RegisterPlan, settings: Settings) -> int | None:
    """Return how many strikes the followed outputs will have; None: endless, or not known.

    A run that ends by time has the strikes before that time. With dither or Poisson intervals their
    number is not known.
    """
    if settings.table:
        return sum(step.count for step in settings.table)
    outputs = followed(settings)
    stimuli = [stimulus for stimulus in settings.strikes if stimulus.output in outputs]
    if any(stimulus.trigger != Trigger.RUN for stimulus in stimuli):
        return None
    counts = [plan.value("stimulus", "strike_count", output) for output in outputs]
    if counts and all(counts):
        return sum(counts)
    if settings.time_s is None:
        return None
    if any(stimulus.dither_s or stimulus.poisson for stimulus in stimuli):
        return None
    return sum(_in_time(stimulus, settings.time_s) for stimulus in stimuli)


def _in_time(stimulus: Stimulus, time_s: Fraction) -> int:
    """Return how many strikes of an output that starts with the run come before a time."""
    left_s = max(time_s - stimulus.phase_s, Fraction(0))
    period_s = stimulus.period_s or left_s or Fraction(1)
    sequences = int(left_s / period_s)
    in_last_s = left_s - sequences * period_s
    spacing_s = stimulus.spacing_s or period_s
    return sequences * stimulus.burst + min(math.ceil(in_last_s / spacing_s), stimulus.burst)
