# SPDX-License-Identifier: Apache-2.0
"""Builds the results of channels from register values, memories and events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from plexor.model.identity import Identity
from plexor.model.on_host import replaced
from plexor.model.results import (
    Bins,
    ChannelResult,
    Counts,
    Kind,
    SampleResult,
    Statistics,
    Zoom,
    source_name,
)
from plexor.model.settings import NO_DEADLINE_TICKS, Settings
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import (
    CLASSES,
    IntervalKind,
    LatencyKind,
    ResponseClass,
    Space,
    first_bin,
    key,
    mantissa_bits,
    width_bits,
)
from plexor.protocol.registers import CHANNEL, Policy, StopOn
from plexor.wire.decode.collect import Collector
from plexor.wire.decode.live import HostStop, LiveFigures, LiveMatching, Measured
from plexor.wire.decode.matched import Rules
from plexor.wire.decode.register_image import (
    RegisterImage,
    common_registers,
    enabled,
    setup_keys,
)

_PLACES = {
    Kind.RISE: (False, LatencyKind.RISE, Feature(0)),
    Kind.FALL: (False, LatencyKind.FALL, Feature.FALL),
    Kind.WIDTH: (True, IntervalKind.WIDTH, Feature.INTERVALS),
    Kind.PERIOD: (True, IntervalKind.PERIOD, Feature.INTERVALS),
}

KnownFigures = Mapping[int, LiveFigures]
"""What the events of each channel come to, by number."""


def matching_of(geometry: Geometry, image: RegisterImage) -> LiveMatching | None:
    """Return what matches a run's events on the host; None if its settings are not known."""
    if image.unknown(common_registers(geometry)):
        return None
    return LiveMatching(
        {
            number: Measured(
                rules_in(geometry, image, number),
                {kind: _mantissa_bits(geometry, kind) for kind in Kind},
                _zooms(geometry, image, number),
            )
            for number in range(geometry.channels)
            if enabled(image, CHANNEL, number) and not image.unknown(setup_keys(CHANNEL, number))
        },
        _watch(geometry, image),
    )


def _watch(geometry: Geometry, image: RegisterImage) -> HostStop | None:
    """Return what the host must end the run for; None if nothing, or if the chip does it."""
    stop_on = image.value("control", "stop_on")
    if Feature.MATCH in geometry.features or not stop_on & (StopOn.LATENCY | StopOn.MISSED):
        return None
    chosen = image.value("control", "trigger_channels")
    over_ticks = image.value("control", "trigger_latency_ticks")
    return HostStop(
        frozenset(number for number in range(geometry.channels) if chosen >> number & 1),
        over_ticks if stop_on & StopOn.LATENCY else None,
        bool(stop_on & StopOn.MISSED),
    )


def rules_in(geometry: Geometry, image: RegisterImage, number: int) -> Rules:
    """Return a channel's matching rules, as the registers hold them."""

    def of_all(name: str) -> int:
        return image.value("matcher", name)

    def own(name: str) -> int:
        return image.value("channel", name, number)

    policy = of_all("policy")
    return Rules(
        number,
        own("reference_source"),
        own("reference_polarity"),
        Policy(policy) if policy in set(Policy) else Policy.OLDEST,
        of_all("timeout_ticks"),
        of_all("window_min_ticks"),
        of_all("early_ticks"),
        own("deadline_ticks"),
        geometry.queue_depth,
    )


def _zooms(geometry: Geometry, image: RegisterImage, number: int) -> dict[Kind, tuple[int, int]]:
    if Feature.ZOOM not in geometry.features | replaced(geometry):
        return {}
    return {
        kind: (image.value("channel", f"zoom_{kind}_ticks", number), 1 << geometry.zoom_bits)
        for kind in Kind
    }


def _mantissa_bits(geometry: Geometry, kind: Kind) -> int:
    interval, set_number, _ = _PLACES[kind]
    return mantissa_bits(
        geometry, Space.INTERVAL_BINS if interval else Space.LATENCY_BINS, set_number
    )


