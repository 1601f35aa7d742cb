# SPDX-License-Identifier: Apache-2.0
"""Turns requested seconds into ticks, checks them against an instrument, records each rounding."""

from __future__ import annotations

from fractions import Fraction

from plexor.base.units import (
    format_seconds,
    known_ticks,
    parse_duration,
    seconds_of,
    ticks_of,
    whole_ticks,
)
from plexor.model.on_host import replaced
from plexor.model.settings import AppliedSetting
from plexor.protocol.geometry import Feature, Geometry
from plexor.wire.device.features import refusal


class Quantities:
    """Rounds requested times to ticks or clocks of one instrument; `echo` lists each rounding."""

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        self.echo: list[AppliedSetting] = []

    def ticks(self, seconds: Fraction) -> Fraction:
        """Return exact ticks."""
        return ticks_of(seconds, self.geometry.tick_fs)

    def short(self, seconds: Fraction) -> Fraction:
        """Return ticks; a time within a core clock is rounded, as far as the tick is known."""
        exact, tick_fs = self.ticks(seconds), self.geometry.tick_fs
        known = known_ticks(seconds, tick_fs) if exact < self.geometry.samples + 1 else None
        return exact if known is None else Fraction(known)

    def text(self, ticks: int | Fraction) -> str:
        """Return ticks for an error text, with a time that rounds to the same ticks."""
        tick_fs = self.geometry.tick_fs
        seconds = seconds_of(ticks, tick_fs)
        unit = "tick" if ticks == 1 else "ticks"
        texts = [format_seconds(seconds, digits) for digits in range(6, 18)]
        exact_texts = (t for t in texts if whole_ticks(parse_duration(t), tick_fs) == round(ticks))
        return f"{float(ticks):.15g} {unit} ({next(exact_texts, texts[0])})"

    def note(self, name: str, asked_s: Fraction, taken_ticks: int | Fraction) -> None:
        """Record the requested and the applied value of a setting."""
        self.echo.append(
            AppliedSetting(name, asked_s, seconds_of(taken_ticks, self.geometry.tick_fs))
        )

    def check(self, name: str, ticks: int | Fraction, least: int, most: int | Fraction) -> None:
        """Raise ValueError if ticks are out of range."""
        if not least <= ticks <= most:
            right = f"least {self.text(least)}" if ticks < least else f"most {self.text(most)}"
            raise ValueError(f"{name}: {self.text(ticks)}; must be at {right}")

    def rounded(self, name: str, seconds: Fraction, least: int, most: int) -> int:
        """Return seconds in whole ticks; raise ValueError if they are out of range.

        A time above 0 that rounds to 0 is rejected.
        """
        ticks = whole_ticks(seconds, self.geometry.tick_fs)
        if seconds > 0 and ticks == 0:
            raise ValueError(
                f"{name}: {self.text(self.ticks(seconds))}; must be at least one tick"
                f" ({format_seconds(seconds_of(1, self.geometry.tick_fs), 6)}), or 0"
            )
        self.check(name, ticks, least, most)
        if seconds:
            self.note(name, seconds, ticks)
        return ticks

    def signed(self, name: str, seconds: Fraction) -> int:
        """Return seconds in whole ticks of 32 signed bits."""
        ticks = whole_ticks(seconds, self.geometry.tick_fs)
        self.check(name, ticks, -(1 << 31), (1 << 31) - 1)
        if seconds:
            self.note(name, seconds, ticks)
        return ticks

    def clocks(self, name: str, seconds: Fraction) -> int:
        """Return seconds in whole core clocks of 32 bits, at least one."""
        clocks = round(self.ticks(seconds) / self.geometry.samples)
        samples = self.geometry.samples
        self.check(name, clocks * samples, samples, ((1 << 32) - 1) * samples)
        self.note(name, seconds, clocks * samples)
        return clocks

    def need(self, feature: Feature, request: str) -> None:
        """Raise ValueError if the instrument does not have the feature."""
        if feature not in self.geometry.features | replaced(self.geometry):
            raise ValueError(refusal(self.geometry, feature, request))
