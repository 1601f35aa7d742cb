# SPDX-License-Identifier: Apache-2.0
"""Why something is not known, and what would tell. It needs no arrays, so options may have it."""

from __future__ import annotations

from typing import NamedTuple


class NotKnown(NamedTuple):
    """Why something is not known; both texts are empty where it is."""

    reason: str = ""
    settles: str = ""
    """What would tell; empty where nothing would."""

    @property
    def line(self) -> str:
        """Both, in one line."""
        return "; ".join(filter(None, self))


NOTHING = NotKnown()
"""Of what is known."""
