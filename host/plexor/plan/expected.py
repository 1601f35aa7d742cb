"""How many strikes a run will have, and which outputs show its progress. Pure."""

from __future__ import annotations

from plexor.model.settings import Settings
from plexor.plan.registers import Plan
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


def expected_strikes(plan: Plan, settings: Settings) -> int | None:
    """Return how many strikes the followed outputs will have; None: without end, or not known."""
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
    periods = [(entry.period_s or settings.time_s, entry.burst) for entry in entries]
    return sum(int(settings.time_s / period) * burst for period, burst in periods)
