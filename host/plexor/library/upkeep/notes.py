# SPDX-License-Identifier: Apache-2.0
"""Notes on a run that is kept."""

from __future__ import annotations

from pathlib import Path

from plexor.base.errors import UsageError
from plexor.files.store.notes import NOTES_FILE, add_note, note_of
from plexor.files.store.run_folder import RUN_FILE


def note(path: Path, text: str) -> Path:
    """Keep a note beside the run in a folder, or in its run.json; return the file that has it.

    Raises UsageError for what is no run's folder, and for a text that is no note.
    """
    folder = path if path.is_dir() else path.parent
    if not (folder / RUN_FILE).exists() or path not in (folder, folder / RUN_FILE):
        raise UsageError(f"{path}: --note is kept in a run's folder; name a folder of --out")
    add_note(folder, note_of(text))
    return folder / NOTES_FILE
