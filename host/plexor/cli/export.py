# SPDX-License-Identifier: Apache-2.0
"""`plexor export`: a stored run as files of other tools."""

from __future__ import annotations

import sys
from pathlib import Path

from plexor.cli.options import Budgeted, Written
from plexor.library.load import run_in


def export(run: Path, written: Written, judged: Budgeted) -> None:
    """Write a run as files, and say so."""
    found = run_in(run, "only runs can be exported")
    found.export(*written.files, budget=judged.budget)
    for path in written.files:
        print(f"plexor: wrote {path}", file=sys.stderr)
