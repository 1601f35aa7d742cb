"""Files that appear when they are complete, and libraries that write them if they are installed."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from plexor.errors import StoreError, UsageError


@contextmanager
def whole(path: Path) -> Generator[Path]:
    """Yield the place to write to, which becomes `path` at the end of the block.

    A pipe, a device or a link is written directly. Raises StoreError with the path.
    """
    direct = path.exists() and (path.is_symlink() or not path.is_file())
    part = path if direct else path.with_name(f".{path.name}.part")
    try:
        yield part
        if not direct:
            part.replace(path)
    except BaseException as error:
        if not direct:
            with suppress(OSError):
                part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            reason = error.strerror or error
            raise StoreError(f"{path}: cannot write: {reason}") from error
        raise


def needed(module: str, package: str, path: Path) -> Any:
    """Return a module of the extra `export`. Raises UsageError, with `path`, if it is missing."""
    try:
        return import_module(module)
    except ImportError as error:
        raise UsageError(
            f"{path}: needs {package}, which is not installed; it is in Plexor's extra `export`"
        ) from error
