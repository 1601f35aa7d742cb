# SPDX-License-Identifier: Apache-2.0
"""Results so far of a run that is under way, from the chip or from events. Pure."""

from __future__ import annotations

from functools import partial

from plexor.model.identity import Identity
from plexor.model.results import SnapshotResult
from plexor.model.settings import Settings
from plexor.protocol.memory import Space
from plexor.wire.decode.channels import Channels, matching_of
from plexor.wire.decode.collect import Collector
from plexor.wire.decode.consistent import UNENDED, consistent_channels
from plexor.wire.decode.register_image import RegisterImage


def snapshot_of(
    identity: Identity, image: RegisterImage, collector: Collector, settings: Settings, number: int
) -> SnapshotResult:
    """Return the last snapshot of a run under way, without figures that only its end has."""
    channels = Channels(identity, image, collector, settings, 0).build(None, streamed=True)
    return SnapshotResult(
        number,
        int(collector.memories.counts(Space.EDGES).sum()),
        consistent_channels(channels, UNENDED, identity.geometry)[0],
        start_ticks=collector.started_ticks or 0,
        time_ticks=collector.snapshot_ticks,
    )


def snapshot_from_events(
    identity: Identity, image: RegisterImage, collector: Collector, settings: Settings, number: int
) -> SnapshotResult | None:
    """Return a snapshot that the host computes from the events so far; None if it cannot."""
    matching = collector.matching(partial(matching_of, identity.geometry, image))
    if matching is None:
        return None
    end_ticks = collector.last_ticks + 1
    known = matching.figures(end_ticks, final=False)
    channels = Channels(identity, image, collector, settings, end_ticks)
    built = channels.build(known, streamed=True, whole=not matching.lost)
    sound = consistent_channels(built, UNENDED, identity.geometry)[0]
    start_ticks = collector.started_ticks or 0
    return SnapshotResult(number, collector.received_total, sound, False, start_ticks, end_ticks)
