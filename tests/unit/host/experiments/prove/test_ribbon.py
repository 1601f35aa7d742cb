# SPDX-License-Identifier: Apache-2.0
"""Codes over a ribbon: each pin that does not show its own bit is named, with what it shows."""

import numpy as np
import pytest

from plexor.experiments.prove.ribbon import Ribbon
from plexor.model.code_array import CODE_DTYPE

STEPS = 16
# A Gray code of four bits, written down.
GRAY = (1, 3, 2, 6, 7, 5, 4, 12, 13, 15, 14, 10, 11, 9, 8, 0)


def ribbon(values, left_out=()):
    """Return what is seen where each step brings a value; steps that change nothing are no code."""
    codes, before = [], 0
    for number, value in enumerate(values):
        if value != before and number not in left_out:
            codes.append((100 * number + 7, number, value, 0, False, False))
        before = value
    return Ribbon(4, 100 * np.arange(STEPS), np.array(codes, CODE_DTYPE))


def wired(*pins):
    """Return the values at code pins that are wired to pins of the timecode; None: to none."""
    return [
        sum((value >> pin & 1) << number for number, pin in enumerate(pins) if pin is not None)
        for value in GRAY
    ]


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (wired(0, 1, 2, 3), []),
        (
            wired(0, 1, 3, 2),
            [f"code pin {a}: shows pin {b} of the timecode" for a, b in ((2, 3), (3, 2))],
        ),
        (wired(0, None, 2, 3), ["code pin 1: always low; is its wire there?"]),
        ([value | 4 for value in GRAY], ["code pin 2: always high; is its wire there?"]),
        (wired(None, None, None, None), ["no code comes in 16 steps; are the wires there?"]),
        (
            [value ^ 8 if number == 9 else value for number, value in enumerate(GRAY)],
            ["code pin 3: wrong in 1 of 16 codes"],
        ),
    ],
)
def test_a_pin_that_does_not_show_its_own_bit_is_named(values, says):
    assert ribbon(values).findings() == says


def test_a_code_that_is_missing_is_counted():
    assert ribbon(GRAY, left_out=(5,)).findings() == ["15 codes came in 16 steps"]
