# SPDX-License-Identifier: Apache-2.0
"""Which rate of strikes a link carries, where the host must have every event."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from plexor.base.units import format_rate
from plexor.model.identity import Identity
from plexor.model.settings import Settings, parse_reference, trailing_needed
from plexor.protocol.frames import CRC_BYTES, HEADER, MAX_WORDS, SOURCE_STRIKE, WORD_BYTES
from plexor.protocol.geometry import Feature
from plexor.protocol.registers import Stream
from plexor.wire.device.features import board_of

_TOLD_DIGITS = 3
FRAME_BYTES = HEADER.size_bytes + MAX_WORDS * WORD_BYTES + CRC_BYTES + 6
"""A full frame of events, with five bytes of COBS and the delimiter."""


def most_events_s(bytes_s: Fraction) -> Fraction:
    """Return how many events a second a link of that rate carries, in full frames."""
    return bytes_s * MAX_WORDS / FRAME_BYTES


def events_a_strike(settings: Settings, output: int = 0) -> int:
    """Return how many events a strike of an output brings, if each channel answers with a pulse.

    With `active_only` an edge whose way back no channel is answered from is one event.
    """
    references = {c.number: parse_reference(c.reference) for c in settings.channels}
    needed = trailing_needed(settings.channels)
    caused = {SOURCE_STRIKE + output}
    while more := {n for n, (source, _) in references.items() if source in caused} - caused:
        caused |= more
    either = {channel.number for channel in settings.channels if channel.either}
    return sum(
        1 if settings.active_only and source not in needed | either else 2 for source in caused
    )


def carried_hz(settings: Settings, bytes_s: Fraction) -> Fraction:
    """Return the highest rate of output 0 that a link carries without end."""
    return most_events_s(bytes_s) / events_a_strike(settings)


def floored(rate_hz: Fraction, digits: int) -> Fraction:
    """Return a rate in whole hertz, rounded down to so many digits."""
    exact = math.floor(rate_hz)
    step = 10 ** max(len(str(exact)) - digits, 0)
    return Fraction(exact // step * step)


def check_carried(settings: Settings, identity: Identity, bytes_s: Fraction | None) -> None:
    """Raise ValueError for strikes that bring more events than a link carries.

    What the link's FIFO takes is allowed. Instruments that match need no link, and of some links
    (`bytes_s` is None) the rate is not known.
    """
    geometry = identity.geometry
    if bytes_s is None or settings.stream != Stream.LIVE or Feature.MATCH in geometry.features:
        return
    events_s, ends_s = Fraction(0), settings.time_s
    for stimulus in settings.strikes:
        if not stimulus.is_periodic or stimulus.period_s is None:
            continue
        strikes_s = stimulus.burst / stimulus.period_s
        events_s += strikes_s * events_a_strike(settings, stimulus.output)
        count = stimulus.count or settings.count
        if count:
            ends_s = min(ends_s or count / strikes_s, count / strikes_s)
    carried_s = most_events_s(bytes_s)
    too_many_s = events_s - carried_s
    if too_many_s <= 0 or (ends_s is not None and too_many_s * ends_s <= geometry.upload_depth):
        return
    most = format_rate(floored(carried_hz(settings, bytes_s), _TOLD_DIGITS))
    active_only = carried_hz(replace(settings, active_only=True), bytes_s)
    halved = (
        ""
        if settings.active_only
        else f", {format_rate(floored(active_only, _TOLD_DIGITS))} with --edges active"
    )
    raise ValueError(
        f"rate: {float(events_s):,.0f} events a second, strikes and answers; the link of "
        f"{board_of(geometry)} carries {float(carried_s):,.0f}: strike at {most} at most{halved}, "
        "or take a build that counts on the chip (docs/features.md)"
    )
