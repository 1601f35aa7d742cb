"""Files that are written as a whole or not at all."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from plexor.errors import StoreError


def write_text(path: Path, content: str) -> None:
    """Write a file as a whole or not at all. A pipe, a device or a link is written directly.

    Raises StoreError with the path.
    """
    with writing(path):
        if is_direct(path):
            path.write_text(content, encoding="utf-8")
            return
        part = part_of(path)
        try:
            part.write_text(content, encoding="utf-8")
            part.replace(path)
        except (OSError, ValueError):
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise


def is_direct(path: Path) -> bool:
    """Return whether a path is written directly, because it cannot be replaced."""
    return path.exists() and (path.is_symlink() or not path.is_file())


def part_of(path: Path) -> Path:
    """Return the path of a file while it is incomplete."""
    return path.with_name(f".{path.name}.part")


@contextmanager
def writing(path: Path) -> Generator[None]:
    """Turn what can go wrong with a file into a StoreError with its path."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise StoreError(f"{path}: cannot write: {reason or error}") from error
