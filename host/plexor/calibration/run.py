"""Takes a calibration from an instrument: the asynchronous source first, then loopback."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from plexor.calibration.density import DensityError, instants
from plexor.calibration.from_bins import BinObserver
from plexor.calibration.from_events import EventObserver
from plexor.calibration.loopback import Bounds, bounds, delays
from plexor.calibration.observation import Behind, Looped, Observer, Source
from plexor.device.device import Device
from plexor.errors import InstrumentError
from plexor.model.calibration import Calibration, ChannelInstants, Instants, PadDelay
from plexor.protocol.geometry import Feature

_Channels = tuple[ChannelInstants, ...]
Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Wanted:
    """How much is measured."""

    edges: int = 20_000
    """Minimum number of edges of each direction on each channel."""


def calibrate(device: Device, wanted: Wanted, report: Report = lambda line: None) -> Calibration:
    """Return the calibration of an instrument; `report` gets a line about each step.

    Raises InstrumentError if a channel does not see the source, has a dead phase, or does not see
    its looped-back strikes.
    """
    identity = device.identity
    geometry = identity.geometry
    observer = observer_of(device)
    report(
        f"{geometry.channels} channels: {wanted.edges} rising and falling edges of the source on "
        "each"
    )
    source = observer.source(wanted.edges)
    channels = tuple(
        ChannelInstants(number, *(_instants(device, source, number, way) for way in (1, 0)))
        for number in range(geometry.channels)
    )
    behind = observer.behind(channels)
    found: list[PadDelay] = []
    for output in range(geometry.strikes):
        report(f"strike{output} looped back")
        found += _delays(device, observer.looped(output), output, channels, behind)
    return Calibration(
        device.serial,
        identity.gateware_hash,
        identity.board,
        identity.simulated,
        geometry.tick_fs,
        datetime.now(UTC).isoformat(timespec="seconds"),
        source.period_fs,
        channels,
        tuple(found),
        identity.build_id,
    )


def observer_of(device: Device) -> Observer:
    """Return an observer by events, or by histograms if the instrument sends no events."""
    able = Feature.EVENTS in device.identity.geometry.features
    return EventObserver(device) if able else BinObserver(device)


def _instants(device: Device, source: Source, number: int, polarity: int) -> Instants:
    try:
        return instants(source.counts[number, polarity], device.identity.tick_fs)
    except DensityError as error:
        way = "up" if polarity else "down"
        raise InstrumentError(
            f"{device.name}: ch{number}: asynchronous source, edges {way}: {error}; `plexor "
            "selftest` finds the cause"
        ) from error


def _delays(
    device: Device, looped: Looped, output: int, channels: _Channels, behind: Behind
) -> list[PadDelay]:
    if not looped.complete:
        raise InstrumentError(
            f"{device.name}: strike{output} looped back: {looped.received} of "
            f"{sum(looped.generated.values())} events arrived; `plexor selftest` finds the cause"
        )
    found: dict[int, list[tuple[int, int]]] = {}
    for polarity in (1, 0):
        own: list[Bounds] = []
        for channel in channels:
            echo = looped.echoes[channel.number, polarity]
            if echo.struck != echo.seen or not echo.seen:
                raise InstrumentError(
                    f"{device.name}: ch{channel.number} saw {echo.seen} edges of {echo.struck} of "
                    f"strike{output} looped back; `plexor selftest` finds the cause"
                )
            bins = channel.rise if polarity else channel.fall
            own.append(bounds(echo.strikes_ticks, echo.seen_ticks, bins, device.identity.tick_fs))
        found[polarity] = delays(own, behind[polarity])
    return [
        PadDelay(output, channel.number, rise, fall, rise_error, fall_error)
        for channel, (rise, rise_error), (fall, fall_error) in zip(
            channels, found[1], found[0], strict=True
        )
    ]
