# SPDX-License-Identifier: Apache-2.0
"""The codes of a run, and what they are called."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from plexor.base.errors import UsageError
from plexor.figures.codes.calls import Calls, calls_of
from plexor.figures.codes.lanes import Lane, LaneKind, Lanes, lanes_of
from plexor.figures.codes.names import Names
from plexor.figures.codes.of_run import codes_of
from plexor.figures.codes.values import SentValue, values_of
from plexor.model.results import RunResult
from plexor.protocol.codes import CodeClass

if TYPE_CHECKING:
    from plexor.model.code_array import CodeArray

_CLASSES = {
    LaneKind.INTERRUPT: CodeClass.ISR_ENTER,
    LaneKind.TASK: CodeClass.RUN,
    LaneKind.STATE: CodeClass.SET,
}


class CodedRun:
    """What a device said in a run. Raises UsageError for a run without codes."""

    def __init__(self, result: RunResult) -> None:
        self.result = result
        try:
            codes, self.codes = codes_of(result)
        except ValueError as error:
            raise UsageError(f"this run {error}") from error
        self.bits = codes.bits
        self.names = Names(codes.names)

    codes: CodeArray
    """Codes in order (plexor.model.codes.CODE_DTYPE)."""

    @cached_property
    def lanes(self) -> Lanes:
        """Tasks, interrupts and user states over time."""
        return lanes_of(self.codes, self.bits, self.result.start_ticks, self.result.end_ticks)

    @cached_property
    def calls(self) -> Calls:
        """Calls of functions."""
        return calls_of(self.codes, self.bits)

    @cached_property
    def values(self) -> tuple[SentValue, ...]:
        """Values that the device sent."""
        return values_of(self.codes, self.bits)

    def lane_name(self, lane: Lane) -> str:
        """Return a lane's name."""
        return self.names.name_of(_CLASSES[lane.kind], lane.number)

    def function_name(self, number: int) -> str:
        """Return a function's name."""
        return self.names.name_of(CodeClass.ENTER, number)
