# SPDX-License-Identifier: Apache-2.0
"""Opens a file, whether it is packed by gzip or not."""

from __future__ import annotations

import gzip
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

_GZIP = b"\x1f\x8b"
"""RFC 1952, section 2.3.1."""


@contextmanager
def unpacked(path: Path) -> Generator[BinaryIO]:
    """Open a file for reading; what gzip packed is unpacked. Raises OSError."""
    with path.open("rb") as file:
        packed = file.read(len(_GZIP)) == _GZIP
        file.seek(0)
        if not packed:
            yield file
            return
        with gzip.open(file) as inner:
            yield cast("BinaryIO", inner)
