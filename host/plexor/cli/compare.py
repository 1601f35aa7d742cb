# SPDX-License-Identifier: Apache-2.0
"""`plexor compare`: runs and sweeps of a device, and whether the later ones are worse."""

from __future__ import annotations

import sys
from pathlib import Path

from plexor.cli.conclude import show, write_drawn
from plexor.cli.options import Shown
from plexor.cli.output import check_outputs
from plexor.library.archive import Archive
from plexor.library.compare import comparison
from plexor.library.specs.archive_spec import InArchive, LastGoodSpec


def compare(
    before: Path, after: tuple[Path, ...], place: InArchive, asked: LastGoodSpec, shown: Shown
) -> int:
    """Compare results, print what changed and return the exit code."""
    check_outputs(shown.page)
    if after:
        found = comparison(before, after, asked)
    else:
        found = Archive(place.folder).comparison(before, **asked.keywords())
    for note in (*found.invalid_reasons, *found.notes):
        print(f"plexor: {note}", file=sys.stderr)
    for condition in found.skipped:
        print(
            f"plexor: --fail-on {condition.text}: skipped, because neither result has this figure",
            file=sys.stderr,
        )
    show(found, shown.as_json)
    if shown.page is not None:
        write_drawn(shown.page, found)
    return found.exit_code()
