# SPDX-License-Identifier: Apache-2.0
"""Files that appear when they are complete, and libraries that write them if they are installed."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from plexor.base.disk import atomic
from plexor.base.disk.errors import unwritten
from plexor.base.errors import UsageError


@contextmanager
def replacing(path: Path) -> Generator[Path]:
    """Yield a path to write to; at the end of the block that file replaces `path`.

    A pipe or a device is written directly. Raises StoreError with the path.
    """
    try:
        with atomic.replacing(path) as unfinished:
            yield unfinished
    except OSError as error:
        raise unwritten(path, error) from error


def needed(module: str, package: str, path: Path) -> Any:
    """Return a module of the extra `export`. Raises UsageError, with `path`, if it is missing."""
    try:
        return import_module(module)
    except ImportError as error:
        raise UsageError(
            f"{path}: needs {package}, which is not installed; it is in Plexor's extra `export`"
        ) from error
