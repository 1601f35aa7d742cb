# SPDX-License-Identifier: Apache-2.0
"""A run's timeline: what each task and interrupt did, and when."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

from plexor.base.errors import UsageError
from plexor.base.units import FEMTOSECONDS, ticks_of
from plexor.figures.codes.instances import instances
from plexor.figures.codes.lanes import Lane, LaneState, switches
from plexor.library.explain.coded import CodedRun
from plexor.library.specs.values import path_of
from plexor.model.results import RunResult
from plexor.show.export.lanes import SUFFIXES, export_lanes
from plexor.show.pictures.timeline import timeline_page, timeline_picture
from plexor.show.terminal.timeline import timeline_text
from plexor.show.timeline import TimelineView

SCHEMA = "plexor.timeline/1"
LANES = SUFFIXES
"""Of the files that lanes are written to."""


class Timeline:
    """Lanes of a run, from `Run.timeline`. All times count from the start of the run.

    `start` and `end` bound what is drawn, `cursors` are two times. Raises UsageError for a run
    without codes, and for times outside it.
    """

    def __init__(
        self,
        result: RunResult,
        start: Fraction | None = None,
        end: Fraction | None = None,
        cursors: tuple[Fraction, ...] = (),
    ) -> None:
        self.coded = CodedRun(result)
        lanes = self.coded.lanes
        length = lanes.end_ticks - lanes.start_ticks
        low, high = 0, length
        if start is not None:
            low = self._ticks("from", start, length)
        if end is not None:
            high = self._ticks("until", end, length)
        if low >= high:
            raise UsageError("the timeline ends before it begins; give a later time to end it")
        if len(cursors) not in (0, 2):
            raise UsageError(f"cursor: {len(cursors)} given; give two, or none")
        first = lanes.start_ticks
        cursor_ticks = tuple(first + self._ticks("cursor", time, length) for time in cursors)
        self.view = TimelineView(
            result,
            lanes,
            {lane: self.coded.lane_name(lane) for lane in lanes.lanes},
            (first + low, first + high),
            cursor_ticks,
            self.coded.values,
        )

    def _ticks(self, name: str, time: Fraction, length: int) -> int:
        ticks = round(ticks_of(time, self.coded.result.tick_fs))
        if not 0 <= ticks <= length:
            seconds = length * self.coded.result.tick_fs / FEMTOSECONDS
            raise UsageError(f"{name}: {float(time):g} s; must lie in the run's {seconds:.6g} s")
        return ticks

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return it as text for a terminal of `width` columns."""
        return timeline_text(self.view, width=width, colour=colour)

    def picture(self) -> str:
        """Return it as an SVG picture."""
        return timeline_picture(self.view)

    def page(self) -> str:
        """Return it as an HTML page."""
        return timeline_page(self.view, self.document())

    def export(self, *paths: str | Path) -> None:
        """Write all lanes to files whose suffixes name their format: .csv, .vcd or .pftrace.

        Raises UsageError for another suffix, StoreError if a file cannot be written.
        """
        for path in paths:
            export_lanes(self.view, path_of(path))

    def document(self) -> dict[str, Any]:
        """Return it as the document that `plexor explain --json` prints, times in ticks."""
        result, lanes = self.coded.result, self.coded.lanes
        document: dict[str, Any] = {
            "schema": SCHEMA,
            "simulated": result.simulated,
            "valid": result.valid,
            "tick_fs": result.tick_fs,
            "codes": len(self.coded.codes),
            "torn": lanes.torn,
            "gaps": lanes.gaps,
            "length_ticks": lanes.end_ticks - lanes.start_ticks,
            "switches": len(switches(lanes)),
            "values": [
                {"time_ticks": sent.time_ticks - lanes.start_ticks, "value": sent.value}
                for sent in self.coded.values
            ],
            "lanes": [self._lane(lane) for lane in lanes.lanes],
        }
        if self.view.cursors:
            first, second = self.view.cursors
            document["cursor_delta_ticks"] = second - first
        return document

    def _lane(self, lane: Lane) -> dict[str, Any]:
        lane_instances = instances(lane, self.coded.lanes)
        return {
            "kind": lane.kind.value,
            "number": lane.number,
            "name": self.view.names[lane],
            "time_ticks": {state.value: lane.time_in(state) for state in LaneState},
            "inherits": len(lane.inherits),
            "instances": {
                "start_ticks": (lane_instances.start_ticks - self.coded.lanes.start_ticks).tolist(),
                "response_ticks": lane_instances.response_ticks.tolist(),
                "execution_ticks": lane_instances.execution_ticks.tolist(),
                "fragments": lane_instances.fragments.tolist(),
            },
        }
