# SPDX-License-Identifier: Apache-2.0
"""Sources of events, by their names."""

from __future__ import annotations

from plexor.model.settings import parse_reference
from plexor.protocol.frames import (
    SOURCE_CHANNEL,
    SOURCE_CODE,
    SOURCE_CODE_VALUE,
    SOURCE_LOAD,
    SOURCE_STEP,
    SOURCE_STRIKE,
)

CODE = "code:"
"""What a reference begins with that is a code."""
_NAMES = {
    SOURCE_LOAD: "load",
    SOURCE_STEP: "step",
    SOURCE_CODE: "code",
    SOURCE_CODE_VALUE: "code value",
}


def source_name(source: int) -> str:
    """Return the name of an event source: `ch3`, `strike0`, `load`, `code`."""
    if source in _NAMES:
        return _NAMES[source]
    if source >= SOURCE_STRIKE:
        return f"strike{source - SOURCE_STRIKE}"
    return f"ch{source - SOURCE_CHANNEL}"


def source_of(against: str) -> int | None:
    """Return the source of a reference; None for a code. Raises ValueError for no reference."""
    if against.startswith(CODE):
        if not against.removeprefix(CODE):
            raise ValueError(f"{against!r}: must have a name or a number, such as code:0x43")
        return None
    return parse_reference(against)[0]
