# SPDX-License-Identifier: Apache-2.0
"""The order in which SystemVerilog is compiled: each file behind the packages that it names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from plexor_sim.design.text import bare

_PACKAGE = re.compile(r"\bpackage\s+(?:automatic\s+|static\s+)?(\w+)\s*;")
_NAMED = re.compile(r"\b(\w+)\s*::")


def in_order(files: Sequence[Path]) -> tuple[Path, ...]:
    """Return files in their order, but for packages: these stand before what names them.

    Nothing else is moved, because macros count from where they are defined. Of packages that name
    each other the first one stays the first.
    """
    texts = {path: bare(path.read_text(errors="replace")) for path in files if path.is_file()}
    homes: dict[str, Path] = {}
    for path, text in texts.items():
        for package in _PACKAGE.findall(text):
            homes.setdefault(package, path)
    found: dict[Path, None] = {}

    def take(path: Path, above: frozenset[Path]) -> None:
        for name in dict.fromkeys(_NAMED.findall(texts.get(path, ""))):
            home = homes.get(name)
            if home is not None and home not in found and home not in above:
                take(home, above | {home})
        found[path] = None

    for path in files:
        if path not in found:
            take(path, frozenset((path,)))
    return tuple(found)
