# SPDX-License-Identifier: Apache-2.0
"""Counts in sentences: `1 strike`, `1,500 strikes`, `3 entries are`."""

from __future__ import annotations


def counted(count: int, noun: str, *, more: str = "") -> str:
    """Return a count and its noun, which is given in the singular: `1,500 strikes`.

    `more` follows the digits: a `+` where there may be more.
    """
    own = noun if count == 1 and not more else plural(noun)
    return f"{count:,}{more} {own}"


def plural(noun: str) -> str:
    """Return the plural of a noun: strikes, entries, matches."""
    if noun.endswith("y") and noun[-2:-1] not in (*"aeiou",):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"


def agreed(count: int, one: str, many: str) -> str:
    """Return the word that goes with a count: `is` or `are`."""
    return one if count == 1 else many
