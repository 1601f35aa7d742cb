# SPDX-License-Identifier: Apache-2.0
"""What phases are measured from: the edge of a pin, or a code of the device."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plexor.base.errors import UsageError
from plexor.figures.codes.names import KINDS
from plexor.figures.codes.of_run import codes_of
from plexor.model.codes import Codes
from plexor.model.results import EventArray, RunResult
from plexor.model.settings import parse_reference
from plexor.model.sources import CODE, source_name, source_of
from plexor.protocol.codes import CLASS_BITS


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """The events from which phases are measured."""

    name: str
    places: npt.NDArray[np.intp]
    """Their places among a run's events, in order."""


def value_of(codes: Codes, against: str) -> int:
    """Return the code that begins what a reference names.

    That is a name, one with its kind (`function:give`), or the code itself (`0x80`). Raises
    UsageError for a name of none or of several, and for a number that is no code.
    """
    wanted = against.removeprefix(CODE)
    words = {code_class: kind for kind, code_class in KINDS.items()}
    found = [
        (words.get(each.code_class, f"class {each.code_class}"), each)
        for each in codes.names
        if wanted in (each.name, f"{words.get(each.code_class)}:{each.name}")
    ]
    if len(found) > 1:
        several = " or ".join(f"{CODE}{kind}:{each.name}" for kind, each in found)
        raise UsageError(f"{against}: several have this name; say {several}")
    if found:
        return found[0][1].code_class << codes.bits - CLASS_BITS | found[0][1].code_id
    try:
        value = int(wanted, 0)
    except ValueError:
        known = ", ".join(sorted({each.name for each in codes.names}))
        known = f"names are {known}" if known else "codes have no names; give some with --codes"
        raise UsageError(f"{against}: no code has this name; {known}") from None
    if not 0 <= value < 1 << codes.bits:
        raise UsageError(f"{against}: {value:#x}; must be a code, below {1 << codes.bits:#x}")
    return value


def edges_of(events: EventArray, source: int, polarity: int) -> Marks:
    """Return the edges of a pin."""
    places = np.flatnonzero((events["source"] == source) & (events["polarity"] == polarity))
    return Marks(source_name(source), places)


def marks_of(result: RunResult, against: str) -> Marks:
    """Return the events of a reference in a run that kept its events.

    A torn code is none. Raises UsageError and ValueError as `value_of` and `codes_of`.
    """
    assert result.events is not None
    if source_of(against) is not None:
        return edges_of(result.events, *parse_reference(against))
    codes, sent = codes_of(result)
    begins = (sent["code"] == value_of(codes, against)) & ~sent["torn"]
    return Marks(against, np.searchsorted(result.events["index"], sent["index"][begins]))
