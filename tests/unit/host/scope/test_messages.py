# SPDX-License-Identifier: Apache-2.0
"""What pages say: only small commands of the known forms, and not too many."""

import json
from fractions import Fraction

import pytest

from plexor.library.scans.sweep_spec import SweepSpec
from plexor.scope.messages import (
    BURST,
    COMMANDS,
    MOST_BYTES,
    RATE_HZ,
    SWEEP_DEFAULTS,
    Allowance,
    MessageError,
    parse,
)


def message(**given):
    return parse(json.dumps(given))


@pytest.mark.parametrize("do", [name for name in COMMANDS if name != "seen"])
def test_each_command_is_understood_by_its_name_alone(do):
    assert message(do=do).do == do


def test_settings_are_texts_and_those_left_empty_are_not_there():
    found = message(do="run", rate=" 20k ", width="", channels=["ISR=ch0", " "])
    assert found.options == {"rate": "20k", "channels": ["ISR=ch0"]}


def test_a_run_is_kept_in_a_session_if_one_is_named():
    assert message(do="keep", session=" warm ").options == {"session": "warm"}
    assert message(do="keep").options == {}


def test_an_empty_list_says_that_nothing_was_chosen():
    assert message(do="check", channels=[" "]).options == {"channels": []}


def test_the_sweep_that_the_page_begins_with_is_one_that_the_library_takes():
    asked = SweepSpec.of({**SWEEP_DEFAULTS, "criteria": [SWEEP_DEFAULTS["criteria"]]})
    assert (asked.low, asked.high, asked.points) == (1000, 200_000, 9)
    (limit,) = asked.criteria
    assert (limit.share, limit.confidence) == (Fraction(1, 1000), Fraction(95, 100))


def test_a_frame_that_has_come_is_a_number():
    assert message(do="seen", frame=12).frame == 12


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no",
        "[]",
        "7",
        "{}",
        '{"do": 1}',
        '{"do": "shutdown"}',
        '{"do": "stop", "now": "x"}',
        '{"do": "run", "out": "/etc"}',
        '{"do": "run", "rate": 20000}',
        '{"do": "run", "rate": "2\\u00000k"}',
        '{"do": "run", "channels": "ch0"}',
        '{"do": "run", "channels": [1]}',
        '{"do": "run", "rate": "' + "1" * 201 + '"}',
        json.dumps({"do": "run", "channels": ["ch0"] * 17}),
        '{"do": "seen"}',
        '{"do": "seen", "frame": "1"}',
        "[" * 3000,
        '{"do": "stop"}' + " " * MOST_BYTES,
    ],
)
def test_whatever_is_not_a_command_is_refused(text):
    with pytest.raises(MessageError):
        parse(text)


def test_a_burst_of_messages_may_come_and_then_so_many_a_second():
    now = [0.0]
    allowance = Allowance(lambda: now[0])
    assert sum(allowance.take() for _ in range(1000)) == BURST
    now[0] = 1.0
    assert sum(allowance.take() for _ in range(1000)) == RATE_HZ
    now[0] = 1000.0
    assert sum(allowance.take() for _ in range(1000)) == BURST
