# SPDX-License-Identifier: Apache-2.0
"""A budget's checks as GitLab shows them beside a merge request: a Code Quality report.

The format is a subset of Code Climate's (docs.gitlab.com/ci/testing/code_quality, "Code Quality
report format").
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from plexor.show.export.checks import cases, judged
from plexor.show.export.source import ExportSource

_SEVERITIES = {"failure": "major", "error": "minor", "skipped": "info"}


def write_quality(source: ExportSource, path: Path, name: Path) -> None:
    """Write an entry for each check that is not kept, at the budget's file.

    A broken limit is major, an undecided one minor, an invalid run a blocker. GitLab knows an entry
    again by its channel and limit. Raises UsageError with `name` without a budget, or if it names a
    channel that the run does not have.
    """
    place = {"path": judged(source, name).budget.title, "lines": {"begin": 1}}
    entries = [
        {
            "description": case.message,
            "check_name": f"plexor: {case.channel or 'run'}: {case.name}",
            "fingerprint": hashlib.sha256(f"{case.channel}\0{case.name}".encode()).hexdigest(),
            "severity": _SEVERITIES[case.tag] if case.channel else "blocker",
            "location": place,
        }
        for case in cases(source)
        if case.tag
    ]
    path.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
