# SPDX-License-Identifier: Apache-2.0
"""Reads what a file that Plexor exported says of its run. Other files say nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from plexor.base.counts import counted

SCOPE = "plexor"
"""The scope of all that an exported waveform has."""
ABOUT = "about"
"""Name of the text in it that describes the run, where the format's readers show no comments."""
_DEVICE = "device."
_MOST_DIGITS = 18


@dataclass(frozen=True, slots=True)
class ExportedRun:
    """The exported run, as far as its file describes it."""

    tick_fs: int | None = None
    lead_ticks: int = 0
    """Ticks in the file before the run: none, or one."""
    simulated: bool = False
    started: str = ""
    invalid_reasons: tuple[str, ...] = ()
    device: Mapping[str, str] = field(default_factory=dict[str, str])


def exported_run(text: str) -> ExportedRun:
    """Return the run that lines such as `tick_fs: 500000` describe.

    Without a line `program: Plexor ...`, nothing is known of it.
    """
    lines = (line.partition(": ") for line in text.splitlines())
    values = {name.strip(): value.strip() for name, colon, value in lines if colon}
    if not values.get("program", "").startswith("Plexor "):
        return ExportedRun()
    reasons: list[str] = []
    valid = values.get("valid", "yes")
    if valid != "yes":
        reasons.append(f"the file says that its run is invalid: {valid.removeprefix('no: ')}")
    lost = _number(values, "dropped_on_chip") + _number(values, "lost_on_link")
    if lost:
        reasons.append(f"the file says that {counted(lost, 'event')} of its run are missing")
    return ExportedRun(
        tick_fs=_number(values, "tick_fs") or None,
        lead_ticks=min(_number(values, "lead_ticks"), 1),
        simulated=values.get("simulated") == "yes",
        started=moment(values.get("started", "")),
        invalid_reasons=tuple(reasons),
        device={
            name.removeprefix(_DEVICE): value
            for name, value in values.items()
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


def _number(values: Mapping[str, str], name: str) -> int:
    digits = values.get(name, "0")
    return int(digits) if digits.isdecimal() and len(digits) <= _MOST_DIGITS else 0
