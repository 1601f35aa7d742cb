# SPDX-License-Identifier: Apache-2.0
"""The whole instrument: from settings and edges to every count and memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from plexor.protocol.frames import (
    SOURCE_CHANNEL,
    SOURCE_LOAD,
    SOURCE_STEP,
    SOURCE_STRIKE,
    SOURCES,
)
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import (
    CLASSES,
    HISTOGRAM_SPACES,
    KINDS,
    IntervalKind,
    LatencyKind,
    ResponseClass,
    Space,
    entries,
    key,
    mantissa_bits,
    width_bits,
)
from plexor.protocol.registers import Policy, StatusFlag
from plexor_sim.golden import codes, memory, table
from plexor_sim.golden.codes import Figures
from plexor_sim.golden.edges import (
    Events,
    Levels,
    PinEdges,
    TickEdges,
    filtered,
    inverted,
    lasting,
    leading,
    mended,
    merged,
    sampled,
    windowed,
    without_trailing,
)
from plexor_sim.golden.matcher import NO_SAMPLES, Matches, Rules, Samples, match
from plexor_sim.golden.memory import Counts, Statistics
from plexor_sim.golden.settings import Settings
from plexor_sim.golden.stimulus import Strikes, strikes
from plexor_sim.golden.table import Step

_ZOOM_FIRST: Mapping[tuple[Space, int], str] = {
    (Space.LATENCY_ZOOM, LatencyKind.RISE): "zoom_rise_ticks",
    (Space.LATENCY_ZOOM, LatencyKind.FALL): "zoom_fall_ticks",
    (Space.INTERVAL_ZOOM, IntervalKind.WIDTH): "zoom_width_ticks",
    (Space.INTERVAL_ZOOM, IntervalKind.PERIOD): "zoom_period_ticks",
}


@dataclass(frozen=True, slots=True)
class Results:
    """Everything a run leaves. Spaces are arrays of entries, keyed as in plexor.protocol.memory."""

    geometry: Geometry
    start_ticks: int
    end_ticks: int
    events: Events
    """Merged events without dropped ones."""
    generated: Counts
    """Number of edges of each source, including dropped ones."""
    dropped: Counts
    """Number of edges of each source that were dropped before the merge."""
    classes: Counts
    """Space.CLASSES, [channel, ResponseClass]."""
    pending: Counts
    """Number of outstanding strikes of each channel at the end."""
    edges: Counts
    """Space.EDGES, [source, polarity]."""
    bins: Mapping[Space, tuple[Counts, ...]]
    """Histogram spaces that the build has, by key."""
    statistics: Mapping[Space, tuple[Statistics, ...]]
    """Statistics spaces that the build has, combined, by key."""
    latency_samples: Mapping[tuple[LatencyKind, int], Samples]
    """Samples by kind and channel. Fall latencies are included even without Feature.FALL."""
    interval_samples: Mapping[tuple[IntervalKind, int], Samples]
    """Samples by kind and channel, included even without Feature.INTERVALS."""
    flags: StatusFlag
    """BIN_SATURATED and QUEUE_FULL. The other flags depend on clocks."""
    steps: tuple[Step, ...]
    """Steps of the sweep table, with records by channel."""
    code_tables: tuple[Figures, ...]
    """Space.CODES, by entry; empty without Feature.CODES."""

    def words(self, space: Space) -> bytes:
        """Return a space as dumped, all in one bank and, for statistics, in the first set."""
        entry_count = entries(self.geometry, space)
        if not entry_count:
            return b""
        if space in HISTOGRAM_SPACES:
            return b"".join(row.astype("<u4").tobytes() for row in self.bins[space])
        if space in (Space.LATENCY_STATISTICS, Space.INTERVAL_STATISTICS):
            parts = list(self.statistics.get(space, ()))
            parts += [Statistics()] * (entry_count - len(parts))
            return b"".join(memory.pack_statistics(part) for part in parts)
        if space == Space.STEPS:
            return table.words(self.geometry, self.steps)
        if space == Space.CODES:
            return codes.words(self.code_tables)
        if space == Space.UPLOAD_DROPS:
            return bytes(8 * entry_count)
        edges = self.edges[: entries(self.geometry, Space.EDGES) // 2]
        counts = self.classes if space == Space.CLASSES else edges
        return counts.astype("<u8").tobytes()


def expected_events(
    geometry: Geometry,
    settings: Settings,
    start_ticks: int,
    end_ticks: int,
    pins: Mapping[int, PinEdges],
    *,
    outputs: Sequence[Strikes],
    load: TickEdges | None = None,
) -> Events:
    """Return all edges of a run in order; the arguments are those of `measure`."""
    sources: dict[int, TickEdges] = {}
    for channel, pin in pins.items():
        if not 0 <= channel < geometry.channels:
            if not len(pin.time_ps):
                continue
            raise ValueError(f"channel {channel}; must be 0 to {geometry.channels - 1}")
        if not settings.get("channel", "enable", channel):
            continue
        edges = sampled(pin, geometry.tick_fs)
        if Feature.MEND in geometry.features:
            edges = mended(edges)
        if settings.get("channel", "invert", channel):
            edges = inverted(edges)
        if Feature.FILTER in geometry.features:
            least = settings.get("channel", "filter_ticks", channel)
            longer = settings.get("long_filter", "ticks", channel)
            if Feature.LONG_FILTER in geometry.features and longer:
                edges = lasting(filtered(edges, geometry.samples, geometry.samples), longer)
            else:
                edges = filtered(edges, least, geometry.samples)
        sources[SOURCE_CHANNEL + channel] = edges
    for number, output in enumerate(outputs):
        sources[SOURCE_STRIKE + number] = output.edges()
    if load is not None:
        sources[SOURCE_LOAD] = load
    struck = outputs[0]
    sources[SOURCE_STEP] = table.edges(geometry, settings, struck.rise_ticks, struck.fall_ticks)
    run = {source: windowed(edges, start_ticks, end_ticks) for source, edges in sources.items()}
    for channel in pins:
        if settings.get("channel", "either", channel) and channel in run:
            run[channel] = leading(run[channel])
    active_only = settings.get("control", "active_only")
    return merged(
        {
            source: without_trailing(edges) if active_only >> source & 1 else edges
            for source, edges in run.items()
        }
    )


def _rules(geometry: Geometry, settings: Settings, channel: int) -> Rules:
    early = settings.get("matcher", "early_ticks") * (Feature.EARLY in geometry.features)
    return Rules(
        SOURCE_CHANNEL + channel,
        settings.get("channel", "reference_source", channel),
        settings.get("channel", "reference_polarity", channel),
        Policy(settings.get("matcher", "policy")),
        settings.get("matcher", "timeout_ticks"),
        settings.get("matcher", "window_min_ticks"),
        early,
        settings.get("channel", "deadline_ticks", channel),
        geometry.queue_depth,
    )


def _counted(
    geometry: Geometry, settings: Settings, space: Space, samples: Mapping[tuple[int, int], Samples]
) -> list[Counts]:
    zoom = space in (Space.LATENCY_ZOOM, Space.INTERVAL_ZOOM)
    counts = [
        np.zeros(1 << width_bits(geometry, space, kind), np.int64)
        for kind in range(KINDS)
        for _ in range(1 << geometry.key_bits)
    ]
    for (kind, channel), values in samples.items():
        if zoom:
            first = settings.get("channel", _ZOOM_FIRST[space, kind], channel)
            row = memory.zoom_counts(values, first, geometry.zoom_bits)
        else:
            row = memory.log_counts(values, mantissa_bits(geometry, space, kind))
        counts[key(geometry, kind, channel)] = row
    return counts


def _summed(
    geometry: Geometry, samples: Mapping[tuple[int, int], Samples]
) -> tuple[Statistics, ...]:
    rows = [Statistics()] * (KINDS << geometry.key_bits)
    for (kind, channel), values in samples.items():
        rows[key(geometry, kind, channel)] = memory.statistics(values, geometry.features)
    return tuple(rows)


def _code_tables(
    geometry: Geometry,
    settings: Settings,
    told: tuple[Sequence[int], Sequence[int]],
    latencies: Mapping[tuple[LatencyKind, int], Samples],
) -> tuple[Figures, ...]:
    if Feature.CODES not in geometry.features:
        return ()
    asked = LatencyKind.RISE, settings.get("code", "latency_channel")
    by_code = codes.latencies_by_code(geometry, *told, latencies.get(asked, NO_SAMPLES))
    return (*codes.times_by_code(geometry, *told), *by_code)


def measure(
    geometry: Geometry,
    settings: Settings,
    start_ticks: int,
    end_ticks: int,
    pins: Mapping[int, PinEdges],
    *,
    outputs: Sequence[Strikes] | None = None,
    load: TickEdges | None = None,
    dropped: Levels | None = None,
    told: tuple[Sequence[int], Sequence[int]] = ((), ()),
) -> Results:
    """Return what the instrument reports of a run over samples `start_ticks` to `end_ticks` - 1.

    `pins` are the response channels' pins, in picoseconds from tick 0. `outputs` are the strikes.
    By default the settings make them, without a gate, up to `end_ticks`. `load` is the load output.
    `dropped` marks edges, in the order of `expected_events`, that were dropped before the merge.
    `told` are the code port's times in ticks and its codes.
    Raises ValueError for arguments out of range.
    """
    if outputs is None:
        outputs = strikes(geometry, settings, start_ticks, end_ticks)
    every = expected_events(
        geometry, settings, start_ticks, end_ticks, pins, outputs=outputs, load=load
    )
    lost = np.zeros(len(every), np.bool_) if dropped is None else dropped
    events = every.chosen(~lost)
    generated = np.bincount(every.source, minlength=SOURCES).astype(np.int64)
    rules = [
        _rules(geometry, settings, channel) if settings.get("channel", "enable", channel) else None
        for channel in range(geometry.channels)
    ]
    matches: dict[int, Matches] = {
        channel: match(events, rule, end_ticks)
        for channel, rule in enumerate(rules)
        if rule is not None
    }
    classes = np.zeros((geometry.channels, CLASSES), np.int64)
    pending = np.zeros(geometry.channels, np.int64)
    latencies: dict[tuple[LatencyKind, int], Samples] = {}
    intervals: dict[tuple[IntervalKind, int], Samples] = {}
    for channel, result in matches.items():
        classes[channel] = result.classes
        pending[channel] = result.pending
        latencies[LatencyKind.RISE, channel] = result.rise
        latencies[LatencyKind.FALL, channel] = result.fall
        intervals[IntervalKind.WIDTH, channel] = result.width
        intervals[IntervalKind.PERIOD, channel] = result.period

    fall = Feature.FALL in geometry.features
    by_engine: dict[bool, dict[tuple[int, int], Samples]] = {
        False: {k: v for k, v in latencies.items() if fall or k[0] == LatencyKind.RISE},
        True: {(kind, channel): v for (kind, channel), v in intervals.items()},
    }
    bins: dict[Space, tuple[Counts, ...]] = {}
    saturated = False
    for space in HISTOGRAM_SPACES:
        if entries(geometry, space):
            interval = space in (Space.INTERVAL_BINS, Space.INTERVAL_ZOOM)
            counts = _counted(geometry, settings, space, by_engine[interval])
            saturated |= any(bool(np.any(row > memory.BIN_MOST)) for row in counts)
            bins[space] = tuple(np.minimum(row, memory.BIN_MOST) for row in counts)
    statistics = {Space.LATENCY_STATISTICS: _summed(geometry, by_engine[False])}
    if entries(geometry, Space.INTERVAL_STATISTICS):
        statistics[Space.INTERVAL_STATISTICS] = _summed(geometry, by_engine[True])
    flags = StatusFlag.BIN_SATURATED if saturated else StatusFlag(0)
    if classes[:, ResponseClass.QUEUE_FULL].any():
        flags |= StatusFlag.QUEUE_FULL
    return Results(
        geometry,
        start_ticks,
        end_ticks,
        events,
        generated,
        np.bincount(every.source[lost], minlength=SOURCES).astype(np.int64),
        classes,
        pending,
        np.bincount(events.source * 2 + events.polarity, minlength=2 * SOURCES)
        .astype(np.int64)
        .reshape(SOURCES, 2),
        bins,
        statistics,
        latencies,
        intervals,
        flags,
        table.records(geometry, settings, events, rules, end_ticks),
        _code_tables(geometry, settings, told, latencies),
    )
