# SPDX-License-Identifier: Apache-2.0
"""Short names of paths that still tell them apart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath


def short_names(paths: Sequence[PurePath]) -> list[str]:
    """Return the shortest ends of paths that tell them apart; a path that comes twice has one name.

    `runs/idle` and `runs/loaded` are `idle` and `loaded`; `mon/a` and `tue/a` stay as they are.
    """
    parts = [path.parts for path in paths]
    longest = max(map(len, parts), default=0)
    ends = (["/".join(own[-n:]) for own in parts] for n in range(1, longest + 1))
    return next((names for names in ends if len(set(names)) == len(set(parts))), list[str]())
