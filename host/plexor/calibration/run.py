"""A calibration taken from an instrument: the asynchronous source first, then loopback."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction

import numpy as np

from plexor.calibration.density import DensityError, instants
from plexor.calibration.loopback import Bounds, Ticks, behind_ps, bounds, delays
from plexor.calibration.model import Calibration, ChannelInstants, Instants, PadDelay
from plexor.device import Device
from plexor.errors import InstrumentError, LinkError
from plexor.plan import need_events
from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import Space
from plexor.protocol.registers import InputSelect, StopReason
from plexor.results import EVENT_DTYPE, EventArray, RunResult
from plexor.session import measure
from plexor.settings import Channel, Settings, Stimulus
from plexor.units import FEMTOSECONDS, seconds_of

FIRST_CHUNK_S = Fraction(1, 2000)
MOST_CHUNK_S = Fraction(1, 2)
MOST_CHUNKS = 64
SPACES = (Space.CLASSES, Space.EDGES, Space.UPLOAD_DROPS, Space.LATENCY_STATISTICS)
"""Enough of the results for a run's accounting."""
LOOPBACK_PERIOD_S = Fraction(1, 1000)
TRIES = 4
"""Of a run some of whose events were lost on the link."""
LOOPBACK_ROUNDS = 8
"""Strikes at each phase of the sampler."""

_Channels = tuple[ChannelInstants, ...]
_Behind = dict[int, list[float | None]]
Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Wanted:
    """How much is to be measured."""

    edges: int = 20_000
    """Of each direction, on each channel, at least."""


def calibrate(device: Device, wanted: Wanted, report: Report = lambda line: None) -> Calibration:
    """Return the calibration of an instrument; `report` is told what is done.

    Raises InstrumentError where a channel sees no source, has a dead phase, or does not see the
    strikes looped back to it, and UsageError for one that sends no events.
    """
    identity = device.identity
    need_events(identity, "calibrate")
    geometry = identity.geometry
    report(f"{geometry.channels} channels: {wanted.edges} edges up and down of the source on each")
    events = source_events(device, wanted.edges)
    channels = tuple(
        ChannelInstants(number, *(_instants(device, events, number, way) for way in (1, 0)))
        for number in range(geometry.channels)
    )
    behind = _behind(events, channels, geometry.tick_fs)
    found: list[PadDelay] = []
    for output in range(geometry.strikes):
        report(f"strike{output} looped back")
        looped = loopback_events(device, output)
        found += _delays(device, looped, output, channels, behind)
    return Calibration(
        device.serial,
        identity.gateware_hash,
        identity.board,
        identity.simulated,
        geometry.tick_fs,
        datetime.now(UTC).isoformat(timespec="seconds"),
        source_fs(events, geometry.tick_fs),
        channels,
        tuple(found),
    )


def source_events(device: Device, edges: int) -> EventArray:
    """Return events of the asynchronous source: `edges` each way on each channel, or what came.

    What overruns the link is dropped on the chip, whatever its phase; the rest is as good.
    """
    geometry = device.identity.geometry
    parts: list[EventArray] = []
    least = 0
    chunk_s = FIRST_CHUNK_S
    for _ in range(MOST_CHUNKS):
        settings = Settings(
            channels=tuple(Channel(number) for number in range(geometry.channels)),
            time_s=chunk_s,
            input_select=InputSelect.ASYNCHRONOUS,
            spaces=SPACES,
        )
        found = whole_run(device, settings)
        if found.events is not None:
            parts.append(found.events)
        counts = np.zeros(2 * geometry.channels, np.int64)
        for part in parts:
            key = part["source"].astype(np.int64) * 2 + part["polarity"]
            counts += np.bincount(key[key < len(counts)], minlength=len(counts))
        seen = counts[counts > 0]
        before, least = least, int(seen.min()) if len(seen) else 0
        # What has seen nothing so far will see nothing.
        if (least >= edges or not len(seen)) and (len(seen) == len(counts) or len(parts) > 1):
            break
        gained = max(least - before, 1)
        longer = Fraction(edges - least, gained) * Fraction(11, 10)
        chunk_s = min(max(chunk_s * longer, FIRST_CHUNK_S), 16 * chunk_s, MOST_CHUNK_S)
    return np.concatenate(parts) if parts else np.empty(0, EVENT_DTYPE)


def loopback_events(device: Device, output: int) -> EventArray:
    """Return the events of strikes of an output that is looped back to every channel."""
    found = complete_run(device, loopback_settings(device.identity.geometry, output))
    if found.events is None or found.accounting.received != found.accounting.generated:
        books = found.accounting
        raise InstrumentError(
            f"{device.name}: strike{output} looped back: {books.received} of {books.generated}"
            " events came; `plexor selftest` says what is wrong"
        )
    return found.events


