# SPDX-License-Identifier: Apache-2.0
"""What a file that Plexor exported says of its run. Files of others say nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

_DEVICE = "device."
_MOST_DIGITS = 18


@dataclass(frozen=True, slots=True)
class Said:
    """What is known of the run that was exported."""

    tick_fs: int | None = None
    lead_ticks: int = 0
    """Ticks in the file before the run: none, or one."""
    simulated: bool = False
    started: str = ""
    invalid_reasons: tuple[str, ...] = ()
    device: Mapping[str, str] = field(default_factory=dict[str, str])


def said_in(text: str) -> Said:
    """Return what lines such as `tick_fs: 500000` say, if one of them is `program: Plexor ...`."""
    lines = (line.partition(": ") for line in text.splitlines())
    found = {name.strip(): value.strip() for name, colon, value in lines if colon}
    if not found.get("program", "").startswith("Plexor "):
        return Said()
    reasons: list[str] = []
    valid = found.get("valid", "yes")
    if valid != "yes":
        reasons.append(f"the file says that its run is invalid: {valid.removeprefix('no: ')}")
    lost = _number(found, "dropped_on_chip") + _number(found, "lost_on_link")
    if lost:
        reasons.append(f"the file says that {lost} events of its run are missing")
    return Said(
        tick_fs=_number(found, "tick_fs") or None,
        lead_ticks=min(_number(found, "lead_ticks"), 1),
        simulated=found.get("simulated") == "yes",
        started=moment(found.get("started", "")),
        invalid_reasons=tuple(reasons),
        device={
            name.removeprefix(_DEVICE): value
            for name, value in found.items()
            if name.startswith(_DEVICE)
        },
    )


def moment(text: str) -> str:
    """Return a time if it is one in ISO 8601, else nothing."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return ""
    return text


def _number(found: Mapping[str, str], name: str) -> int:
    digits = found.get(name, "0")
    return int(digits) if digits.isdecimal() and len(digits) <= _MOST_DIGITS else 0
