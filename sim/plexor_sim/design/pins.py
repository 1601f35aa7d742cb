# SPDX-License-Identifier: Apache-2.0
"""Pins of a design: bits of its ports, as a manifest names them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Pin:
    """One bit of a port."""

    port: str
    bit: int

    @classmethod
    def parse(cls, text: str) -> Pin:
        """Return the pin in `name` or `name[bit]`. Raises ValueError for any other text."""
        matched = re.fullmatch(r"([A-Za-z_]\w*)(?:\[(\d+)\])?", text)
        if not matched:
            raise ValueError(f"{text!r}; must be name or name[bit]")
        return cls(matched[1], int(matched[2] or 0))

    @property
    def text(self) -> str:
        """The pin as a manifest names it."""
        return f"{self.port}[{self.bit}]" if self.bit else self.port


def pin_of(key: str, text: str | None, faults: list[str]) -> Pin | None:
    """Return a pin; append to `faults` if the text names none."""
    if text is None:
        return None
    try:
        return Pin.parse(text)
    except ValueError as error:
        faults.append(f"{key}: {error}")
        return None


def pins_of(key: str, texts: Sequence[Any], most: int, faults: list[str]) -> tuple[Pin, ...]:
    """Return pins; append what is wrong to `faults`."""
    if not 1 <= len(texts) <= most:
        faults.append(f"{key}: {len(texts)} pins; must be 1 to {most}")
        return ()
    pins = [pin_of(key, text, faults) for text in texts_of(key, texts, faults)]
    return tuple(pin for pin in pins if pin is not None)


def texts_of(key: str, values: Sequence[Any], faults: list[str]) -> list[str]:
    """Return the values that are texts; append each other one to `faults`."""
    faults += [f"{key}: {value!r}; must be text" for value in values if not isinstance(value, str)]
    return [value for value in values if isinstance(value, str)]
