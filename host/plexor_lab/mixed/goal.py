# SPDX-License-Identifier: Apache-2.0
"""What a schedule is asked, as what is to be run."""

from __future__ import annotations

from fractions import Fraction

from plexor_lab.mixed.model import Mode, Order, Schedule
from plexor_lab.mixed.run import MixedGoal
from plexor_lab.mixed.schedule import FIRST_STEP
from plexor_lab.mixed.spec import MixedSpec, check
from plexor_lab.mixed.timecode import PRESETS, SEED8751, Timecode


def timecode_of(asked: MixedSpec) -> Timecode:
    """Return the timecode that is asked for."""
    usual = SEED8751 if asked.timecode is None else PRESETS[asked.timecode]
    bits = usual.bits if asked.timecode_bits is None else asked.timecode_bits
    period_s = usual.period_s if asked.period is None else asked.period
    return Timecode(bits, period_s, asked.gray)


def wanted_of(asked: MixedSpec) -> MixedGoal:
    """Return what is to be run. Raises UsageError for options that cannot be combined."""
    check(asked)
    timecode = timecode_of(asked)
    modes = [*Mode] if asked.mode == "all" else [Mode(asked.mode)]
    runs = [
        (mode, distance)
        for mode in modes
        for distance in (asked.distance if mode is Mode.MIXED else (None,))
    ]
    furthest = max(asked.distance) if Mode.MIXED in modes else 0
    return MixedGoal(
        runs=tuple(runs),
        timecode=timecode,
        schedule=Schedule(
            count=asked.count,
            spacing_steps=_spacing(asked.rate, timecode),
            ids=asked.id_count,
            order=Order(asked.ids),
            seed=asked.seed,
            first_step=max(FIRST_STEP, furthest + 2),
        ),
        limit_s=asked.limit,
        timeout_s=asked.timeout,
        early_s=asked.early,
        spike_sds=asked.spikes,
    )


def _spacing(rate: int | Fraction, timecode: Timecode) -> int:
    """Return a rate in whole steps, at least one."""
    return rate if isinstance(rate, int) else max(round(rate / timecode.period_s), 1)
