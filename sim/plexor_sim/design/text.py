# SPDX-License-Identifier: Apache-2.0
"""Verilog as a text."""

from __future__ import annotations

import re
from collections.abc import Collection

_DIRECTIVE = re.compile(r"`(else|endif|include|(?:ifdef|ifndef|elsif|define|undef)[ \t]+(\w+))\b")
_NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def bare(text: str) -> str:
    """Return Verilog with blanks in place of comments and strings."""
    return _NO_CODE.sub(lambda found: _blanks(found[0]), text)


def without_comments(text: str) -> str:
    """Return Verilog with blanks in place of comments."""
    return _NO_CODE.sub(
        lambda found: found[0] if found[0].startswith('"') else _blanks(found[0]), text
    )


def defined(text: str) -> list[str]:
    """Return the macros that Verilog without comments may define, whatever is switched on."""
    return [name for word, name in _DIRECTIVE.findall(text) if word.startswith("define")]


def switched_on(text: str, known: Collection[str]) -> str:
    """Return Verilog without comments, with blanks in place of what `ifdef switches off.

    `known` macros are defined before it, and may be. A text that includes others is left whole:
    they may define any.
    """
    macros, parts, place = set(known), [""], 0
    branches = [(True, True)]
    """Whether what is read is on, and whether a branch so far was, from the outermost `ifdef in."""
    for found in _DIRECTIVE.finditer(text):
        word, name = found[1].split()[0], found[2]
        is_on = all(on for on, _ in branches)
        piece = text[place : found.start()]
        parts += [piece if is_on else _blanks(piece), _blanks(found[0])]
        place = found.end()
        if word == "include":
            return text
        if word in ("ifdef", "ifndef"):
            taken = (name in macros) == (word == "ifdef")
            branches.append((taken, taken))
        elif word in ("elsif", "else") and len(branches) > 1:
            _, taken_before = branches.pop()
            taken = not taken_before and (word == "else" or name in macros)
            branches.append((taken, taken or taken_before))
        elif word == "endif" and len(branches) > 1:
            branches.pop()
        elif word == "define" and is_on:
            macros.add(name)
        elif word == "undef" and is_on:
            macros.discard(name)
    rest = text[place:]
    parts.append(rest if all(on for on, _ in branches) else _blanks(rest))
    return "".join(parts)


def _blanks(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
