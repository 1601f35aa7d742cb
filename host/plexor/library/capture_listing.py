# SPDX-License-Identifier: Apache-2.0
"""The signals of a capture, as text and as a document."""

from __future__ import annotations

from typing import Any

from plexor.base.jsonable import to_json
from plexor.files.imports.listing import CaptureListing
from plexor.show.terminal.capture import capture_text

SCHEMA = "plexor.capture/1"


class ListedCapture:
    """What a capture holds: its signals with their edges, and which may strike and answer."""

    def __init__(self, listing: CaptureListing) -> None:
        self.listing = listing

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return it as text for a terminal of `width` columns."""
        return capture_text(self.listing, width=width, colour=colour)

    def document(self) -> dict[str, Any]:
        """Return it as the document that `plexor import FILE --json` prints; times in seconds."""
        return {"schema": SCHEMA, **to_json(self.listing)}
