# SPDX-License-Identifier: Apache-2.0
"""Accounts for every event of a run: the instrument's counters against the events that came."""

from __future__ import annotations

from collections.abc import Mapping

from plexor.base.counts import agreed, counted
from plexor.model.results import LINK_DROPPED, MENDED, REMOVED, Accounting, SourceAccounting
from plexor.model.sources import source_name
from plexor.protocol.frames import MAX_WORDS, SOURCE_CHANNEL, SOURCE_CODE, SOURCES
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import Space
from plexor.wire.decode.collect import Collector
from plexor.wire.decode.register_image import RegisterImage


def account(
    image: RegisterImage,
    collector: Collector,
    frames: tuple[int, int],
    decode_faults: Mapping[str, int],
) -> Accounting:
    """Return the accounting of a run that has ended.

    `image` must hold control.stream, and the status and source registers, read after the end.
    `frames` are (received, lost). `decode_faults` counts faulty stretches of the stream by kind.

    Raises KeyError if `image` lacks one of these registers.
    """
    streamed = bool(image.value("control", "stream"))
    memories = collector.memories
    # Without Feature.MATCH only drops are counted by source, those of the upload FIFO too. What
    # the link loses has no source: it is in the sum of all events alone.
    counts = Feature.MATCH in collector.geometry.features
    edges: list[int] = []
    uploads: list[int] = []
    if counts:
        edges = memories.counts(Space.EDGES).reshape(-1, 2).sum(axis=1).tolist()
        uploads = memories.counts(Space.UPLOAD_DROPS).tolist()
    # Instruments before protocol 2.3 have no codes.
    masked = image.value("status", "masked") if image.has("status", "masked") else 0
    # Nor have those before 2.8 long filters.
    filtered, long = 0, frozenset[int]()
    if counts and image.has(*REMOVED):
        filtered, long = image.value(*REMOVED), _long_filters(image, collector.geometry)
    counted_edges = counts and memories.known(Space.EDGES)

    def of_source(source: int) -> SourceAccounting:
        """Account for a source; codes that are not to be sent are left out."""
        is_code = source >= SOURCE_CODE
        dropped = image.value("source", "dropped", source)
        if not counts:
            came = collector.received_of(source)
            return SourceAccounting(source, came + dropped, dropped, 0, came)
        generated = image.value("source", "generated", source) - masked * is_code
        merged = generated - dropped if is_code else edges[source]
        if source in long and (counted_edges or len(long) == 1):
            removed = generated - dropped - merged if counted_edges else filtered
            generated -= max(removed, 0)
        received = collector.received_of(source) if streamed else merged
        return SourceAccounting(source, generated, dropped, uploads[source], received)

    present = collector.geometry.sources
    sources = tuple(of_source(source) for source in range(SOURCES) if source in present)
    indexed = collector.geometry.indexed
    generated = sum(source.generated for source in sources)
    if long and not counted_edges and len(long) > 1:
        generated -= filtered
    if not counts:
        generated = image.value("status", "events")
    events = image.value("status", "events") if indexed else generated
    received = collector.received_total if streamed else sum(source.received for source in sources)
    dropped = sum(source.dropped + source.upload_dropped for source in sources)
    # A negative rest means that more events came than were sent. That is reported for each source.
    lost = max(events - received - dropped, 0)
    contradictions: list[str] = []

    def agree(claim: str, value: int, counterpart: int) -> None:
        if value != counterpart:
            contradictions.append(f"{claim}: {value} against {counterpart}")

    if indexed:
        agree("edges generated against events indexed", generated, events)
    if counts and memories.known(Space.UPLOAD_DROPS):
        agree(
            "events dropped before the link, in all and by source",
            image.value("status", "upload_dropped"),
            sum(uploads),
        )
    if long and counted_edges:
        agree(
            "edges that filters removed, in all and by source",
            filtered,
            sum(image.value("source", "generated", n) for n in present if n < SOURCE_CODE)
            - sum(entry.generated for entry in sources if entry.source < SOURCE_CODE),
        )
    if counted_edges:
        for entry in (source for source in sources if source.source < SOURCE_CODE):
            agree(
                f"{entry.name}: edges kept against edges merged",
                entry.generated - entry.dropped,
                edges[entry.source],
            )
    if streamed:
        contradictions += _stream_contradictions(collector, sources, dropped)
        explained = frames[1] * MAX_WORDS
        if lost > explained:
            contradictions.append(
                f"{counted(lost, 'event')} {agreed(lost, 'is', 'are')} missing, but the "
                f"{counted(frames[1], 'frame')} "
                "lost had at most "
                f"{explained}"
            )
        contradictions += _time_contradictions(collector, image)
    return Accounting(
        generated,
        received,
        dropped,
        lost,
        sources,
        frames[0],
        frames[1],
        dict(decode_faults),
        contradictions=tuple(contradictions),
        # Instruments before protocol 2.2 have no such counter.
        link_dropped=image.value(*LINK_DROPPED) if image.has(*LINK_DROPPED) else 0,
        masked=masked,
        # Instruments before protocol 2.5 mend nothing.
        mended_clocks=image.value(*MENDED) if image.has(*MENDED) else 0,
        filtered=filtered,
    )


