# SPDX-License-Identifier: Apache-2.0
"""Errors of files as a line with the path, and by their reason the exit code."""

from __future__ import annotations

import errno
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from plexor.base.errors import StoreError, UnwrittenError, reason_of

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG)
"""What a disk says that is full or broken. It is no wrong use of the program."""


def unwritten(path: Path | str, error: OSError | ValueError, saved: str = "") -> StoreError:
    """Return the error for a file that could not be written; `saved` says what remains."""
    text = f"{path}: cannot write: {reason_of(error)}{saved}"
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return UnwrittenError(text)
    return StoreError(text)


@contextmanager
def writing(path: Path) -> Generator[None]:
    """Turn what can go wrong with a file into a StoreError with its path."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise unwritten(path, error) from error
