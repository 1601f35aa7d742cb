# SPDX-License-Identifier: Apache-2.0
"""What phases are measured from: edges of a pin, or a code by its name, kind or value."""

from dataclasses import replace

import numpy as np
import pytest

from plexor.base.errors import UsageError
from plexor.experiments.phase.against import edges_of, marks_of, value_of
from plexor.model.code_array import CODE_DTYPE
from plexor.model.codes import CodeName, Codes, Port
from plexor.model.results import EVENT_DTYPE
from plexor.protocol.frames import SOURCE_CODE, SOURCE_CODE_VALUE

from ...runs import run

NAMES = (
    CodeName(1, 5, "critical"),
    CodeName(8, 0, "critical"),
    CodeName(6, 2, "uart"),
    CodeName(10, 3, "armed"),
    CodeName(13, 1, "mine"),
)
CODES = Codes(port=Port(), names=NAMES)


@pytest.mark.parametrize(
    ("against", "value"),
    [
        ("code:uart", 0x62),
        ("code:interrupt:uart", 0x62),
        ("code:armed", 0xA3),
        ("code:mine", 0xD1),
        ("code:function:critical", 0x80),
        ("code:task:critical", 0x15),
        ("code:0x43", 0x43),
        ("code:67", 0x43),
    ],
)
def test_a_name_is_the_code_that_begins_it(against, value):
    assert value_of(CODES, against) == value


def test_the_class_is_in_the_upper_bits_of_a_code_of_any_width():
    assert value_of(replace(CODES, bits=16), "code:uart") == 0x6002


@pytest.mark.parametrize(
    ("against", "says"),
    [
        ("code:critical", "say code:task:critical or code:function:critical"),
        ("code:nobody", "no code has this name; names are armed, critical, mine, uart"),
        ("code:task:uart", "no code has this name"),
        ("code:0x100", "must be a code, below 0x100"),
    ],
)
def test_what_names_no_code_or_several_is_refused(against, says):
    with pytest.raises(UsageError, match=says):
        value_of(CODES, against)


def test_without_names_a_name_is_refused_with_what_to_do():
    with pytest.raises(UsageError, match="codes have no names; give some with --codes"):
        value_of(replace(CODES, names=()), "code:uart")


def test_marks_are_the_edges_of_a_pin_or_the_whole_codes_of_a_value():
    rows = [(5, 10, 2, 1), (9, 11, SOURCE_CODE, 1), (9, 12, SOURCE_CODE_VALUE, 1), (11, 13, 2, 0)]
    rows += [(20, 14, SOURCE_CODE, 1), (20, 15, SOURCE_CODE_VALUE, 1)]
    rows += [(30, 16, SOURCE_CODE, 1), (30, 17, SOURCE_CODE_VALUE, 1), (40, 18, 2, 1)]
    events = np.array(rows, EVENT_DTYPE)
    sent = [(9, 11, 0x62, 0, False, False), (20, 14, 0x80, 0, False, False)]
    sent += [(30, 16, 0x62, 0, True, False)]
    codes = np.array(sent, CODE_DTYPE)
    result, _ = run()
    settings = replace(result.settings, codes=CODES)
    result = replace(result, events=events, codes=codes, settings=settings)
    assert marks_of(result, "code:uart").places.tolist() == [1]
    assert marks_of(result, "code:uart").name == "code:uart"
    assert marks_of(result, "ch2").places.tolist() == [0, 8]
    assert edges_of(events, 2, 0).places.tolist() == [3]
