# SPDX-License-Identifier: Apache-2.0
"""Schedules, responses and runs for the tests of this room."""

from fractions import Fraction

from plexor_lab.mixed.join import join
from plexor_lab.mixed.model import (
    Entry,
    Limits,
    MixedResult,
    Mode,
    ModeRun,
    Order,
    Response,
    Schedule,
    Served,
)
from plexor_lab.mixed.timecode import SEED8751

TICK_FS = 500_000
MS = 2_000_000
"""Ticks in a millisecond."""
STEP = 71 * MS
LIMITS = Limits(Fraction(MS), Fraction(STEP), Fraction(STEP, 2))


def schedule(**changes):
    """Return a schedule of eight sequential ids."""
    usual = {
        "count": 8,
        "spacing_steps": 1,
        "ids": 8,
        "order": Order.SEQUENTIAL,
        "seed": 1,
        "first_step": 4,
    }
    return Schedule(**(usual | changes))


def listed(count, ids=8):
    """Return entries, one a step, and their due times."""
    entries = [Entry(number, number % ids, number + 1, number) for number in range(count)]
    return entries, [STEP * entry.due_step for entry in entries]


def run_of(lateness_ticks, mode=Mode.MIXED, distance=1, limits=LIMITS, extras=()):
    """Return a run whose entries came so late; None did not come."""
    entries, due = listed(len(lateness_ticks))
    responses = [
        Response(time + late, entry.event_id)
        for entry, time, late in zip(entries, due, lateness_ticks, strict=True)
        if late is not None
    ]
    found = join(entries, due, sorted([*responses, *extras], key=lambda r: r.time_ticks), limits)
    count = len(entries)
    served = Served(count, count, 0, 0, 0)
    return ModeRun(mode, distance, found.rows, found.extras, served)


def result_of(*runs, **changes):
    """Return a result of runs with eight entries at most."""
    usual = {
        "tick_fs": TICK_FS,
        "simulated": True,
        "timecode": SEED8751,
        "schedule": schedule(count=max(len(run.rows) for run in runs)),
        "limits": LIMITS,
        "spike_sds": Fraction(3),
        "runs": runs,
        "device": {"dut": "freertos:program=executor"},
    }
    return MixedResult(**(usual | changes))
