# SPDX-License-Identifier: Apache-2.0
"""Files that are written as a whole or not at all."""

from __future__ import annotations

from plexor.disk.errors import writing
from plexor.disk.whole import is_direct, part_of, write_text

__all__ = ["is_direct", "part_of", "write_text", "writing"]
