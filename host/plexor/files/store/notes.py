# SPDX-License-Identifier: Apache-2.0
"""Notes on a run, such as "board was warm": written beside it later, and no part of its figures.

notes.json has them. The files that were measured stay as they are, and so do their digests.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from plexor.base.constraints import Told
from plexor.base.disk.notices import say
from plexor.base.documents import Document
from plexor.base.errors import StoreError, UsageError

NOTES_FILE = "notes.json"
MOST_LETTERS = 2000
"""Of a note."""


@dataclass(frozen=True, slots=True)
class Note:
    """What somebody noted on a run."""

    text: Annotated[str, Told("As it was typed.")]
    written: Annotated[str, Told("When, in UTC, ISO 8601.")]

    @property
    def heading(self) -> str:
        """When it was written, to the minute."""
        return f"note of {self.written[:16].replace('T', ' ')} UTC"


@dataclass(frozen=True, slots=True)
class Notes:
    """All notes on a run, the oldest first."""

    notes: tuple[Note, ...] = ()


NOTES = Document("notes", 1, Notes)


def note_of(text: str) -> Note:
    """Return a note that is written now; raise UsageError for a text that is none."""
    text = text.strip()
    if not text or len(text) > MOST_LETTERS:
        raise UsageError(f"note: {len(text)} letters; must be 1 to {MOST_LETTERS}")
    return Note(text, datetime.now(UTC).isoformat(timespec="seconds"))


def add_note(folder: Path, note: Note) -> None:
    """Add a note to those on the run in a folder. Raises StoreError if it cannot be kept."""
    NOTES.write(Notes((*_read(folder), note)), folder / NOTES_FILE)


def notes_on(folder: Path) -> tuple[Note, ...]:
    """Return the notes on the run in a folder. Damaged ones are named, and left out."""
    try:
        return _read(folder)
    except StoreError as error:
        say(f"{error}; the run is shown without its notes")
        return ()


def _read(folder: Path) -> tuple[Note, ...]:
    path = folder / NOTES_FILE
    return NOTES.read(path).notes if path.exists() else ()
