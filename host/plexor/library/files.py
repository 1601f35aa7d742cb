# SPDX-License-Identifier: Apache-2.0
"""Files that are written as a whole or not at all, and what could not be kept."""

from __future__ import annotations

from collections.abc import Callable

from plexor.base.disk.atomic import is_direct, part_of, write_text
from plexor.base.disk.errors import writing
from plexor.base.errors import StoreError

__all__ = ["is_direct", "part_of", "unsaved", "write_text", "writing"]


def unsaved(keep: Callable[[], object]) -> StoreError | None:
    """Keep something; return why it could not be, so that its figures come first."""
    try:
        keep()
    except StoreError as error:
        return error
    return None
