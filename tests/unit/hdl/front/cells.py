# SPDX-License-Identifier: Apache-2.0
"""Vendors' cells in a module, with their parameters."""

import re

from amaranth.back import rtlil
from amaranth.hdl import Module

PARAMETER = re.compile(r'^\s*parameter (?:signed )?\\(\w+) (?:\d+\'([01]+)|"([^"]*)"|(-?\d+))')


def cells_of(m: Module, *ports) -> dict[str, list[dict[str, int | str | None]]]:
    """Return each cell that is an Instance, by its kind: its parameters, and its ports as None."""
    found: dict[str, list[dict[str, int | str | None]]] = {}
    current = None
    for line in rtlil.convert(m, ports=ports).splitlines():
        if match := re.match(r"\s*cell \\(\w+) ", line):
            current = {}
            found.setdefault(match[1], []).append(current)
        elif current is not None and (match := re.match(r"\s*connect \\(\w+) ", line)):
            current[match[1]] = None
        elif re.match(r"\s*end\b", line):
            current = None
        elif current is not None and (match := PARAMETER.match(line)):
            name, bits, text, number = match.groups()
            current[name] = text if text is not None else int(bits, 2) if bits else int(number)
    return found
