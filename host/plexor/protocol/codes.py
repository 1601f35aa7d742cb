# SPDX-License-Identifier: Apache-2.0
"""Codes: what a device says on spare pins while it runs.

A code of n bits has its class in the upper four bits and an id in the others. Names come from the
firmware's ELF file: the section NAMES_SECTION, which is not loaded, holds texts `CLASS ID NAME`,
each ended by a zero byte.
"""

from __future__ import annotations

from enum import IntEnum

CLASS_BITS = 4
LEAST_BITS, MOST_BITS = CLASS_BITS + 2, 16
"""Bits of a code."""
USUAL_BITS = 8
"""Those of plexor_trace.h, unless it is told otherwise."""
NAMES_SECTION = ".plexor.names"


class CodeClass(IntEnum):
    """What a code says. Its id is that of a task, an interrupt, a function or a state."""

    NONE = 0  # the port's level at reset
    RUN = 1  # the task runs
    READY = 2  # the task could run, and another one does
    BLOCKED = 3  # the task waits for something
    SLEEPING = 4  # the task waits for a time
    INHERIT = 5  # the task inherits the priority of one that waits for it
    ISR_ENTER = 6
    ISR_EXIT = 7
    ENTER = 8  # a function begins
    EXIT = 9  # a function ends
    SET = 10  # a state of the user's own
    VALUE_A = 11  # a part of a user value; A and B come in turns, so that equal parts are seen
    VALUE_B = 12


TASK_CLASSES = (
    CodeClass.RUN,
    CodeClass.READY,
    CodeClass.BLOCKED,
    CodeClass.SLEEPING,
    CodeClass.INHERIT,
)
"""The states of a task."""


def code_of(code_class: int, code_id: int, bits: int) -> int:
    """Return the code of a class and an id; raise ValueError for one that does not fit."""
    most = (1 << (bits - CLASS_BITS)) - 1
    if not 0 <= code_id <= most:
        raise ValueError(f"code id: {code_id}; must be 0 to {most}")
    if not 0 <= code_class < 1 << CLASS_BITS:
        raise ValueError(f"code class: {code_class}; must be 0 to {(1 << CLASS_BITS) - 1}")
    return code_class << (bits - CLASS_BITS) | code_id


def split_code(code: int, bits: int) -> tuple[int, int]:
    """Return (class, id) of a code."""
    return code >> (bits - CLASS_BITS), code & (1 << (bits - CLASS_BITS)) - 1
