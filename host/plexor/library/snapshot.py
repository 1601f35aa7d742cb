# SPDX-License-Identifier: Apache-2.0
"""The results of a run at one moment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from plexor.library.reading import Reading, of_name
from plexor.library.run import Run
from plexor.model.results import SnapshotResult
from plexor.run.session.progress import Progress


@dataclass(frozen=True, eq=False)
class Snapshot:
    """All channels as of one event. The last snapshot of a run is its end."""

    result: SnapshotResult
    tick_fs: int
    simulated: bool
    progress: Progress | None
    """How far the run was, as last reported before. None: not reported yet."""
    final: bool
    """Whether the run has ended with it."""
    _run: Callable[[], Run]

    @property
    def number(self) -> int:
        """Its number in the run. A gap: snapshots that were lost, or that the reader was late for.

        The last one has the number after the instrument's last.
        """
        return self.result.number

    @cached_property
    def channels(self) -> tuple[Reading, ...]:
        """All channels that are measured."""
        return tuple(Reading(channel, self.tick_fs) for channel in self.result.channels)

    def __getitem__(self, name: str) -> Reading:
        return of_name(self.channels, name)

    @property
    def run(self) -> Run:
        """The finished run. Waits for its end, and raises what made it fail."""
        return self._run()
