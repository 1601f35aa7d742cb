# SPDX-License-Identifier: Apache-2.0
"""Links: byte streams to an instrument, opened by URI. Nothing above knows which one it has."""

from __future__ import annotations

from plexor.wire.link.base import Link, LinkEndError, Reader
from plexor.wire.link.open import open_link

__all__ = ["Link", "LinkEndError", "Reader", "open_link"]
