# SPDX-License-Identifier: Apache-2.0
"""Damaged files and folders, set aside: kept under another name, and named in one line."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from plexor.base.disk.atomic import sync
from plexor.base.disk.notices import say

DAMAGED = ".damaged"


def names_of(path: Path, suffix: str = "") -> Iterator[Path]:
    """Yield a path with a suffix, then others beside it: `run1`, `run1-2`, `run1-3` and so on."""
    yield path.with_name(f"{path.name}{suffix}")
    for number in count(2):
        yield path.with_name(f"{path.name}-{number}{suffix}")


def free(path: Path, suffix: str = "") -> Path:
    """Return the first of a path's names that nothing has."""
    return next(candidate for candidate in names_of(path, suffix) if not os.path.lexists(candidate))


def keep_copy(path: Path) -> Path:
    """Copy a damaged file beside itself, before it is written anew; return the copy.

    Raises OSError if it cannot be copied.
    """
    target = free(path, DAMAGED)
    shutil.copyfile(path, target)
    sync(target)
    return target


def set_aside(path: Path, reason: object) -> Path:
    """Rename a damaged file or folder, say so, and return its new path.

    Raises OSError if it cannot be renamed.
    """
    target = free(path, DAMAGED)
    os.rename(path, target)
    sync(target.parent)
    say(f"{reason}; set aside as {target.name}")
    return target
