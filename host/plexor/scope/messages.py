# SPDX-License-Identifier: Apache-2.0
"""What a page may say: small JSON messages of a known form, so many a second and no more."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

from plexor.experiments.criterion import DEFAULT
from plexor.library.run_spec import RunSpec
from plexor.library.scans.sweep_spec import SweepSpec
from plexor.library.specs.spec import Spec

MOST_BYTES = 4096
"""Of a message. The server closes the connection of a page that sends more."""
MOST_TEXT = 200
MOST_ENTRIES = 16
RATE_HZ, BURST = 60.0, 120
"""Messages a second, on average and at once, of which most say that a frame has come."""


def _on_page(spec: type[Spec]) -> dict[str, type]:
    """Return the options of a Spec that the page sets, by their keywords, and their form."""
    return {
        name: list if option.many else str
        for name, option in spec.options().items()
        if option.on_page
    }


SETTINGS, SWEEP = _on_page(RunSpec), _on_page(SweepSpec)
"""Options of a run and of a sweep that the page sets, and their form."""
KEEP: dict[str, type] = {"session": str}
"""What is said of a run that is kept."""
NOTE: dict[str, type] = {"run": str, "note": str}
"""What is said of a note: the run, and its text."""
STEERING = ("run", "single", "check", "stop", "clear", "keep", "sweep", "note")
"""Commands of the page that steers."""
COMMANDS = (*STEERING, "steer", "seen")
SWEEP_DEFAULTS = {
    "low": "1k",
    "high": "200k",
    "criteria": DEFAULT.text,
    "points": str(SweepSpec.options()["points"].default),
}
"""What the page's form of a sweep begins with. The rates are the page's own; others are the
library's defaults."""


class MessageError(ValueError):
    """A message that no page of ours sends."""


@dataclass(frozen=True, slots=True)
class PageCommand:
    """One command of a page."""

    do: str
    frame: int = 0
    """The frame that has come, of `seen`."""
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    """Settings of a run or a sweep, as texts; texts left empty are not there, empty lists are."""


def parse(text: str | None) -> PageCommand:
    """Return the command in a message; raise MessageError for anything else. None: it is binary."""
    if text is None:
        raise MessageError("binary; must be text")
    if len(text) > MOST_BYTES:
        raise MessageError(f"{len(text)} characters; must be at most {MOST_BYTES}")
    try:
        message: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MessageError("not JSON") from error
    if not isinstance(message, dict):
        raise MessageError("not an object")
    message_fields = cast("dict[str, object]", message)
    do = message_fields.pop("do", None)
    if not isinstance(do, str) or do not in COMMANDS:
        raise MessageError(f"do: {str(do)[:40]!r}; must be one of {', '.join(COMMANDS)}")
    if do == "seen":
        frame = message_fields.pop("frame", None)
        if not isinstance(frame, int) or message_fields:
            raise MessageError("seen: needs the number of a frame")
        return PageCommand(do, frame=frame)
    known = {
        "run": SETTINGS,
        "single": SETTINGS,
        "check": SETTINGS,
        "sweep": SWEEP,
        "keep": KEEP,
        "note": NOTE,
    }.get(do, {})
    return PageCommand(do, options=_options(message_fields, known))


def _options(message_fields: dict[str, object], known: dict[str, type]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for name, value in message_fields.items():
        if name not in known:
            raise MessageError(f"{name[:40]!r}; must be one of {', '.join(known)}")
        if known[name] is list:
            values = cast("list[object]", value) if isinstance(value, list) else [None]
            if len(values) > MOST_ENTRIES or not all(map(_is_text, values)):
                raise MessageError(f"{name}: must be a list of short texts")
            texts = [str(value_text).strip() for value_text in values]
            options[name] = [text for text in texts if text]
        elif not _is_text(value):
            raise MessageError(f"{name}: must be a short text")
        elif str(value).strip():
            options[name] = str(value).strip()
    return options


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= MOST_TEXT and value.isprintable()


class Allowance:
    """How many messages may still come: a bucket that fills by RATE_HZ up to BURST."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._left = float(BURST)
        self._last = clock()

    def take(self) -> bool:
        """Take one message from the allowance; return whether there was one."""
        now_s = self._clock()
        self._left = min(self._left + (now_s - self._last) * RATE_HZ, BURST)
        self._last = now_s
        if self._left < 1:
            return False
        self._left -= 1
        return True
