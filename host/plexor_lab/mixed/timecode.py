# SPDX-License-Identifier: Apache-2.0
"""The timecode: a counter on pins that the device reads, and when each of its steps comes. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from plexor.base.counts import counted
from plexor.base.units import seconds_of, ticks_of

FRACTION_BITS = 32
"""Bits of the divider after the point: it is set to 2**-32 tick."""
MOST_BITS = 16


@dataclass(frozen=True, slots=True)
class Timecode:
    """A counter of `bits` bits that goes up by 1 every `period_s`, in binary or in Gray code.

    Raises ValueError for bits outside 1 to 16, and for a period of 0 or less.
    """

    bits: int
    period_s: Fraction
    gray: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.bits <= MOST_BITS:
            raise ValueError(f"timecode: {counted(self.bits, 'bit')}; must be 1 to {MOST_BITS}")
        if self.period_s <= 0:
            raise ValueError(f"timecode: a step every {self.period_s} s; must be above 0")

    def clock(self, tick_fs: int) -> StepClock:
        """Return when its steps come, in ticks of `tick_fs` femtoseconds."""
        scaled = round(ticks_of(self.period_s, tick_fs) * (1 << FRACTION_BITS))
        return StepClock(Fraction(scaled, 1 << FRACTION_BITS))


@dataclass(frozen=True, slots=True)
class StepClock:
    """When steps come, in ticks from the run's start. Step 0 is the start itself.

    Step 1 comes a period after it. The interval is what the divider holds, so no step drifts.
    """

    interval_ticks: Fraction

    @property
    def first_ticks(self) -> int:
        """Time of step 1, a whole number of ticks."""
        return math.floor(self.interval_ticks)

    def at(self, step: int) -> int:
        """Return the time of a step: the tick in which it begins."""
        if step <= 0:
            return 0
        return self.first_ticks + math.floor((step - 1) * self.interval_ticks)

    def step_at(self, ticks: int) -> int:
        """Return the last step that has come at a time; 0 before step 1."""
        if ticks < self.first_ticks:
            return 0
        step = math.floor((ticks - self.first_ticks) / self.interval_ticks) + 1
        return step + (self.at(step + 1) <= ticks)

    def first_s(self, tick_fs: int) -> Fraction:
        """Return the time of step 1 in exact seconds."""
        return seconds_of(self.first_ticks, tick_fs)


SEED8751 = Timecode(8, Fraction(12 * 65536, 11_059_200))
"""The counter of an 8751 at 11.0592 MHz: 8 bits, a step at each overflow of a 16-bit timer that
counts machine cycles of 12 clocks. It makes 14.0625 steps a second."""
PRESETS = {"seed8751": SEED8751}
"""Timecodes by their names on the command line."""
