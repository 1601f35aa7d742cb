# SPDX-License-Identifier: Apache-2.0
"""A run's profile: where its functions spent their time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from plexor.base.errors import UsageError
from plexor.figures.codes.calls import corrected
from plexor.library.explain.coded import CodedRun
from plexor.model.results import RunResult
from plexor.protocol.codes import CodeClass
from plexor.show.terminal import profile as views

SCHEMA = "plexor.profile/1"
_FS_PER_NS = 10**6


class Profile:
    """The calls of a run in one of VIEWS, from `Run.profile`.

    `base_ticks` is the time of an empty call, which is subtracted from each. `function` is the one
    that `butterfly` is about, by name. `by` and `most` order and bound `top`.
    """

    def __init__(
        self,
        result: RunResult,
        view: str = "top",
        base_ticks: int = 0,
        function: str | None = None,
        by: str = "time",
        most: int | None = None,
    ) -> None:
        if (view == "butterfly") != (function is not None):
            raise UsageError("butterfly and function belong together; give both, or neither")
        self.view = view
        self.coded = CodedRun(result)
        self._profile = views.ProfileView(
            result,
            self.coded.calls,
            self.coded.function_name,
            lambda number: module_of(self.coded.function_name(number)),
            base_ticks,
        )
        number = None if function is None else self._number(function)
        rows: dict[str, Callable[[], views.Rows]] = {
            "top": lambda: views.top_rows(self._profile, by, most),
            "modules": lambda: views.module_rows(self._profile),
            "tree": lambda: views.tree_rows(self._profile),
            "butterfly": lambda: views.butterfly_rows(self._profile, number or 0),
            "graph": lambda: views.graph_rows(self._profile),
            "trace": lambda: views.trace_rows(self._profile),
        }
        self._rows = rows[view]

    def _number(self, name: str) -> int:
        numbers = {call.function for call in self.coded.calls.calls}
        matching = [
            number for number in sorted(numbers) if self.coded.function_name(number) == name
        ]
        if not matching:
            names = ", ".join(sorted(self.coded.function_name(number) for number in numbers))
            raise UsageError(f"function: {name!r} was not called; called were: {names or 'none'}")
        return matching[0]

    @property
    def rows(self) -> tuple[views.ProfileView, views.Rows]:
        """What a page shows of it."""
        return self._profile, self._rows()

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return the view as text for a terminal of `width` columns."""
        return views.profile_text(self._profile, self._rows(), width=width, colour=colour)

    def document(self) -> dict[str, Any]:
        """Return all calls as the document that `plexor explain --json` prints, times in ticks."""
        result, calls = self.coded.result, self.coded.calls
        base_ticks = self._profile.base_ticks
        return {
            "schema": SCHEMA,
            "simulated": result.simulated,
            "valid": result.valid,
            "tick_fs": result.tick_fs,
            "base_ticks": base_ticks,
            "calls": [
                {
                    "actor": " ".join(map(str, call.actor)).strip(),
                    "path": [self.coded.function_name(function) for function in call.path],
                    "enter_ticks": call.enter_ticks - result.start_ticks,
                    "exit_ticks": call.exit_ticks - result.start_ticks,
                    "total_ticks": call.total_ticks,
                    "own_ticks": call.own_ticks,
                    "corrected_total_ticks": corrected(call, base_ticks)[0],
                    "corrected_own_ticks": corrected(call, base_ticks)[1],
                }
                for call in calls.calls
            ],
            "unmatched_exits": self._unmatched(calls.unmatched_exits),
            "unmatched_entries": self._unmatched(calls.unmatched_entries),
        }

    def speedscope(self) -> dict[str, Any]:
        """Return all calls in the file format of speedscope.app, in nanoseconds, rounded.

        Each task and interrupt is a profile.
        """
        calls = self.coded.calls.calls
        functions = sorted({call.function for call in calls})
        frames = {function: frame_number for frame_number, function in enumerate(functions)}
        profiles: list[dict[str, Any]] = []
        for actor in sorted({call.actor for call in calls}):
            events: list[tuple[int, str, int]] = []
            for call in calls:
                if call.actor == actor:
                    frame = frames[call.function]
                    events.append((call.enter_ticks, "O", frame))
                    events.append((call.exit_ticks, "C", frame))
            kind, number = actor
            profiles.append(
                {
                    "type": "evented",
                    "name": self._actor(kind, number),
                    "unit": "nanoseconds",
                    "startValue": 0,
                    "endValue": self._ns(self.coded.result.end_ticks),
                    "events": [
                        {"type": event_type, "frame": frame, "at": self._ns(ticks)}
                        for ticks, event_type, frame in sorted(events)
                    ],
                }
            )
        return {
            "$schema": "https://www.speedscope.app/file-format-schema.json",
            "shared": {
                "frames": [
                    {"name": self.coded.function_name(number_of_function)}
                    for number_of_function in functions
                ]
            },
            "profiles": profiles,
            "name": "simulated run" if self.coded.result.simulated else "run",
            "exporter": "plexor",
        }

    def _actor(self, kind: str, number: int) -> str:
        if not kind:
            return "device"
        code_class = CodeClass.RUN if kind == "task" else CodeClass.ISR_ENTER
        return self.coded.names.name_of(code_class, number)

    def _ns(self, ticks: int) -> int:
        since = (ticks - self.coded.result.start_ticks) * self.coded.result.tick_fs
        return (since + _FS_PER_NS // 2) // _FS_PER_NS

    def _unmatched(self, codes: tuple[tuple[int, int], ...]) -> list[dict[str, Any]]:
        start = self.coded.result.start_ticks
        return [
            {"function": self.coded.function_name(function), "time_ticks": time - start}
            for time, function in codes
        ]


def module_of(name: str) -> str:
    """Return the module in a name such as `tasks.c:vTaskDelay`; `-` without one."""
    module, colon, _ = name.rpartition(":")
    return module if colon and module else "-"
