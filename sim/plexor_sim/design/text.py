# SPDX-License-Identifier: Apache-2.0
"""Verilog as a text."""

from __future__ import annotations

import re

_NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def bare(text: str) -> str:
    """Return Verilog with blanks in place of comments and strings."""
    return _NO_CODE.sub(lambda found: _blanks(found[0]), text)


def without_comments(text: str) -> str:
    """Return Verilog with blanks in place of comments."""
    return _NO_CODE.sub(
        lambda found: found[0] if found[0].startswith('"') else _blanks(found[0]), text
    )


def _blanks(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
