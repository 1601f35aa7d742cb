# SPDX-License-Identifier: Apache-2.0
"""What a capture holds, for a terminal."""

from __future__ import annotations

from shlex import quote

from plexor.base.units import format_seconds
from plexor.files.imports.listing import CaptureListing, ListedSignal
from plexor.show.pictures.scale import grouped
from plexor.show.table import NOTHING
from plexor.show.terminal.columns import Paint, table, wrapped

_HEAD = ["signal", "kind", "bits", "rises", "falls", "period", "can be"]
_DIGITS = 6


def capture_text(capture: CaptureListing, *, width: int, colour: bool) -> str:
    """Return a capture's signals as a table, and the command that makes a run of it."""
    paint = Paint(colour)
    first, last, step = (
        format_seconds(time_s, _DIGITS) for time_s in (capture.from_s, capture.to_s, capture.step_s)
    )
    title = f"{capture.file}: {capture.format}, from {first} to {last}, edges to {step}"
    lines = [*wrapped(title, width, paint, "bold")]
    for note in capture.notes:
        lines += wrapped(note, width, paint, "doubt")
    rows = [[(cell, "") for cell in _cells(signal)] for signal in capture.signals]
    lines += ["", *table(_HEAD, rows, width, paint), ""]
    if capture.strike is None:
        lines += wrapped(
            "No two signals rise about as often: name them yourself, as "
            f"plexor import {quote(capture.file)} --strike SIGNAL --channel NAME=SIGNAL --out DIR",
            width,
            paint,
            "",
        )
    else:
        lines += ["If this is what strikes and what answers:", f"  {command(capture)}"]
    return paint.done(lines)


def command(capture: CaptureListing) -> str:
    """Return the command that makes a run of a capture; it has a strike."""
    words = [
        "plexor",
        "import",
        quote(capture.file),
        "--strike",
        quote(_named(capture.strike or "")),
    ]
    for number, response in enumerate(capture.responses):
        words += ["--channel", quote(f"R{number}={_named(response)}")]
    return " ".join([*words, "--out", "run1"])


def _named(signal: str) -> str:
    """Return a name as an option has it: a colon behind it ends one with colons."""
    return f"{signal}:" if ":" in signal.replace("::", "") else signal


def _cells(signal: ListedSignal) -> list[str]:
    counts = [
        NOTHING if count is None else grouped(count) for count in (signal.rises, signal.falls)
    ]
    period = NOTHING if signal.period_s is None else format_seconds(signal.period_s, _DIGITS)
    bits = str(signal.bits) if signal.bits else NOTHING
    return [signal.name, signal.kind, bits, *counts, period, signal.use]