def whole_run(device: Device, settings: Settings) -> RunResult:
    """Return a run that has ended by itself.

    Raises KeyboardInterrupt for one that was interrupted and LinkError for one whose end was never
    seen: what is calibrated or tested by it would be of a part of it.
    """
    result = measure(device, settings)
    if result.interrupted:
        raise KeyboardInterrupt
    if result.stop_reason == StopReason.NONE:
        raise LinkError(f"{device.name}: {'; '.join(result.invalid_reasons)}")
    return result


def complete_run(device: Device, settings: Settings) -> RunResult:
    """Return a run of which nothing was lost on the link, unless that is so in each of TRIES."""
    result = whole_run(device, settings)
    for _ in range(TRIES - 1):
        if result.events is not None and not result.accounting.lost_on_link:
            break
        result = whole_run(device, settings)
    return result


def loopback_settings(geometry: Geometry, output: int) -> Settings:
    """Return a run that loops an output back to every channel, at each phase of the sampler.

    It is slow enough for every event to pass the slowest link.
    """
    count = LOOPBACK_ROUNDS * geometry.phases
    rounds = int(LOOPBACK_PERIOD_S * FEMTOSECONDS / (geometry.phases * geometry.tick_fs))
    period_ticks = rounds * geometry.phases + 1
    width_ticks = 32 * geometry.samples
    return Settings(
        strikes=(
            Stimulus(
                output,
                seconds_of(period_ticks, geometry.tick_fs),
                seconds_of(width_ticks, geometry.tick_fs),
                count=count,
            ),
        ),
        channels=tuple(
            Channel(number, reference=f"strike{output}") for number in range(geometry.channels)
        ),
        input_select=InputSelect.LOOPBACK,
        loopback_output=output,
        spaces=SPACES,
    )


def source_fs(events: EventArray, tick_fs: int) -> int:
    """Return the mean period of the source; longer steps are gaps."""
    chosen = events[(events["source"] == 0) & (events["polarity"] == 1)]
    steps = np.diff(chosen["time_ticks"].astype(np.int64))
    if not len(steps):
        return 0
    near = steps[(steps > 0) & (steps < 1.5 * np.median(steps))]
    return round(float(near.mean()) * tick_fs) if len(near) else 0


def _times(events: EventArray, source: int, polarity: int) -> Ticks:
    chosen = (events["source"] == source) & (events["polarity"] == polarity)
    return events["time_ticks"][chosen].astype(np.int64)


def _instants(device: Device, events: EventArray, number: int, polarity: int) -> Instants:
    geometry = device.identity.geometry
    try:
        return instants(_times(events, number, polarity), geometry.phases, geometry.tick_fs)
    except DensityError as error:
        way = "up" if polarity else "down"
        raise InstrumentError(
            f"{device.name}: ch{number}: asynchronous source, edges {way}: {error}; "
            "`plexor selftest` says what is wrong"
        ) from error


def _delays(
    device: Device, events: EventArray, output: int, channels: _Channels, behind: _Behind
) -> list[PadDelay]:
    found: dict[int, list[tuple[int, int]]] = {}
    for polarity in (1, 0):
        strikes = _times(events, SOURCE_STRIKE + output, polarity)
        own: list[Bounds] = []
        for channel in channels:
            seen = _times(events, channel.number, polarity)
            if len(strikes) != len(seen) or not len(seen):
                raise InstrumentError(
                    f"{device.name}: ch{channel.number} saw {len(seen)} edges of {len(strikes)} of "
                    f"strike{output} looped back; `plexor selftest` says what is wrong"
                )
            bins = channel.rise if polarity else channel.fall
            own.append(bounds(strikes, seen, bins, device.identity.tick_fs))
        found[polarity] = delays(own, behind[polarity])
    return [
        PadDelay(output, channel.number, rise, fall, rise_error, fall_error)
        for channel, (rise, rise_error), (fall, fall_error) in zip(
            channels, found[1], found[0], strict=True
        )
    ]


def _behind(events: EventArray, channels: _Channels, tick_fs: int) -> _Behind:
    """Return by how much each channel sees the source later than the first, up and down."""

    def seen(channel: ChannelInstants, polarity: int) -> tuple[Ticks, Instants]:
        bins = channel.rise if polarity else channel.fall
        return _times(events, channel.number, polarity), bins

    return {
        polarity: [
            behind_ps(seen(channels[0], polarity), seen(entry, polarity), tick_fs)
            for entry in channels
        ]
        for polarity in (1, 0)
    }
