# SPDX-License-Identifier: Apache-2.0
"""The recorded runs beside the live one: those in the folder of --out, and in its sessions.

A session is a folder in it, whose name the page gives. Runs open, are compared, are drawn over the
live one, and take notes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from plexor.base.errors import UsageError
from plexor.files.store.notes import notes_on
from plexor.files.store.run_folder import RUN_FILE
from plexor.library.compare import compare
from plexor.library.load import load_run
from plexor.library.upkeep.notes import note
from plexor.show.drawn import curves_of

MOST = 40
"""Recorded runs that are listed: the newest of them."""
DRAWN = 3
"""Of the runs that are ticked, those that are drawn over the live one."""
_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}")


class KeptRuns:
    """The runs in a folder and one level below."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def place(self, session: str) -> Path:
        """Return the folder of a session; raise UsageError for a name that no folder should have.

        Without a session it is the folder itself.
        """
        if session and not _SESSION.fullmatch(session):
            raise UsageError(
                f"session: {session!r}; must begin with a letter or a digit, and have letters, "
                "digits, spaces, dots, - and _ alone, 40 at most"
            )
        return self.folder / session.strip() if session else self.folder

    def names(self) -> list[str]:
        """Return the runs by their paths in the folder, the newest first."""
        found = [*self.folder.glob(f"*/{RUN_FILE}"), *self.folder.glob(f"*/*/{RUN_FILE}")]
        newest = sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)
        return [path.parent.relative_to(self.folder).as_posix() for path in newest[:MOST]]

    def listed(self) -> list[dict[str, Any]]:
        """Return the runs with the notes on each."""
        return [
            {"name": name, "notes": [entry.text for entry in notes_on(self.folder / name)]}
            for name in self.names()
        ]

    def note(self, name: str, text: str) -> None:
        """Keep a note on a run. Raises UsageError for a name that is not listed, or no note."""
        self._check([name])
        note(self.folder / name, text)

    def curves(self, names: Sequence[str]) -> list[dict[str, Any]]:
        """Return what the live picture draws of runs, in their order.

        Raises UsageError for a name that is not listed, StoreError for a run that cannot be read.
        """
        self._check(names)
        return [
            {"run": name, **curves_of(load_run(self.folder / name).report)}
            for name in names[:DRAWN]
        ]

    def page(self, names: Sequence[str]) -> str:
        """Return the page of a run, or of several, each compared with the earliest.

        Raises UsageError for a name that is not listed, StoreError for a run that cannot be read.
        """
        known = self._check(names)
        if not names:
            raise UsageError("name a recorded run")
        first, *others = [
            self.folder / name for name in sorted(set(names), key=known.index, reverse=True)
        ]
        return compare(first, others).page() if others else load_run(first).page()

    def _check(self, names: Sequence[str]) -> list[str]:
        """Return all names; raise UsageError for one that is not listed."""
        known = self.names()
        for name in names:
            if name not in known:
                raise UsageError(f"{name[:80]!r}: no recorded run of this folder")
        return known
