# SPDX-License-Identifier: Apache-2.0
"""Registers of one strike output."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from plexor.base.counts import counted
from plexor.base.units import FEMTOSECONDS, format_rate, seconds_of, ticks_of
from plexor.model.settings import RegisterWrite, Settings, Stimulus, TableStep
from plexor.protocol.geometry import Feature
from plexor.protocol.registers import Trigger
from plexor.run.plan.rounding import Quantities
from plexor.wire.device.features import refusal

FRACTION_BITS = 32
LEAST_SPACING_TICKS = 2
MAX_DITHER_BITS = 32
LEAST_DITHER_TICKS = 2
MOST_DEFAULT_WIDTH_S = Fraction(1, 10**5)


def dither_at_most(seconds: Fraction, tick_fs: int) -> Fraction:
    """Return the maximum possible dither up to some seconds; 0 if there is none."""
    ticks = min(math.floor(ticks_of(seconds, tick_fs)), 1 << MAX_DITHER_BITS)
    if ticks < LEAST_DITHER_TICKS:
        return Fraction(0)
    return seconds_of(1 << ticks.bit_length() - 1, tick_fs)


def dither_taken(seconds: Fraction, tick_fs: int) -> Fraction:
    """Return the dither that the chip takes for one that is asked for, given room: the nearest."""
    ticks = max(round(ticks_of(seconds, tick_fs)), LEAST_DITHER_TICKS)
    return seconds_of(1 << min(_nearest_bits(ticks), MAX_DITHER_BITS), tick_fs)


def _nearest_bits(ticks: int) -> int:
    """Return the power of two that is nearest to some ticks, by the factor between them."""
    below = ticks.bit_length() - 1
    return below + (ticks * ticks > 1 << 2 * below + 1)


def stimulus_registers(
    settings: Settings, output: int, quantities: Quantities
) -> list[RegisterWrite]:
    """Return the registers of an output; raise ValueError for settings it cannot apply."""
    stimulus = next(
        (candidate for candidate in settings.strikes if candidate.output == output), None
    )
    if stimulus is None:
        return [RegisterWrite("stimulus", output, "enable", 0)]
    label = f"strike{output}"
    if settings.table and output == 0:
        stimulus, label = _struck(stimulus, settings.table[0]), _step_label(0)
    values = _Sequence(stimulus, settings, quantities, label).values()
    return [RegisterWrite("stimulus", output, name, value) for name, value in values.items()]


def step_registers(
    settings: Settings, number: int, guard_ticks: int, quantities: Quantities
) -> list[RegisterWrite]:
    """Return the registers of a sweep table's step; raise ValueError for impossible settings.

    `guard_ticks` is for a step without a guard time of its own.
    """
    step, label = settings.table[number], _step_label(number)
    stimulus = next(candidate for candidate in settings.strikes if candidate.output == 0)
    if not 1 <= step.count < 1 << 48:
        raise ValueError(f"{label}.count: {step.count}; must be 1 to {(1 << 48) - 1}")
    samples = quantities.geometry.samples
    period = quantities.ticks(step.period_s)
    if period < samples:
        raise ValueError(
            f"{label}.period: {quantities.text(period)};"
            f" must be at least {quantities.text(samples)}"
        )
    if step.guard_s is not None:
        guard_ticks = quantities.rounded(f"{label}.guard", step.guard_s, 0, (1 << 48) - 1)
    struck = _struck(stimulus, step)
    values = _Sequence(struck, settings, quantities, label).values()
    names = ("interval_ticks", "interval_fraction", "width_ticks", "strike_count")
    return [
        *(RegisterWrite("step", number, name, values[name]) for name in names),
        RegisterWrite("step", number, "guard_ticks", guard_ticks),
    ]


def _step_label(number: int) -> str:
    return f"table[{number}]"


def _struck(stimulus: Stimulus, step: TableStep) -> Stimulus:
    """Return output 0 as it strikes in a step."""
    return replace(
        stimulus,
        period_s=step.period_s,
        width_s=step.width_s,
        duty=step.duty,
        count=step.count,
    )


class _Sequence:
    """One stimulus on its way into registers."""

    def __init__(
        self, stimulus: Stimulus, settings: Settings, quantities: Quantities, label: str
    ) -> None:
        self.stimulus = stimulus
        self.settings = settings
        self.quantities = quantities
        self.samples = quantities.geometry.samples
        self.label = label
        self.dither_bits = 0
        """Bits of the random number that delays a strike; 0: none does."""

    def values(self) -> dict[str, int]:
        stimulus = self.stimulus
        if stimulus.burst < 1 or stimulus.count < 0:
            raise ValueError(
                f"{self.label}: burst {stimulus.burst}, count {stimulus.count}; the burst must be "
                "at least 1, the count at least 0 (endless)"
            )
        self._check_combinations()
        spacing = self._spacing_ticks()
        period = self._period_ticks()
        burst = stimulus.burst
        if period is not None:
            self.dither_bits = self._nearest_dither_bits(period, spacing)
        if period is None:
            # One burst: the interval after it is never used, it only has to be legal.
            spaced = spacing or self._ticks_for_width()
            interval, fraction, gap = max(spaced, 2 * self.samples), 0, spaced
        elif burst == 1 and period < self.samples:
            # Faster than a clock: an endless burst drawn from a pattern.
            if Feature.BURST not in self.quantities.geometry.features:
                raise ValueError(
                    refusal(
                        self.quantities.geometry,
                        Feature.BURST,
                        f"{self.label}.period: {self.quantities.text(period)}, below"
                        f" {self.samples} ticks",
                    )
                )
            burst, spacing = 0, int(period)
            interval, fraction, gap = 2 * self.samples, 0, spacing
        else:
            interval, fraction = self._interval(period, spacing)
            gap = min(spacing, interval) if spacing else interval
        width = self._width_ticks(gap, self._whole_ticks(period, spacing))
        return {
            "enable": 1,
            "invert": int(stimulus.invert),
            "trigger": int(stimulus.trigger),
            "trigger_source": stimulus.trigger_source,
            "interval_ticks": interval,
            "interval_fraction": fraction,
            "width_ticks": width,
            "phase_ticks": self._phase_ticks(),
            "burst_count": burst,
            "spacing_ticks": spacing,
            "strike_count": self._count(),
            "dither_bits": self.dither_bits,
            "poisson_threshold": self._poisson_threshold(period, width),
            "seed": stimulus.seed,
        }

    def _phase_ticks(self) -> int:
        return self.quantities.rounded(
            f"{self.label}.phase", self.stimulus.phase_s, 0, (1 << 48) - 1
        )

    def _check_combinations(self) -> None:
        stimulus, label = self.stimulus, self.label
        if stimulus.width_s is not None and stimulus.duty is not None:
            raise ValueError(f"{label}: width and duty are both given; give one of them")
        if stimulus.duty is not None and not 0 < stimulus.duty < 1:
            raise ValueError(f"{label}.duty: {float(stimulus.duty)}; must be above 0 and below 1")
        if stimulus.burst > 1 and stimulus.spacing_s is None:
            raise ValueError(
                f"{label}.burst: {counted(stimulus.burst, 'strike')} without a spacing; give the "
                "spacing too"
            )
        if stimulus.burst > 1:
            self.quantities.need(Feature.BURST, f"{label}.burst")
        if stimulus.period_s is None and (stimulus.poisson or stimulus.dither_s):
            raise ValueError(f"{label}: dither and Poisson intervals need a rate or period")
        if stimulus.period_s is None and stimulus.count > stimulus.burst:
            raise ValueError(
                f"{label}.count: {stimulus.count}; without a rate or period there is one burst"
                f" of {stimulus.burst}"
            )
        if stimulus.poisson and (stimulus.burst > 1 or stimulus.dither_s):
            raise ValueError(f"{label}: Poisson intervals cannot have bursts or dither")
        if not 0 <= stimulus.seed < 1 << 64:
            raise ValueError(f"{label}.seed: {stimulus.seed}; must be 0 to {(1 << 64) - 1}")
        outputs = [other.output for other in self.settings.strikes]
        if stimulus.trigger == Trigger.STRIKE and (
            stimulus.trigger_source == stimulus.output or stimulus.trigger_source not in outputs
        ):
            raise ValueError(
                f"{label}.trigger: strike{stimulus.trigger_source}; must be another output that "
                "is enabled"
            )

    def _spacing_ticks(self) -> int:
        if self.stimulus.burst == 1 or self.stimulus.spacing_s is None:
            return 0
        name = f"{self.label}.spacing"
        exact = self.quantities.short(self.stimulus.spacing_s)
        if exact < self.samples and exact.denominator != 1:
            raise ValueError(
                f"{name}: {self.quantities.text(exact)}; below {self.samples} ticks"
                " it must be a whole number of ticks"
            )
        return self.quantities.rounded(
            name, self.stimulus.spacing_s, LEAST_SPACING_TICKS, (1 << 32) - 1
        )

    def _period_ticks(self) -> Fraction | None:
        if self.stimulus.period_s is None:
            return None
        period = self.quantities.short(self.stimulus.period_s)
        if period < LEAST_SPACING_TICKS:
            rate = format_rate(1 / self.stimulus.period_s) if period > 0 else "endless"
            tick_fs = self.quantities.geometry.tick_fs
            limit = Fraction(FEMTOSECONDS, LEAST_SPACING_TICKS * tick_fs)
            raise ValueError(
                f"{self.label}.rate: {rate}; this instrument strikes at most every"
                f" {LEAST_SPACING_TICKS} ticks, {format_rate(limit)}"
            )
        if self.stimulus.burst == 1 and period < self.samples:
            if period.denominator != 1:
                raise ValueError(
                    f"{self.label}.period: {self.quantities.text(period)}; below {self.samples}"
                    " ticks it must be a whole number of ticks"
                )
            if self.stimulus.dither_s or self.stimulus.poisson:
                raise ValueError(
                    f"{self.label}.period: {self.quantities.text(period)}; with dither or Poisson"
                    f" intervals it must be at least {self.samples} ticks"
                )
        return period

    def _interval(self, period: Fraction, spacing: int) -> tuple[int, int]:
        """Return interval and fraction; the rounding is half to even at 2**-32 tick."""
        inside = spacing * (self.stimulus.burst - 1)
        dither = Fraction((1 << self.dither_bits) - 1, 2)
        exact = period - inside - dither
        scaled = round(exact * (1 << FRACTION_BITS))
        least = self._least_interval(spacing)
        if scaled < least << FRACTION_BITS:
            raise ValueError(
                f"{self.label}.period: {self.quantities.text(period)}; bursts and dither leave "
                f"{self.quantities.text(exact)} between bursts, which must be at least {least} "
                "ticks"
            )
        if scaled >= 1 << 48 + FRACTION_BITS:
            raise ValueError(
                f"{self.label}.period: {self.quantities.text(period)};"
                f" must be at most {self.quantities.text((1 << 48) - 1)}"
            )
        if self.stimulus.dither_s:
            taken_ticks = 1 << self.dither_bits
            self.quantities.note(f"{self.label}.dither", self.stimulus.dither_s, taken_ticks)
        taken = Fraction(scaled, 1 << FRACTION_BITS) + inside + dither
        asked_s = seconds_of(period, self.quantities.geometry.tick_fs)
        self.quantities.note(f"{self.label}.period", asked_s, taken)
        return scaled >> FRACTION_BITS, scaled & (1 << FRACTION_BITS) - 1

    def _nearest_dither_bits(self, period: Fraction, spacing: int) -> int:
        """Return the bits of the range that is nearest to the one asked for: 2**bits ticks.

        The chip takes some bits of a random number. If the period has no room for the nearest
        range, it takes the next below. `_interval` notes which one it was.
        """
        if not self.stimulus.dither_s:
            return 0
        name = f"{self.label}.dither"
        self.quantities.need(Feature.DITHER, name)
        exact, text = self.quantities.ticks(self.stimulus.dither_s), self.quantities.text
        inside = spacing * (self.stimulus.burst - 1)
        # Strikes wait for half of the dither on average, which the interval is shorter by.
        room = math.floor(2 * (period - inside - self._least_interval(spacing))) + 1
        most_bits = min(max(room, 0).bit_length() - 1, MAX_DITHER_BITS)
        if most_bits < 1:
            raise ValueError(
                f"{name}: {text(exact)}; a period of {text(period)} has no room for dither"
            )
        ticks = round(exact)
        checked = exact if ticks < LEAST_DITHER_TICKS else ticks
        self.quantities.check(name, checked, LEAST_DITHER_TICKS, min(room, 1 << MAX_DITHER_BITS))
        return min(_nearest_bits(ticks), most_bits)

    def _least_interval(self, spacing: int) -> int:
        """Return the least ticks between the last strike of a burst and the next burst."""
        return 2 * self.samples if 0 < spacing < self.samples else self.samples

    def _ticks_for_width(self) -> int:
        """Return the spacing that a single strike's width takes."""
        seconds = self.stimulus.width_s or MOST_DEFAULT_WIDTH_S
        return min(max(math.ceil(self.quantities.ticks(seconds)), 1) + 1, (1 << 32) - 1) * (
            1 if self.stimulus.width_s else 2
        )

    def _whole_ticks(self, period: Fraction | None, spacing: int) -> Fraction | None:
        """Return what a duty is a part of: the mean period, or the spacing within bursts."""
        return Fraction(spacing) if self.stimulus.burst > 1 else period

    def _width_ticks(self, gap: int, whole: Fraction | None) -> int:
        """Return the width; `gap` is the shortest time from strike to strike.

        A duty is a part of `whole`.
        """
        most = min(gap - 1, (1 << 32) - 1)
        name = f"{self.label}.width"
        if self.stimulus.width_s is not None:
            return self.quantities.rounded(name, self.stimulus.width_s, 1, most)
        if self.stimulus.duty is not None:
            return self._of_duty(self.stimulus.duty, whole, most)
        default = math.floor(self.quantities.ticks(MOST_DEFAULT_WIDTH_S))
        return min(max(min(gap // 2, default), 1), most)

    def _of_duty(self, duty: Fraction, whole: Fraction | None, most: int) -> int:
        """Return the width that is a part of `whole`, at most `most`."""
        name = f"{self.label}.duty: {float(duty * 100):g}%"
        if whole is None:
            raise ValueError(f"{name}; without a rate or period there is no duty; give the width")
        width = round(duty * whole)
        text = self.quantities.text
        if width > most:
            largest = math.floor(1000 * most / whole) / 10
            raise ValueError(
                f"{name} of {text(whole)} is {text(width)}, but the shortest time between strikes "
                f"leaves {text(most)}; at most {largest:g}%"
            )
        if width < 1:
            raise ValueError(f"{name} of {text(whole)} is less than a tick; give the width")
        return width

    def _count(self) -> int:
        stimulus = self.stimulus
        count = stimulus.count
        if count == 0 and stimulus.period_s is None:
            count = stimulus.burst
        elif count == 0 and stimulus.trigger == Trigger.RUN:
            count = self.settings.count or 0
        if count >= 1 << 48:
            raise ValueError(f"{self.label}.count: {count}; must be at most {(1 << 48) - 1}")
        return count

    def _poisson_threshold(self, period: Fraction | None, width: int) -> int:
        if not self.stimulus.poisson or period is None:
            return 0
        self.quantities.need(Feature.POISSON, f"{self.label}.poisson")
        # Clocks in which the dead time of width + W ticks after a strike refuses the next one, on
        # average over the two strikes' offsets in their clocks: the mean interval includes them.
        samples = self.samples
        dead_ticks = width + samples
        offsets = Fraction(0)
        for difference in range(1 - samples, samples):
            blocked = max(-((difference - dead_ticks) // samples) - 1, 0)
            offsets += blocked * (samples - abs(difference))
        free_clocks = period / samples - offsets / samples**2
        if free_clocks < 1:
            raise ValueError(
                f"{self.label}.rate: {self.quantities.text(period)} a strike; Poisson strikes of"
                f" {width} ticks need at least {dead_ticks + samples} ticks"
            )
        return min(max(round((1 << 48) / free_clocks), 1), (1 << 48) - 1)
