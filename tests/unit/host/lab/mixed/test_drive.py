# SPDX-License-Identifier: Apache-2.0
"""What the host does in a run: it issues on the step, the device first, and overfills nothing."""

import pytest

from plexor.base.errors import LinkError
from plexor.model.identity import Identity
from plexor.protocol.geometry import SCHEDULE_ENTRIES, Geometry
from plexor.protocol.registers import Action
from plexor_lab.mixed.drive import SPARE_ENTRIES, Drive, Plan
from plexor_lab.mixed.message import Message, MessageKind, Reply
from plexor_lab.mixed.model import Mode

from .driven import CLOCK, Driven, entry_writes
from .lists import STEP

ROOM = SCHEDULE_ENTRIES - SPARE_ENTRIES
SET_OUT = [
    *(Message(MessageKind.RESET), Message(MessageKind.QUERY), "waits for 0.5 s"),
    *[("control", "action", Action.FORGET), ("schedule", "timecode_gray", 0)],
    ("schedule", "timecode_on", 1),
]
"""The device forgets first, so that it fires nothing of another run."""


@pytest.mark.parametrize("distance", [0, 1, 2])
def test_an_entry_is_issued_at_its_step_to_the_device_and_then_to_the_chip(distance):
    driven = Driven(Mode.MIXED, distance, count=3)
    assert driven.prepared() == SET_OUT
    assert driven.looked(5) == [Message(MessageKind.RESET, due_steps=0)]
    first = CLOCK.at(4 - distance)
    assert driven.looked(first - 1) == []
    assert driven.looked(first) == [
        Message(MessageKind.ENTRY, 0, 4),
        *entry_writes(4 * STEP, 0, 0),
    ]
    assert driven.looked(first + 1) == []
    assert driven.looked(first + STEP) == [
        Message(MessageKind.ENTRY, 1, 5),
        *entry_writes(5 * STEP, 1, 1),
    ]
    assert driven.drive.issue_steps == [4 - distance, 5 - distance]


def test_a_host_that_comes_late_issues_all_that_is_ready_and_says_when():
    driven = Driven(Mode.MIXED, 2, count=4)
    driven.prepared()
    driven.looked(0)
    assert driven.looked(CLOCK.at(4)) == [
        Message(MessageKind.ENTRY, 0, 4),
        Message(MessageKind.ENTRY, 1, 5),
        Message(MessageKind.ENTRY, 2, 6),
        *entry_writes(4 * STEP, 0, 0),
        *entry_writes(5 * STEP, 1, 1),
        *entry_writes(6 * STEP, 2, 2),
    ]
    assert driven.drive.issue_steps == [4, 4, 4]


def test_a_device_that_schedules_by_itself_is_told_once():
    driven = Driven(Mode.VERIFY, count=3, spacing_steps=5, ids=6)
    assert driven.prepared()[len(SET_OUT) :] == [
        *entry_writes(4 * STEP, 0, 0),
        *entry_writes(9 * STEP, 1, 1),
        *entry_writes(14 * STEP, 2, 2),
    ]
    assert driven.looked(STEP) == [
        Message(MessageKind.RESET, due_steps=1),
        Message(MessageKind.VERIFY, 5, 4, 6),
    ]
    assert driven.looked(2 * STEP) == []


def test_the_schedule_is_filled_before_the_run_and_kept_full_without_refusals():
    driven = Driven(Mode.VERIFY, count=3 * SCHEDULE_ENTRIES)
    writes = len(driven.prepared()) - len(SET_OUT)
    assert writes == 2 * ROOM
    driven.looked(0)
    written, past = ROOM, 0
    for step in range(1, 3 * SCHEDULE_ENTRIES + 8, 3):
        found = driven.looked(CLOCK.at(step))
        written += len([write for write in found if isinstance(write, tuple)]) // 2
        past = sum(due <= CLOCK.at(step) for due in driven.due)
        assert written - past <= ROOM
        assert written == min(past + ROOM, len(driven.due))
    assert past == written == 3 * SCHEDULE_ENTRIES


def test_the_host_answers_each_due_entry_once_by_a_change_of_the_load_output():
    driven = Driven(Mode.NORMAL, count=4, spacing_steps=1)
    assert not [entry for entry in driven.prepared() if isinstance(entry, Message)]
    assert driven.looked(CLOCK.at(4) - 1) == []
    assert driven.looked(CLOCK.at(4)) == [("control", "load", 1)]
    assert driven.looked(CLOCK.at(4) + 9) == []
    assert driven.looked(CLOCK.at(6) + 9) == [("control", "load", 0), ("control", "load", 1)]
    assert driven.drive.answered == 3


def test_the_device_is_asked_once_after_the_last_step_and_its_answer_is_kept():
    driven = Driven(Mode.MIXED, 1, count=2)
    driven.prepared()
    for step in range(6):
        assert Message(MessageKind.QUERY) not in driven.looked(CLOCK.at(step))
    assert driven.looked(CLOCK.at(6)) == [Message(MessageKind.QUERY)]
    assert driven.looked(CLOCK.at(7)) == []
    reply = Reply(4, 7, 4, 1, 2)
    driven.line.answers = [reply]
    driven.looked(CLOCK.at(8))
    assert driven.drive.reply == reply


def test_who_looks_on_is_told_of_the_step_and_of_what_was_issued():
    seen = []
    driven = Driven(Mode.MIXED, 1, on_look=seen.append, count=2)
    driven.prepared()
    driven.looked(CLOCK.at(3))
    assert [(look.step, look.issued, look.elapsed_ticks) for look in seen] == [(3, 1, 3 * STEP)]


def test_a_device_that_boots_is_asked_again_and_one_that_is_silent_is_an_error():
    driven = Driven(Mode.MIXED, 1)
    driven.line.deaf = 2
    waits = [entry for entry in driven.prepared() if isinstance(entry, str)]
    assert waits == ["waits for 0.5 s", "waits for 1 s", "waits for 2 s"]
    driven.line.deaf = 9
    with pytest.raises(LinkError, match="no reply"):
        driven.prepared()
    # The last wait is longer for a device that is simulated.
    assert driven.taken()[-1] == "waits for 12 s"


def test_a_device_is_not_asked_again_once_a_stop_is_requested():
    driven = Driven(Mode.MIXED, 1)
    driven.line.deaf = 9
    driven.stop.ask()
    with pytest.raises(LinkError, match="no reply"):
        driven.prepared()
    waits = [entry for entry in driven.taken() if isinstance(entry, str)]
    assert waits == ["waits for 0.5 s"]


def test_a_mode_with_a_device_needs_its_line():
    plan = Plan(Mode.MIXED, (), (), CLOCK, 1, 1)
    with pytest.raises(ValueError, match="needs the device's line"):
        Drive(plan)


def test_an_instrument_that_always_drives_its_timecode_is_not_told_to():
    driven = Driven(Mode.MIXED, 1)
    driven.run.device.identity = Identity(Geometry(timecode_bits=8), 1, 2 << 16 | 4)
    assert ("schedule", "timecode_on", 1) not in driven.prepared()
