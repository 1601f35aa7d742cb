# SPDX-License-Identifier: Apache-2.0
"""The order in which files are compiled: each behind the packages or units that it names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from plexor_sim.design.text import bare

_PACKAGE = re.compile(r"\bpackage\s+(?:automatic\s+|static\s+)?(\w+)\s*;")
_NAMED = re.compile(r"\b(\w+)\s*::")


def in_order(files: Sequence[Path]) -> tuple[Path, ...]:
    """Return files of SystemVerilog in their order, but packages stand before what names them.

    Nothing else is moved, because macros count from where they are defined.
    """
    texts = {path: bare(path.read_text(errors="replace")) for path in files if path.is_file()}
    homes: dict[str, Path] = {}
    for path, text in texts.items():
        for package in _PACKAGE.findall(text):
            homes.setdefault(package, path)

    def needed(path: Path) -> Iterator[Path]:
        for name in _NAMED.findall(texts.get(path, "")):
            if name in homes:
                yield homes[name]

    return behind_needed(files, needed)


def behind_needed(
    files: Iterable[Path], needed: Callable[[Path], Iterable[Path]]
) -> tuple[Path, ...]:
    """Return files in their order, but each behind those that it needs, as `needed` says.

    Of files that need each other the first one stays the first.
    """
    found: dict[Path, None] = {}

    def take(path: Path, above: frozenset[Path]) -> None:
        for other in dict.fromkeys(needed(path)):
            if other not in found and other not in above:
                take(other, above | {other})
        found[path] = None

    for path in files:
        if path not in found:
            take(path, frozenset((path,)))
    return tuple(found)
