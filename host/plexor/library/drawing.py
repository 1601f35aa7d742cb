# SPDX-License-Identifier: Apache-2.0
"""Pages and pictures as files: the suffix says which."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from plexor.base.disk.atomic import write_bytes
from plexor.base.disk.errors import writing
from plexor.base.shown import SHOWN
from plexor.show.pictures.convert import check_converter, converted

__all__ = ["check_converter", "write_shown"]


def write_shown(path: Path, page: Callable[[], str], picture: Callable[[], str]) -> str:
    """Write a page or a picture to a file, by its suffix; return which of them it is.

    `picture` returns SVG. A pipe or a device of another name gets the page. Raises StoreError if
    the file cannot be written, and UsageError if what its suffix needs is not installed.
    """
    kind = SHOWN.get(path.suffix.lower(), SHOWN[".html"])
    content = page().encode() if kind == SHOWN[".html"] else converted(picture(), path)
    with writing(path):
        write_bytes(path, content)
    return kind