class Channels:
    """Builds the channels' results; lists what the host computed and what is left out."""

    def __init__(
        self,
        identity: Identity,
        image: RegisterImage,
        collector: Collector,
        settings: Settings,
        end_ticks: int,
    ) -> None:
        self.geometry = identity.geometry
        self.image = image
        self.memories = collector.memories
        self.names = {channel.number: channel.label for channel in settings.channels}
        self.end_ticks = end_ticks
        self.ended = False
        """Whether the run has ended: only then do the registers hold its final values."""
        self.computed: list[str] = []
        self.omitted: list[str] = []

    def build(
        self, known: KnownFigures | None, streamed: bool, whole: bool = True
    ) -> tuple[ChannelResult, ...]:
        """Return the enabled channels. `known` is from the run's events, `whole` if all came."""
        channels: list[ChannelResult] = []
        for number in range(self.geometry.channels):
            if self.image.unknown(setup_keys(CHANNEL, number)):
                if enabled(self.image, CHANNEL, number) is not False:
                    self.omitted.append(f"ch{number}: its settings never arrived")
            elif enabled(self.image, CHANNEL, number):
                channel = self._channel(number, (known or {}).get(number), streamed, whole)
                if channel is not None:
                    channels.append(channel)
        return tuple(channels)

    @property
    def lacking(self) -> bool:
        """Whether the chip leaves out what the host can compute from events."""
        both = Feature.SUM_SQUARES | Feature.EXTREMES
        return (
            self.geometry.features & both != both
            or not self.memories.known(Space.CLASSES)
            or not all(self._has(kind) for kind in Kind)
        )

    def idle(self) -> list[str]:
        """Return a complaint for each channel that counted something without being enabled."""
        complaints: list[str] = []
        for number in range(self.geometry.channels):
            own = self.memories.counts(Space.CLASSES)[number * CLASSES : (number + 1) * CLASSES]
            edges = self.memories.counts(Space.EDGES)[2 * number : 2 * number + 2]
            off = enabled(self.image, CHANNEL, number) is False
            if off and (own.any() or edges.any()):
                complaints.append(f"ch{number} is not enabled and has counted strikes or edges")
        return complaints

    def _channel(
        self, number: int, known: LiveFigures | None, streamed: bool, whole: bool
    ) -> ChannelResult | None:
        name = self.names.get(number, f"ch{number}")
        on_chip = self.memories.known(Space.CLASSES)
        present = [kind for kind in Kind if on_chip and self._has(kind)]
        measurements = {kind: self._measurement(number, kind) for kind in present}
        absent = [kind for kind in Kind if kind not in measurements]
        squares = Feature.SUM_SQUARES in self.geometry.features
        extremes = Feature.EXTREMES in self.geometry.features
        if not whole and on_chip:
            # The chip's classes are of all strikes: a part of them would not fit.
            known = None
        if known is not None and (absent or not squares or not extremes):
            for kind in Kind:
                if kind in absent:
                    measurements[kind] = known.samples[kind]
                    self.computed.append(f"{name}.{kind}")
                elif not (squares and extremes):
                    measurements[kind] = _completed(measurements[kind], known.clamped[kind])
                    self.computed.append(f"{name}.{kind}: sum of squares, places of extremes")
        elif absent:
            reason = "events are missing" if streamed else "no events without streaming"
            self.omitted += [f"{name}.{kind}: {reason}" for kind in absent]
        unknown = (0, 0)
        if on_chip:
            row = self.memories.counts(Space.CLASSES)[number * CLASSES : (number + 1) * CLASSES]
            classes = {kind: int(row[kind]) for kind in ResponseClass}
            # While a run is under way, no register tells how many strikes are outstanding.
            settled = (ResponseClass.ANSWERED, ResponseClass.LATE, ResponseClass.MISSED)
            pending = classes[ResponseClass.STRIKES] - sum(classes[kind] for kind in settled)
            if self.ended:
                pending = self.image.value("channel_status", "pending", number)
            active = int(self.memories.counts(Space.EDGES)[number * 2 + 1])
        elif known is not None:
            classes, pending, active = known.classes, known.pending, known.active_edges
            unknown = (known.unknown_strikes, known.unknown_edges)
            self.computed.append(f"{name}: classes")
        else:
            self.omitted.append(f"{name}: classes")
            return None
        deadline = self.image.value("channel", "deadline_ticks", number)
        falls = "" if self.image.value("channel", "reference_polarity", number) else ".fall"
        return ChannelResult(
            number,
            name,
            source_name(self.image.value("channel", "reference_source", number)) + falls,
            None if deadline == NO_DEADLINE_TICKS else deadline,
            classes,
            pending,
            active,
            tuple(measurements[kind] for kind in Kind if kind in measurements),
            *unknown,
        )

    def _has(self, kind: Kind) -> bool:
        interval, _, feature = _PLACES[kind]
        needed = Space.INTERVAL_BINS if interval else Space.LATENCY_BINS
        return feature in self.geometry.features and self.memories.known(needed)

    def _measurement(self, number: int, kind: Kind) -> SampleResult:
        interval, set_number, _ = _PLACES[kind]
        statistics_key = key(self.geometry, set_number, number)
        bins, zooms, statistics = (
            (Space.INTERVAL_BINS, Space.INTERVAL_ZOOM, Space.INTERVAL_STATISTICS)
            if interval
            else (Space.LATENCY_BINS, Space.LATENCY_ZOOM, Space.LATENCY_STATISTICS)
        )
        zoom: Zoom | None = None
        if self.memories.known(zooms):
            first = self.image.value("channel", f"zoom_{kind}_ticks", number)
            zoom = Zoom(first, self._bins(zooms, set_number, number))
        return SampleResult(
            kind,
            self.memories.statistics(statistics, statistics_key),
            Bins(_mantissa_bits(self.geometry, kind), self._bins(bins, set_number, number)),
            zoom,
        )

    def _bins(self, space: Space, set_number: int, number: int) -> Counts:
        first = first_bin(self.geometry, space, set_number, number)
        size = 1 << width_bits(self.geometry, space, set_number)
        return self.memories.counts(space)[first : first + size].copy()


def _completed(measurement: SampleResult, computed: Statistics) -> SampleResult:
    """Return a measurement; figures that the chip does not keep are taken from `computed`."""
    chip = measurement.statistics
    if (chip.count, chip.sum_ticks) != (computed.count, computed.sum_ticks):
        return measurement
    return replace(measurement, statistics=computed)
