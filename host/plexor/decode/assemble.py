"""Assembles a run's result from everything that came over the link. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from plexor.decode.accounting import account, account_partly
from plexor.decode.bins import measurement_of
from plexor.decode.collect import Collector
from plexor.decode.consistent import MOST_TICKS, UNENDED, consistent, consistent_channels
from plexor.decode.matched import Matched, Rules
from plexor.decode.register_image import (
    RegisterImage,
    common_places,
    enabled,
    named,
    set_up,
    set_up_places,
    steps_asked,
)
from plexor.decode.rematch import rematch
from plexor.decode.steps import steps_of
from plexor.model.identity import Identity
from plexor.model.results import (
    Accounting,
    Bins,
    ChannelResult,
    Counts,
    EventArray,
    Kind,
    Measurement,
    RunResult,
    Statistics,
    StepResult,
    Zoom,
    source_name,
)
from plexor.model.settings import NO_DEADLINE_TICKS, Echo, RegisterWrite, Settings
from plexor.protocol.geometry import Feature
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
from plexor.protocol.registers import CHANNEL, Policy, StatusFlag, StopReason

NEVER_CAME = "results never came"
"""First words of an invalid reason for a missing dump."""
_FLAG_TEXTS = {
    StatusFlag.BIN_SATURATED: "a bin of a histogram is saturated",
    StatusFlag.COUNTER_SATURATED: "a counter is saturated",
    StatusFlag.GAP_SATURATED: "more edges were dropped at once than the stream can count",
    StatusFlag.CLOCK_LOST: "the instrument's PLL lost its lock: its clock stood or was wrong",
}
_PLACES = {
    Kind.RISE: (False, LatencyKind.RISE, Feature(0)),
    Kind.FALL: (False, LatencyKind.FALL, Feature.FALL),
    Kind.WIDTH: (True, IntervalKind.WIDTH, Feature.INTERVALS),
    Kind.PERIOD: (True, IntervalKind.PERIOD, Feature.INTERVALS),
}


@dataclass(frozen=True, slots=True)
class Circumstances:
    """The parts of a result that do not come over the link."""

    settings: Settings = field(default_factory=Settings)
    registers: tuple[RegisterWrite, ...] = ()
    echo: tuple[Echo, ...] = ()
    interrupted: bool = False
    wall_seconds: float = 0.0
    started: str = ""
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    device: Mapping[str, str] = field(default_factory=dict[str, str])
    disorder: Mapping[str, int] = field(default_factory=dict[str, int])
    wrong: tuple[str, ...] = ()
    """Requests that the instrument could not carry out, one sentence each."""


def assemble(
    identity: Identity,
    image: RegisterImage,
    collector: Collector,
    frames: tuple[int, int],
    decode_faults: Mapping[str, int],
    circumstances: Circumstances,
    broken: str | None = None,
) -> RunResult:
    """Return the result of a run; `frames` are (received, lost).

    `broken` says why the run's end was not seen. The result then holds what came before, and is
    invalid.
    """
    memories = collector.memories
    events = collector.event_array()
    unknown = image.unknown(set_up_places(image, identity.geometry))
    reasons = (
        [f"the settings of the run are not known: {named(unknown)} never arrived"]
        if unknown
        else []
    )
    reasons += circumstances.wrong
    streamed = collector.received_total > 0
    if image.has("control", "stream"):
        streamed = bool(image.value("control", "stream"))
    if broken is None:
        accounting = account(image, collector, frames, decode_faults)
        start_ticks, end_ticks = (
            image.value("status", "start_ticks"),
            image.value("status", "end_ticks"),
        )
        reason_number = image.value("status", "stop_reason")
        raised = image.value("status", "flags")
        flags = StatusFlag(raised & sum(StatusFlag))
        if raised != flags:
            reasons.append(f"unknown flags {raised:#x}")
        missing = memories.missing(image.value("control", "final_spaces"))
        reasons += [f"{NEVER_CAME}: {space.name.lower()}" for space in missing]
    else:
        accounting = account_partly(collector, frames, decode_faults)
        start_ticks = collector.started_ticks or 0
        end_ticks = max(collector.last_ticks + 1, start_ticks)
        reason_number, flags = StopReason.NONE, StatusFlag(0)
        reasons.append(f"the end of the run was never seen: {broken}")
    accounting = replace(accounting, disorder=dict(circumstances.disorder))
    start_ticks, end_ticks, wrong = _ends(start_ticks, end_ticks, collector)
    reasons += wrong
    whole = (
        events is not None
        and streamed
        and accounting.received == accounting.generated
        and (accounting.holds or (broken is not None and collector.in_order))
        and not image.unknown(common_places(identity.geometry))
    )
    builder = _Channels(identity, image, collector, circumstances.settings, end_ticks)
    builder.ended = broken is None
    if collector.keep_events and collector.too_many:
        builder.omitted.append("events: more arrived than can be kept")
    channels = builder.build(events if whole else None, streamed)
    reasons += _reasons(accounting, flags, broken is None)
    reasons += builder.idle() if broken is None else []
    asked = steps_asked(image)
    steps: tuple[StepResult, ...] = ()
    if broken is None and asked and memories.known(Space.STEPS):
        steps = steps_of(
            identity.geometry,
            memories.steps(image.value("status", "step")),
            {channel.number: channel.name for channel in channels},
            start_ticks,
        )
        through = reason_number == StopReason.STRIKES
        if len(steps) > asked or (through and len(steps) < asked):
            reasons.append(f"{len(steps)} steps were recorded of a table of {asked}")
    if reason_number not in set(StopReason):
        reasons.append(f"unknown stop reason {reason_number}")
        reason_number = StopReason.NONE
    triggered = collector.triggered
    if broken is None and StatusFlag.TRIGGERED in flags:
        triggered = (
            image.value("status", "trigger_index"),
            image.value("status", "trigger_ticks"),
        )
    if triggered is not None and max(triggered) >= MOST_TICKS:
        index, ticks = triggered
        reasons.append(f"the trigger is event {index} at {ticks} ticks, which no run reaches")
        triggered = None
    result = RunResult(
        identity=identity,
        settings=circumstances.settings,
        registers=circumstances.registers,
        echo=circumstances.echo,
        start_ticks=start_ticks,
        end_ticks=end_ticks,
        stop_reason=StopReason(reason_number),
        flags=flags,
        channels=channels,
        accounting=accounting,
        events=events if circumstances.settings.keep_events and streamed else None,
        trace=collector.trace_array(),
        trigger_index=triggered[0] if triggered else None,
        trigger_ticks=triggered[1] if triggered else None,
        invalid_reasons=tuple(reasons),
        computed_on_host=tuple(builder.computed),
        omitted=tuple(builder.omitted),
        interrupted=circumstances.interrupted,
        wall_seconds=circumstances.wall_seconds,
        started=circumstances.started,
        versions=dict(circumstances.versions),
        device=dict(circumstances.device),
        steps=steps,
    )
    return consistent(result)


def _ends(start_ticks: int, end_ticks: int, collector: Collector) -> tuple[int, int, list[str]]:
    """Return start and end in ticks, and complaints; impossible ones are taken from the events."""
    if start_ticks <= end_ticks < MOST_TICKS:
        return start_ticks, end_ticks, []
    first = collector.first_ticks or 0
    reason = f"the run is from {start_ticks} to {end_ticks} ticks, which cannot be"
    return first, max(collector.last_ticks + 1, first), [reason]


def live_channels(
    identity: Identity, image: RegisterImage, collector: Collector, settings: Settings
) -> tuple[ChannelResult, ...]:
    """Return the channels of the last snapshot of a running run, without missing figures."""
    channels = _Channels(identity, image, collector, settings, 0).build(None, streamed=True)
    return consistent_channels(channels, UNENDED, identity.geometry)[0]


def _reasons(accounting: Accounting, flags: StatusFlag, ended: bool) -> list[str]:
    """Return the reasons why the figures cannot be trusted."""
    found = [f"accounting: {text}" for text in accounting.contradictions if ended]
    if not accounting.holds and not accounting.contradictions:
        found.append(
            f"accounting: {accounting.generated} generated, {accounting.received} received,"
            f" {accounting.dropped_on_chip} dropped on chip, {accounting.lost_on_link} lost"
        )
    found += [text for flag, text in _FLAG_TEXTS.items() if flag in flags]
    found += [
        f"{entry.name}: {entry.dropped} edges were dropped before they could be matched"
        for entry in accounting.sources
        if entry.dropped
    ]
    return found


class _Channels:
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
        self.names = {entry.number: entry.label for entry in settings.channels}
        self.end_ticks = end_ticks
        self.ended = False
        """Whether the run has ended, so that the registers read after it are its own."""
        self.computed: list[str] = []
        self.omitted: list[str] = []

    def build(self, events: EventArray | None, streamed: bool) -> tuple[ChannelResult, ...]:
        """Return all enabled channels; `events` are the run's if none is missing, else None."""
        found: list[ChannelResult] = []
        for number in range(self.geometry.channels):
            if self.image.unknown(set_up(CHANNEL, number)):
                if enabled(self.image, CHANNEL, number) is not False:
                    self.omitted.append(f"ch{number}: its settings never arrived")
            elif enabled(self.image, CHANNEL, number):
                channel = self._channel(number, events, streamed)
                if channel is not None:
                    found.append(channel)
        return tuple(found)

    def idle(self) -> list[str]:
        """Return a complaint for each channel that counted something without being enabled."""
        found: list[str] = []
        for number in range(self.geometry.channels):
            own = self.memories.counts(Space.CLASSES)[number * CLASSES : (number + 1) * CLASSES]
            edges = self.memories.counts(Space.EDGES)[2 * number : 2 * number + 2]
            off = enabled(self.image, CHANNEL, number) is False
            if off and (own.any() or edges.any()):
                found.append(f"ch{number} is not enabled and has counted strikes or edges")
        return found

    def _channel(
        self, number: int, events: EventArray | None, streamed: bool
    ) -> ChannelResult | None:
        name = self.names.get(number, f"ch{number}")
        on_chip = self.memories.known(Space.CLASSES)
        present = [kind for kind in Kind if on_chip and self._has(kind)]
        measurements = {kind: self._measurement(number, kind) for kind in present}
        absent = [kind for kind in Kind if kind not in measurements]
        squares = Feature.SUM_SQUARES in self.geometry.features
        extremes = Feature.EXTREMES in self.geometry.features
        again: Matched | None = None
        if events is not None and (absent or not squares or not extremes):
            again = rematch(events, self._rules(number), self.end_ticks)
            for kind in Kind:
                made = measurement_of(kind, again.samples[kind], self._mantissa_bits(kind))
                if kind in absent:
                    measurements[kind] = made
                    self.computed.append(f"{name}.{kind}")
                elif not (squares and extremes):
                    measurements[kind] = _completed(measurements[kind], made.statistics)
                    self.computed.append(f"{name}.{kind}: sum of squares, places of extremes")
        elif absent:
            why = "events are missing" if streamed else "no events without streaming"
            self.omitted += [f"{name}.{kind}: {why}" for kind in absent]
        if on_chip:
            row = self.memories.counts(Space.CLASSES)[number * CLASSES : (number + 1) * CLASSES]
            classes = {entry: int(row[entry]) for entry in ResponseClass}
            # While a run is under way, no register tells how many strikes are outstanding.
            settled = (ResponseClass.ANSWERED, ResponseClass.LATE, ResponseClass.MISSED)
            pending = classes[ResponseClass.STRIKES] - sum(classes[entry] for entry in settled)
            if self.ended:
                pending = self.image.value("channel_status", "pending", number)
            active = int(self.memories.counts(Space.EDGES)[number * 2 + 1])
        elif again is not None:
            classes, pending, active = again.classes, again.pending, again.active_edges
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
        )

    def _rules(self, number: int) -> Rules:
        def of_all(name: str) -> int:
            return self.image.value("matcher", name)

        def own(name: str) -> int:
            return self.image.value("channel", name, number)

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
            self.geometry.queue_depth,
        )

    def _has(self, kind: Kind) -> bool:
        interval, _, feature = _PLACES[kind]
        needed = Space.INTERVAL_BINS if interval else Space.LATENCY_BINS
        return feature in self.geometry.features and self.memories.known(needed)

    def _mantissa_bits(self, kind: Kind) -> int:
        interval, part, _ = _PLACES[kind]
        space = Space.INTERVAL_BINS if interval else Space.LATENCY_BINS
        return mantissa_bits(self.geometry, space, part)

    def _measurement(self, number: int, kind: Kind) -> Measurement:
        interval, part, _ = _PLACES[kind]
        place = key(self.geometry, part, number)
        bins, zooms, statistics = (
            (Space.INTERVAL_BINS, Space.INTERVAL_ZOOM, Space.INTERVAL_STATISTICS)
            if interval
            else (Space.LATENCY_BINS, Space.LATENCY_ZOOM, Space.LATENCY_STATISTICS)
        )
        zoom: Zoom | None = None
        if self.memories.known(zooms):
            first = self.image.value("channel", f"zoom_{kind}_ticks", number)
            zoom = Zoom(first, self._bins(zooms, part, number))
        return Measurement(
            kind,
            self.memories.statistics(statistics, place),
            Bins(self._mantissa_bits(kind), self._bins(bins, part, number)),
            zoom,
        )

    def _bins(self, space: Space, part: int, number: int) -> Counts:
        first = first_bin(self.geometry, space, part, number)
        size = 1 << width_bits(self.geometry, space, part)
        return self.memories.counts(space)[first : first + size].copy()


def _completed(measurement: Measurement, computed: Statistics) -> Measurement:
    """Return a measurement; figures that the chip does not keep are taken from `computed`."""
    chip = measurement.statistics
    if (chip.count, chip.sum_ticks) != (computed.count, computed.sum_ticks):
        return measurement
    return replace(measurement, statistics=computed)
