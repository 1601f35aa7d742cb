# SPDX-License-Identifier: Apache-2.0
"""What the host does while a run is under way: it issues entries, or answers them by itself.

At each reading of the instrument's time it issues what is due to be issued: to the device first,
whose line is slow, and then to the instrument's schedule.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from plexor.base.errors import LinkError
from plexor.library.parts.run import (
    SCHEDULE_ENTRIES,
    Action,
    LiveRun,
    RegisterWrite,
    Stop,
    entry_word,
    timecode_is_switched,
)
from plexor_lab.mixed.message import Message, MessageKind, Reply
from plexor_lab.mixed.model import Entry, Mode
from plexor_lab.mixed.timecode import StepClock

SPARE_ENTRIES = 8
"""Places of the instrument's schedule that stay free, so that none is refused."""
QUERY_STEPS = 1
"""Steps from the last due step to the question how many messages the device got."""

REPLIES_S = (0.5, 1.0, 2.0, 4.0)
"""Waits for a device's reply before a run, in seconds. One that boots hears only the later tries.
A simulated one gets more time for the last."""


class Executor(Protocol):
    """The line to the device under test."""

    def send(self, *messages: Message) -> None:
        """Send messages in one write. Raises LinkError if that fails."""
        ...

    def await_reply(self, timeout_s: float, stop: Stop) -> Reply:
        """Return the next reply. Raises LinkError if none has come in time or before a stop."""
        ...

    def replies(self) -> Iterable[Reply]:
        """Return the replies that have come since the last call, without a wait."""
        ...


@dataclass(frozen=True, slots=True)
class Plan:
    """One run of a schedule. `due_ticks` has the due time of each entry from the run's start."""

    mode: Mode
    entries: Sequence[Entry]
    due_ticks: Sequence[int]
    clock: StepClock
    ids: int
    spacing_steps: int
    gray: bool = False


@dataclass(frozen=True, slots=True)
class Looked:
    """How far a run is: its plan, the step that has come, and the entries that were issued."""

    plan: Plan
    run: LiveRun
    elapsed_ticks: int
    step: int
    issued: int


OnLook = Callable[[Looked], None]


class Drive:
    """Drives one run. `executor` is needed in the modes with a device; ValueError without."""

    def __init__(
        self,
        plan: Plan,
        executor: Executor | None = None,
        on_look: OnLook | None = None,
        stop: Stop | None = None,
    ) -> None:
        if executor is None and plan.mode is not Mode.NORMAL:
            raise ValueError(f"executor: None; a run in mode {plan.mode} needs the device's line")
        self._plan = plan
        self._executor = executor
        self._on_look = on_look
        self._stop = stop or Stop()
        self.written = 0
        """Entries that were written to the instrument's schedule."""
        self.answered = 0
        """Entries that the host answered by itself."""
        self.issue_steps: list[int] = []
        """The step at which each entry was issued, so far."""
        self.reply: Reply | None = None
        """The device's last answer to the question what it got."""
        self._told = self._asked = False
        self._load = 0

    def prepared(self, run: LiveRun) -> None:
        """Empty both schedules; fill the instrument's with what is known before the run.

        Raises LinkError if the device does not reply before a stop is requested.
        """
        if self._executor is not None:
            _empty(self._executor, run.device.patience, self._stop)
        self._load = run.device.image.value("control", "load")
        run.device.write("control", "action", Action.FORGET)
        run.device.write("schedule", "timecode_gray", int(self._plan.gray))
        if timecode_is_switched(run.device.identity):
            run.device.write("schedule", "timecode_on", 1)
        if self._plan.mode is not Mode.MIXED:
            self._write(run, SCHEDULE_ENTRIES - SPARE_ENTRIES)

    def looked(self, run: LiveRun, elapsed_ticks: int) -> None:
        """Issue and answer what the time asks for."""
        step = self._plan.clock.step_at(elapsed_ticks)
        if self._executor is not None:
            self._tell(self._executor, step)
        if self._plan.mode is Mode.MIXED:
            self._issue(run, step)
        else:
            past = bisect_right(self._plan.due_ticks, elapsed_ticks, 0, self.written)
            self._write(run, past + SCHEDULE_ENTRIES - SPARE_ENTRIES)
        if self._plan.mode is Mode.NORMAL:
            self._answer(run, elapsed_ticks)
        if self._on_look is not None:
            issued = len(self.issue_steps) if self._plan.mode is Mode.MIXED else self.written
            self._on_look(Looked(self._plan, run, elapsed_ticks, step, issued))

    def _tell(self, executor: Executor, step: int) -> None:
        """Set out with the device, and at the end ask it what it got."""
        plan = self._plan
        if not self._told:
            self._told = True
            messages = [Message(MessageKind.RESET, due_steps=step)]
            if plan.mode is Mode.VERIFY:
                first = plan.entries[0].due_step
                messages.append(Message(MessageKind.VERIFY, plan.spacing_steps, first, plan.ids))
            executor.send(*messages)
        if not self._asked and step >= plan.entries[-1].due_step + QUERY_STEPS:
            self._asked = True
            executor.send(Message(MessageKind.QUERY))
        for reply in executor.replies():
            self.reply = reply

    def _issue(self, run: LiveRun, step: int) -> None:
        """Issue the entries whose issue step has come: all to the device, then all to the chip."""
        assert self._executor is not None
        first = len(self.issue_steps)
        ready = first
        entries = self._plan.entries
        while ready < len(entries) and (entries[ready].issue_step or 0) <= step:
            ready += 1
        if ready == first:
            return
        messages = [
            Message(MessageKind.ENTRY, entry.event_id, entry.due_step)
            for entry in entries[first:ready]
        ]
        self._executor.send(*messages)
        self.issue_steps += [step] * len(messages)
        self._write(run, ready)

    def _write(self, run: LiveRun, until: int) -> None:
        """Write entries to the instrument's schedule, up to a number of them in all."""
        places = range(self.written, min(until, len(self._plan.entries)))
        writes = [
            write
            for place in places
            for write in (
                RegisterWrite("schedule", 0, "due_ticks", self._plan.due_ticks[place]),
                RegisterWrite(
                    *("schedule", 0, "entry"),
                    entry_word(place, self._plan.entries[place].event_id),
                ),
            )
        ]
        if writes:
            run.device.write_all(writes)
        self.written += len(places)

    def _answer(self, run: LiveRun, elapsed_ticks: int) -> None:
        """Change the load output once for each entry whose due time has come."""
        due = self._plan.due_ticks
        while self.answered < len(due) and due[self.answered] <= elapsed_ticks:
            self._load ^= 1
            run.device.write("control", "load", self._load)
            self.answered += 1


def _empty(executor: Executor, patience: int, stop: Stop) -> None:
    """Have a device forget its entries: it would fire them when the timecode begins again."""
    for wait_s in REPLIES_S:
        executor.send(Message(MessageKind.RESET), Message(MessageKind.QUERY))
        last = wait_s == REPLIES_S[-1]
        try:
            executor.await_reply(wait_s * (patience if last else 1), stop)
        except LinkError:
            if last or stop.asked:
                raise
        else:
            return
