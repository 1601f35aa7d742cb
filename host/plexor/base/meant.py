# SPDX-License-Identifier: Apache-2.0
"""What was meant by a word or a number that is none: `rat` was `rate`, `20 kh` was `20 kHz`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
"""Characters that look like a hyphen, as text processors write them for one or for two."""
MEANT = "; did you mean"
"""How a message says what was meant."""
QUOTES = "\u201c\u201d\u201e\u201f\u2018\u2019\u201a\u00ab\u00bb\"'`"
"""Quotation marks, those of text processors first."""
_AROUND = f"{QUOTES} \t"
_PARTS = re.compile(r"([+-]?[\d.,_]+(?:[eE][+-]?\d+)?)(\s*)(\D*)")
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+")
_WORDS = {
    **{"u": "us", "n": "ns", "p": "ps", "mus": "us", "micros": "us", "millis": "ms", "nanos": "ns"},
    **{"sec": "s", "secs": "s", "second": "s", "seconds": "s", "mins": "min", "minute": "min"},
    **{"minutes": "min", "hr": "h", "hour": "h", "hours": "h", "msec": "ms", "usec": "us"},
    **{"nsec": "ns", "psec": "ps", "hertz": "Hz", "kilohertz": "kHz", "megahertz": "MHz"},
    **{"h": "Hz", "kh": "kHz", "mh": "MHz", "sps": "Hz", "ksps": "kHz", "hz/s": "Hz"},
}
"""Units as people write them, and what they are called here."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that is written most alike, whatever its case; None if none is."""
    from difflib import get_close_matches  # noqa: PLC0415 (only where something is wrong)

    by_fold = {each.casefold(): each for each in known}
    if word.casefold() in by_fold:
        return by_fold[word.casefold()]
    near = get_close_matches(word.casefold(), by_fold, n=1)
    if not near and len(word) > 1:
        near = [fold for fold in by_fold if fold.startswith(word.casefold())][:1]
    return by_fold[near[0]] if near else None


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean freertos?`, or nothing if no known word is near."""
    near = nearest(word, known)
    return f"{MEANT} {near}?" if near else ""


def path_meant(path: Path) -> str:
    """Return `; did you mean idle?`: the name beside a path that is not there, if one is near."""
    try:
        names = [entry.name for entry in path.absolute().parent.iterdir()]
    except OSError:
        return ""
    near = nearest(path.name, names)
    return f"{MEANT} {path.with_name(near)}?" if near else ""


def number_meant(text: str, parse: Callable[[str], object], units: Iterable[str]) -> str:
    """Return what is wrong with a number and what it was meant to be; empty if that is not known.

    `units` are those that it may have. What it says is read by `parse`, so it is right if typed.
    """
    clean = text.strip(_AROUND).rstrip(",;").strip(_AROUND)
    clean = "".join("-" if character in DASHES else character for character in clean)
    match = _PARTS.fullmatch(clean)
    if match is None:
        return ""
    number, space, unit = match.groups()
    known = tuple(units)
    wrong = ": has characters that are no part of a number" if clean != text.strip() else ""
    if _GROUPED.fullmatch(number):
        wrong = ": a comma is no part of a number"
        numbers = [
            number.replace(",", "_"),
            *([number.replace(",", ".")] * (number.count(",") < 2)),
        ]
    elif number.count(",") == 1:
        whole, _, part = number.partition(",")
        wrong, numbers = ": decimals follow a dot", [f"{whole.replace('.', '_')}.{part}"]
    else:
        numbers = [number]
    meant_units = [unit]
    if unit and not _reads(parse, f"1{unit}"):
        wrong = f": no unit {unit}"
        meant_units = _units_meant(unit, known)
    right = [
        candidate
        for one in numbers
        for meant in meant_units
        if _reads(parse, candidate := f"{one}{space if meant else ''}{meant}")
    ]
    return f"{wrong}{MEANT} {' or '.join(right)}?" if wrong and right else ""


def _units_meant(unit: str, known: tuple[str, ...]) -> list[str]:
    """Return the known units that one was meant to be; `m` of a time may be two."""
    word = unit.casefold().rstrip(".")
    if word == "m" and {"ms", "min"} <= {*known}:
        return ["ms", "min"]
    near = _WORDS[word] if _WORDS.get(word) in known else nearest(word, known)
    return [near] if near else []


def _reads(parse: Callable[[str], object], text: str) -> bool:
    """Return whether a text can be read."""
    try:
        parse(text)
    except ValueError:
        return False
    return True
