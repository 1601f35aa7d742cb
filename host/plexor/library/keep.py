"""A run kept in a folder, with the raw bytes of its link if they are wanted."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from plexor.errors import StoreError, UsageError

if TYPE_CHECKING:
    from plexor.model.results import RunResult


def check_out(out: Path | None, force: bool, name: str = "out", forcing: str = "force") -> None:
    """Raise UsageError for a folder that exists and is not to be replaced, before the run.

    `name` and `forcing` are the names of the two options for messages.
    """
    if out is None:
        return
    try:
        if not out.exists():
            return
    except OSError as error:
        raise UsageError(f"{name} {out}: {error.strerror or error}") from error
    if force and out.is_dir() and ((out / "run.json").exists() or not any(out.iterdir())):
        return
    if force:
        raise UsageError(f"{name} {out}: holds no run; {forcing} replaces only runs")
    if not out.is_dir() or any(out.iterdir()):
        raise UsageError(f"{name} {out}: already exists; {forcing} replaces it")


def check_new(out: Path | None, name: str = "out") -> None:
    """Raise UsageError for a folder that exists and holds something; `name` is its option's."""
    if out is not None and out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{name} {out}: already exists; name a new folder")


class Tap:
    """A file of raw bytes. If it can no longer be written, the run continues without it."""

    def __init__(self, file: BinaryIO) -> None:
        self.path = Path(file.name)
        self.error: OSError | None = None
        self._file = file

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def write(self, data: bytes, /) -> None:
        """Write all of `data`. After the first error, write nothing more."""
        try:
            while data and self.error is None:
                data = data[self._file.write(data) :]
        except OSError as error:
            self.error = error


def keep(result: RunResult, out: Path, tap: Tap | None = None) -> StoreError | None:
    """Save a run in place of what is at `out`. On failure, restore that and return the error."""
    from plexor.store.run_folder import save  # noqa: PLC0415

    old = out.with_name(f".{out.name}.old") if out.exists() else None
    try:
        if old is not None:
            out.rename(old)
        save(result, out, None if tap is None or tap.error is not None else tap.path)
    except (StoreError, OSError, KeyboardInterrupt) as error:
        if old is not None and old.exists() and not out.exists():
            old.rename(out)
        if isinstance(error, KeyboardInterrupt):
            return StoreError(f"{out}: interrupted before the run was stored")
        return error if isinstance(error, StoreError) else StoreError(f"{out}: {error.strerror}")
    if old is not None:
        shutil.rmtree(old, ignore_errors=True)
    if tap is not None and tap.error is not None:
        reason = tap.error.strerror or tap.error
        return StoreError(f"{out}: the run was kept without the raw bytes of the link: {reason}")
    return None


def tap_beside(stack: ExitStack, out: Path) -> Tap:
    """Return a file for raw bytes, next to the folder into which it will be moved."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        part = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=out.parent)))
        return Tap(stack.enter_context((part / "wire.bin").open("wb", buffering=0)))
    except OSError as error:
        raise StoreError(f"{out}: cannot write: {error.strerror or error}") from error


def tap_at(path: Path) -> Tap:
    """Return a new file for raw bytes. Raises StoreError with the path if it cannot be written."""
    try:
        return Tap(path.open("wb", buffering=0))
    except OSError as error:
        raise StoreError(f"{path}: cannot write: {error.strerror or error}") from error
