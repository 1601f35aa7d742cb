# SPDX-License-Identifier: Apache-2.0
"""`plexor timeline`: what the tasks and interrupts of a device did in a stored run."""

from __future__ import annotations

import sys
from pathlib import Path

from plexor.cli.conclude import show, write_drawn
from plexor.cli.options import Shown, Written
from plexor.cli.output import check_outputs
from plexor.library.explain.specs import TimelineSpec
from plexor.library.load import run_in


def timeline(run: Path, asked: TimelineSpec, shown: Shown, written: Written) -> int:
    """Print lanes, write their files, and return the exit code."""
    check_outputs(shown.page, *written.files)
    found = run_in(run, "only runs have a timeline")
    drawn = found.timeline(**asked.keywords())
    show(drawn, shown.as_json)
    if shown.page is not None:
        write_drawn(shown.page, drawn)
    drawn.export(*written.files)
    for path in written.files:
        print(f"plexor: wrote {path}", file=sys.stderr)
    return found.exit_code()
