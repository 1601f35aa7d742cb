# SPDX-License-Identifier: Apache-2.0
"""Files that are written as a whole or not at all."""

from __future__ import annotations

from plexor.disk.atomic import is_direct, part_of, write_text
from plexor.disk.errors import writing

__all__ = ["is_direct", "part_of", "write_text", "writing"]
