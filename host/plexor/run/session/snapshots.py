# SPDX-License-Identifier: Apache-2.0
"""Snapshots of a run that is under way: the chip's, or the host's if the chip takes none."""

from __future__ import annotations

import time
from dataclasses import dataclass

from plexor.base.units import ticks_of
from plexor.model.identity import Identity
from plexor.model.results import SnapshotResult
from plexor.model.settings import Settings
from plexor.run.plan.registers import REPORT_SPACES, computes_snapshots
from plexor.wire.decode.collect import Collector
from plexor.wire.decode.register_image import RegisterImage
from plexor.wire.decode.snapshot import snapshot_from_events, snapshot_of

MOST_PART = 0.2
"""Maximum part of the wall time in which the host computes snapshots from events."""


@dataclass(frozen=True, slots=True)
class SnapshotSource:
    """What snapshots of a run are made from."""

    identity: Identity
    image: RegisterImage
    collector: Collector
    settings: Settings


class Snapshots:
    """The snapshots of one run, each once."""

    def __init__(self, run: SnapshotSource) -> None:
        self._run = run
        self._dumps = 0
        self._number = 0
        self._next_ticks = 0
        self._next_wall = 0.0
        report_s = run.settings.report_s
        self._every_ticks = None
        if report_s is not None and computes_snapshots(run.settings, run.identity.geometry):
            self._every_ticks = max(round(ticks_of(report_s, run.identity.tick_fs)), 1)

    def dumped(self) -> SnapshotResult | None:
        """Return the chip's last snapshot if it is whole and was not returned before."""
        run = self._run
        if run.collector.dumps == self._dumps:
            return None
        self._dumps = run.collector.dumps
        number = run.collector.memories.coherent(REPORT_SPACES)
        if number is None or number == self._number:
            return None
        self._number = number
        return snapshot_of(run.identity, run.image, run.collector, run.settings, number)

    def computed(self, time_ticks: int) -> SnapshotResult | None:
        """Return the host's snapshot if one is due and no event is missing."""
        began = time.monotonic()
        if self._every_ticks is None or time_ticks < self._next_ticks or began < self._next_wall:
            return None
        self._next_ticks = time_ticks + self._every_ticks
        run = self._run
        found = snapshot_from_events(
            run.identity, run.image, run.collector, run.settings, self._number + 1
        )
        spent = time.monotonic() - began
        self._next_wall = began + spent / MOST_PART
        if found is not None:
            self._number += 1
        return found
