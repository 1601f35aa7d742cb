# SPDX-License-Identifier: Apache-2.0
"""A recorded byte stream, replayed."""

from __future__ import annotations

from pathlib import Path

from plexor.base.errors import LinkError, reason_of
from plexor.wire.link.base import LinkEndError


class FileLink:
    """Replays the raw bytes of a file; raises LinkError where it cannot be read."""

    def __init__(self, path: Path) -> None:
        self.name = self.serial = f"file:{path}"
        self.bytes_s: int | None = None
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise LinkError(f"{self.name}: {reason_of(error)}") from error

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Return the next bytes of the recording, without waiting."""
        del timeout_s
        try:
            data = self._file.read(max_bytes)
        except (OSError, ValueError) as error:
            raise LinkError(f"{self.name}: {error}") from error
        if not data:
            raise LinkEndError(f"{self.name}: the recording has ended")
        return data

    def write(self, data: bytes) -> None:
        """Raise LinkError: a recording takes no commands."""
        raise LinkError(f"{self.name}: a recording takes no commands; replay it instead")

    def close(self) -> None:
        """Close the file."""
        self._file.close()
