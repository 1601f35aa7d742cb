# SPDX-License-Identifier: Apache-2.0
"""Takes a calibration from an instrument: the asynchronous source, loopback, then what is wired."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from plexor.base.counts import counted
from plexor.base.errors import InstrumentError
from plexor.experiments.calibration.density import DensityError, instants
from plexor.experiments.calibration.from_bins import BinObserver
from plexor.experiments.calibration.from_events import EventObserver
from plexor.experiments.calibration.loopback import DelayBounds, bounds, delays
from plexor.experiments.calibration.observation import Behind, FreeEdges, Looped, Observer
from plexor.experiments.calibration.reference import Reference, measured_scale
from plexor.experiments.calibration.ways import detours_of
from plexor.model.calibration import Calibration, ChannelInstants, Instants, PadDelay, PinDelay
from plexor.protocol.geometry import Feature
from plexor.run.session.prepare import now
from plexor.wire.device.device import Device

_Channels = Sequence[ChannelInstants]
_WIRED = "through its jumper"
Report = Callable[[str], None]
WIRE_PS = (0, 1000)
"""Bounds of a jumper's delay if nothing is said of it: up to 20 cm, at 5 ns a metre."""


@dataclass(frozen=True, slots=True)
class CalibrationGoal:
    """How much is measured."""

    edges: int = 20_000
    """Minimum number of edges of each direction on each channel."""
    wiring: Mapping[int, Sequence[int]] = field(default_factory=dict[int, Sequence[int]])
    """Channels that jumpers connect to each strike output."""
    wire_ps: tuple[int, int] = WIRE_PS
    """Bounds of each jumper's delay."""
    reference: Reference | None = None
    """What the oscillator is compared with."""


def calibrate(
    device: Device, wanted: CalibrationGoal, report: Report = lambda line: None
) -> Calibration:
    """Return the calibration of an instrument; `report` gets a line about each step.

    Raises InstrumentError if a channel does not see the source, has a dead phase, or does not see
    its strikes, looped back or through its jumper; ValueError for a pin that there is not.
    """
    identity = device.identity
    geometry = identity.geometry
    for output, wired in wanted.wiring.items():
        identity.check_pin("strike", output)
        for number in wired:
            identity.check_pin("ch", number)
    if wanted.reference is not None:
        identity.check_pin("ch", wanted.reference.channel)
    made = now()
    observer = observer_of(device)
    report(
        f"{counted(geometry.channels, 'channel')}: {wanted.edges:,} rising and falling edges of "
        "the source on each"
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
        looped = observer.looped(output)
        found += _delays(device, looped, output, channels, behind, "looped back")
    jumpers: list[PinDelay] = []
    for output, wired in wanted.wiring.items():
        pins = ", ".join(f"ch{number}" for number in wired)
        report(f"strike{output} through its jumper to {pins}")
        looped = observer.wired(output, wired)
        own = [channels[number] for number in wired]
        through = _delays(device, looped, output, own, None, _WIRED)
        jumpers += _jumpers(through, wanted.wire_ps, made)
    detours = detours_of(identity.build_id, identity.board)
    if not (detours.own or identity.simulated):
        whose = "those of other builds of this board" if detours.bounds else "what boards have"
        report(f"place and route of this build is not known: {whose} bounds its loops' detours")
    scale = None
    if wanted.reference is not None:
        report(f"{wanted.reference.name} for {float(wanted.reference.time_s):g} s")
        scale = measured_scale(device, wanted.reference, made)
    return Calibration(
        device.serial,
        identity.gateware_hash,
        identity.board,
        identity.simulated,
        geometry.tick_fs,
        made,
        source.period_fs,
        channels,
        tuple(found),
        identity.build_id,
        tuple(jumpers),
        () if identity.simulated else detours.bounds,
        scale,
    )


def carried(found: Calibration, before: Calibration) -> Calibration:
    """Return a calibration with what an earlier one of the same build has from jumpers and clocks.

    What was measured again is left as it is.
    """
    again = {(entry.output, entry.channel) for entry in found.jumpers}
    kept = [entry for entry in before.jumpers if (entry.output, entry.channel) not in again]
    jumpers = sorted((*kept, *found.jumpers), key=lambda entry: (entry.output, entry.channel))
    return replace(found, jumpers=tuple(jumpers), scale=found.scale or before.scale)


def observer_of(device: Device) -> Observer:
    """Return an observer by events, or by histograms if the instrument sends no events."""
    able = Feature.EVENTS in device.identity.geometry.features
    return EventObserver(device) if able else BinObserver(device)


def _instants(device: Device, source: FreeEdges, number: int, polarity: int) -> Instants:
    try:
        return instants(source.counts[number, polarity], device.identity.tick_fs)
    except DensityError as error:
        way = "up" if polarity else "down"
        raise InstrumentError(
            f"{device.name}: ch{number}: asynchronous source, edges {way}: {error}; `plexor "
            "board selftest` finds the cause"
        ) from error


def _delays(
    device: Device,
    looped: Looped,
    output: int,
    channels: _Channels,
    behind: Behind | None,
    how: str,
) -> list[PadDelay]:
    """Return the delays from an output to channels, whose order is that of `behind`.

    Through jumpers, nothing is known of how much later one channel sees an edge than another.
    """
    ask = f"`plexor board selftest{' --jumper' if how == _WIRED else ''}` finds the cause"
    if not looped.complete:
        raise InstrumentError(
            f"{device.name}: strike{output} {how}: {looped.received} of "
            f"{counted(sum(looped.generated.values()), 'event')} arrived; {ask}"
        )
    found: dict[int, list[tuple[int, int]]] = {}
    for polarity in (1, 0):
        own: list[DelayBounds] = []
        for channel in channels:
            echo = looped.echoes[channel.number, polarity]
            if echo.struck != echo.seen or not echo.seen:
                raise InstrumentError(
                    f"{device.name}: ch{channel.number} saw {counted(echo.seen, 'edge')} of "
                    f"{echo.struck} of "
                    f"strike{output} {how}; {ask}"
                )
            bins = channel.rise if polarity else channel.fall
            own.append(bounds(echo.strikes_ticks, echo.seen_ticks, bins, device.identity.tick_fs))
        found[polarity] = delays(own, [None] * len(own) if behind is None else behind[polarity])
    return [
        PadDelay(output, channel.number, rise, fall, rise_error, fall_error)
        for channel, (rise, rise_error), (fall, fall_error) in zip(
            channels, found[1], found[0], strict=True
        )
    ]


def _jumpers(found: Sequence[PadDelay], wire_ps: tuple[int, int], made: str) -> Iterator[PinDelay]:
    """Yield delays over pins, of those through jumpers whose delay has bounds."""
    wire, off = sum(wire_ps) // 2, (wire_ps[1] - wire_ps[0] + 1) // 2
    for entry in found:
        yield PinDelay(
            entry.output,
            entry.channel,
            entry.rise_ps - wire,
            entry.fall_ps - wire,
            entry.rise_error_ps + off,
            entry.fall_error_ps + off,
            made,
        )
