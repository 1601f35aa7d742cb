# SPDX-License-Identifier: Apache-2.0
"""A run that is driven by hand: an instrument that keeps what is written, and a device's line."""

from fractions import Fraction
from types import SimpleNamespace

from plexor.base.errors import LinkError
from plexor.model.identity import Identity
from plexor.protocol.geometry import Geometry
from plexor.run.session.stop import Stop
from plexor_lab.mixed.drive import Drive, Plan
from plexor_lab.mixed.model import Mode
from plexor_lab.mixed.schedule import entries as entries_of
from plexor_lab.mixed.timecode import StepClock

from .lists import STEP, schedule

CLOCK = StepClock(Fraction(STEP))
"""Whole steps, so that times are read at a glance."""


class Line:
    """The line to a device: it keeps messages, and has the replies that a test gives it."""

    def __init__(self, log):
        self.log = log
        self.answers = []
        self.deaf = 0
        """Questions that get no reply."""

    def send(self, *messages):
        self.log += messages

    def await_reply(self, timeout_s, stop):
        self.log.append(f"waits for {timeout_s:g} s")
        if self.deaf:
            self.deaf -= 1
            raise LinkError("no reply")

    def replies(self):
        found, self.answers = self.answers, []
        return found


class Instrument:
    """Keeps writes in the same log as the line's messages."""

    def __init__(self, log):
        self.log = log
        self.patience = 3
        self.image = SimpleNamespace(value=lambda *_: 0)
        self.identity = Identity(Geometry(timecode_bits=8), 1)

    def write(self, block, name, value, copy=0):
        self.log.append((block, name, value))

    def write_all(self, writes):
        self.log += [(write.block, write.name, write.value) for write in writes]


class Driven:
    """A drive with its instrument and its line, whose log has everything in order."""

    def __init__(self, mode, distance=None, on_look=None, line=True, **changes):
        self.log = []
        self.line = Line(self.log)
        self.run = SimpleNamespace(device=Instrument(self.log))
        made = schedule(**changes)
        self.entries = entries_of(made, distance)
        self.due = [CLOCK.at(entry.due_step) for entry in self.entries]
        plan = Plan(
            mode=mode,
            entries=self.entries,
            due_ticks=self.due,
            clock=CLOCK,
            ids=made.ids,
            spacing_steps=made.spacing_steps,
        )
        executor = self.line if line and mode is not Mode.NORMAL else None
        self.stop = Stop()
        self.drive = Drive(plan, executor, on_look, self.stop)

    def prepared(self):
        self.drive.prepared(self.run)
        return self.taken()

    def looked(self, ticks):
        self.drive.looked(self.run, ticks)
        return self.taken()

    def taken(self):
        found = self.log[:]
        self.log.clear()
        return found


def entry_writes(due_ticks, event_id, number):
    """Return the writes that add an entry to the instrument's schedule."""
    word = event_id + 256 * (number % 128)
    return [("schedule", "due_ticks", due_ticks), ("schedule", "entry", word)]
