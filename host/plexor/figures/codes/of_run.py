# SPDX-License-Identifier: Apache-2.0
"""The codes of a run, by its settings."""

from __future__ import annotations

from plexor.figures.codes.two_wire import two_wire
from plexor.model.code_array import CodeArray
from plexor.model.codes import Codes
from plexor.model.results import RunResult
from plexor.protocol.frames import SOURCE_CHANNEL


def codes_of(result: RunResult) -> tuple[Codes, CodeArray]:
    """Return a run's code settings and its codes (CODE_DTYPE).

    A word with more bits than a code has is torn. Raises ValueError for a run without codes.
    """
    codes = result.settings.codes
    if codes is None:
        raise ValueError("has no codes; measure it with --code-port or --code-wires")
    if result.events is None:
        raise ValueError("kept no events, so it has no codes; measure it with --mode stream")
    if codes.wires is None:
        return codes, result.codes
    clock, data = SOURCE_CHANNEL + codes.wires.clock, SOURCE_CHANNEL + codes.wires.data
    array = two_wire(result.events, clock, data, codes.word_bits)
    array["torn"] |= array["code"] >> codes.bits != 0
    return codes, array
