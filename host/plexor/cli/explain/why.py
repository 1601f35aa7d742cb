# SPDX-License-Identifier: Apache-2.0
"""`plexor why`: which answers of a stored run were late, and how they recur."""

from __future__ import annotations

from pathlib import Path

from plexor.cli.conclude import show
from plexor.cli.options import AsJson
from plexor.library.explain.specs import WhySpec
from plexor.library.load import run_in


def why(run: Path, asked: WhySpec, shown: AsJson) -> int:
    """Print the late answers of a run, and return the exit code."""
    found = run_in(run, "only runs have late answers")
    show(found.why(**asked.keywords()), shown.as_json)
    return found.exit_code()