def _long_filters(image: RegisterImage, geometry: Geometry) -> frozenset[int]:
    """Return the channels whose filter is longer than a core clock."""
    return frozenset(
        SOURCE_CHANNEL + number
        for number in range(geometry.channels)
        if image.has("long_filter", "ticks", number) and image.value("long_filter", "ticks", number)
    )


def _stream_contradictions(
    collector: Collector,
    sources: tuple[SourceAccounting, ...],
    dropped: int,
) -> list[str]:
    contradictions = [
        f"{source.name}: {surplus} more events arrived than were sent"
        for source in sources
        for surplus in (
            source.received + source.dropped + source.upload_dropped - source.generated,
        )
        if surplus > 0
    ]
    present = {source.source for source in sources}
    contradictions += [
        f"{source_name(number)}: {counted(collector.received_of(number), 'event')} of a source "
        "that is not"
        for number in range(SOURCES)
        if number not in present and collector.received_of(number)
    ]
    if collector.gap_dropped > dropped:
        contradictions.append(
            f"the stream leaves out {counted(collector.gap_dropped, 'event')}, but {dropped} were "
            "dropped"
        )
    if collector.disorder:
        contradictions.append(f"{counted(collector.disorder, 'frame')} out of order")
    if collector.unmarked:
        contradictions.append(f"{collector.unmarked} gaps in the stream are not marked")
    return contradictions


def _time_contradictions(collector: Collector, image: RegisterImage) -> list[str]:
    """Return where the events' times contradict each other or the run's start and end."""
    contradictions: list[str] = []
    if collector.misplaced:
        contradictions.append(
            f"{counted(collector.misplaced, 'event')} at times that no run reaches were left out"
        )
    if collector.backwards:
        contradictions.append(
            f"{counted(collector.backwards, 'event')} {agreed(collector.backwards, 'is', 'are')} "
            "earlier than the one before"
        )
    start, end = image.value("status", "start_ticks"), image.value("status", "end_ticks")
    first, last = collector.first_ticks, collector.last_ticks
    if first is not None and not start <= first <= last < end:
        contradictions.append(
            f"events from {first} to {last} ticks in a run from {start} to before {end} ticks"
        )
    return contradictions


def account_partly(
    collector: Collector, frames: tuple[int, int], decode_faults: Mapping[str, int]
) -> Accounting:
    """Return the accounting of a run whose end was never seen, up to the last event received."""
    sources = tuple(
        SourceAccounting(source, count, 0, 0, count)
        for source in collector.geometry.sources
        for count in (collector.received_of(source),)
    )
    return Accounting(
        collector.next_index,
        collector.received_total,
        collector.gap_dropped,
        collector.gap_lost,
        sources,
        frames[0],
        frames[1],
        dict(decode_faults),
        contradictions=("the end of the run was never seen",),
    )
