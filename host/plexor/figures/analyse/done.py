# SPDX-License-Identifier: Apache-2.0
"""What a run did to its device: how each output struck, and how responses were matched."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from plexor.base.units import seconds_of
from plexor.figures.analyse.rules import has_rules
from plexor.model.results import RunResult
from plexor.model.settings import Stimulus


@dataclass(frozen=True, slots=True)
class Strikes:
    """One output: its settings, and the strike width that its registers held."""

    stimulus: Stimulus
    width_s: Fraction | None
    """How long a strike was active; None if the run does not say."""
    dither_s: Fraction = Fraction(0)
    """Range of the deviation that the chip drew."""

    @property
    def rate_hz(self) -> Fraction | None:
        """Strikes per second, each strike of a burst counted; None for one strike or burst."""
        period_s = self.stimulus.period_s
        return self.stimulus.burst / period_s if period_s else None


def strikes_of(result: RunResult) -> tuple[Strikes, ...]:
    """Return how each output struck, in the order of the settings."""
    values = {(e.block, e.copy, e.name): e.value for e in result.registers}
    strikes: list[Strikes] = []
    for stimulus in result.settings.strikes:
        ticks = values.get(("stimulus", stimulus.output, "width_ticks"))
        width_s = stimulus.width_s if ticks is None else seconds_of(ticks, result.tick_fs)
        bits = values.get(("stimulus", stimulus.output, "dither_bits"))
        dither_s = seconds_of(1 << bits, result.tick_fs) if bits else stimulus.dither_s
        strikes.append(Strikes(stimulus, width_s, dither_s))
    return tuple(strikes)


def timeout_of(result: RunResult) -> Fraction | None:
    """Return the time-out that was applied, in seconds; None if the run does not say."""
    asked_s = result.settings.timeout_s
    if not has_rules(result):
        return asked_s
    ticks = {e.name: e.value for e in result.registers if e.block == "matcher"}.get("timeout_ticks")
    return asked_s if ticks is None else seconds_of(ticks, result.tick_fs)
