# SPDX-License-Identifier: Apache-2.0
"""Compares the board's oscillator with a reference on a channel: 1 PPS, or a clock of many MHz.

Of 1 PPS the time of each edge counts: the ticks from the first to the last, and how many seconds
that were. Of a clock the edges are counted on the chip, which any rate allows; one more or less at
each end is its error.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from plexor.base.counts import counted
from plexor.base.errors import InstrumentError
from plexor.base.units import FEMTOSECONDS, format_rate
from plexor.experiments.calibration.from_events import times_of
from plexor.experiments.calibration.runs import SPACES, complete_run, whole_run
from plexor.model.calibration import LEAST_CLOCK_HZ, PPB, PPS_HZ, Scale
from plexor.model.settings import Channel, Settings
from plexor.protocol.geometry import Feature
from plexor.protocol.registers import Stream
from plexor.run.plan.registers import quiet_stream
from plexor.wire.device.device import Device

LEAST_PERIODS = 2
MOST_PPB = 500_000
"""An oscillator that is off by more is none of a board's: the reference is another one."""
PPS_JITTER_S = Fraction(100, 10**9)
"""Maximum error of an edge of a receiver's 1 PPS."""
DRIFT_PPB = 2000
"""What an oscillator without compensation may move by after it was measured: a few kelvin's."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A signal of known frequency on a channel."""

    channel: int
    hertz: Fraction = PPS_HZ
    """PPS_HZ, or LEAST_CLOCK_HZ or more."""
    time_s: Fraction = Fraction(10)
    """How long it is watched."""

    @property
    def name(self) -> str:
        """What it is, and where."""
        rate = "1 PPS" if self.hertz == PPS_HZ else format_rate(self.hertz)
        return f"{rate} on ch{self.channel}"


def measured_scale(device: Device, reference: Reference, made: str) -> Scale:
    """Return by how much the oscillator is fast; `made` is the time, ISO 8601 in UTC.

    Raises InstrumentError if the reference is none, LinkError if the run's end is never seen.
    """
    counted_s, true_s, error_s = (
        _by_edges(device, reference) if reference.hertz == PPS_HZ else _by_count(device, reference)
    )
    fast_ppb = (counted_s / true_s - 1) * PPB
    if abs(fast_ppb) > MOST_PPB:
        raise InstrumentError(
            f"{device.name}: {reference.name}: the oscillator would be {float(fast_ppb) / 1000:g}"
            f" ppm fast; must be within {MOST_PPB // 1000}: that is another rate"
        )
    error_ppb = error_s / true_s * PPB
    return Scale(round(fast_ppb), int(error_ppb) + 1 + DRIFT_PPB, reference.name, made)


def _by_edges(device: Device, reference: Reference) -> tuple[Fraction, Fraction, Fraction]:
    """Return seconds by the instrument's ticks, true seconds, and their error."""
    identity = device.identity
    if Feature.EVENTS not in identity.geometry.features:
        raise InstrumentError(
            f"{device.name}: {reference.name}: this instrument sends no events, so no second has "
            f"its time; a reference of {format_rate(LEAST_CLOCK_HZ)} or more can be counted"
        )
    result = complete_run(device, _settings(reference, Stream.LIVE))
    events = result.whole_events
    times = np.empty(0) if events is None else times_of(events, reference.channel, 1)
    if len(times) <= LEAST_PERIODS:
        raise InstrumentError(
            f"{device.name}: {reference.name}: {counted(len(times), 'edge')} in "
            f"{float(reference.time_s):g} s; must be more than {LEAST_PERIODS}"
        )
    second_ticks = Fraction(FEMTOSECONDS, identity.tick_fs)
    steps = np.diff(times).tolist()
    seconds = [max(round(step / second_ticks), 1) for step in steps]
    for step, passed in zip(steps, seconds, strict=True):
        if abs(step / (passed * second_ticks) - 1) * PPB > MOST_PPB:
            raise InstrumentError(
                f"{device.name}: {reference.name}: two edges are "
                f"{float(step / second_ticks):.6f} s apart; must be whole seconds"
            )
    counted_s = Fraction(sum(steps)) / second_ticks
    return counted_s, Fraction(sum(seconds)), 2 / second_ticks + 2 * PPS_JITTER_S


def _by_count(device: Device, reference: Reference) -> tuple[Fraction, Fraction, Fraction]:
    """Return seconds by the instrument's ticks, seconds by the reference, and their error."""
    result = whole_run(device, _settings(reference, quiet_stream(device.identity)))
    edges = next(
        (
            entry.generated
            for entry in result.accounting.sources
            if entry.source == reference.channel
        ),
        0,
    )
    if not edges:
        raise InstrumentError(f"{device.name}: {reference.name}: no edge came")
    ticks = result.end_ticks - result.start_ticks
    counted_s = Fraction(ticks * device.identity.tick_fs, FEMTOSECONDS)
    # A period has one rising and one falling edge.
    return counted_s, edges / (2 * reference.hertz), 1 / reference.hertz


def _settings(reference: Reference, stream: Stream) -> Settings:
    return Settings(
        channels=(Channel(reference.channel),),
        time_s=reference.time_s,
        stream=stream,
        spaces=SPACES,
    )
