# SPDX-License-Identifier: Apache-2.0
"""`plexor profile`: where the functions of a device spent their time in a stored run."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from plexor.cli.conclude import show
from plexor.cli.declared.stored import CallsFile
from plexor.cli.options import AsJson
from plexor.cli.output import check_outputs
from plexor.library.explain.specs import ProfileSpec
from plexor.library.files import write_text
from plexor.library.load import run_in


def profile(run: Path, asked: ProfileSpec, shown: AsJson, calls: CallsFile) -> int:
    """Print a profile, write its file, and return the exit code."""
    path = calls.speedscope
    check_outputs(path)
    found = run_in(run, "only runs have a profile")
    drawn = found.profile(**asked.keywords())
    show(drawn, shown.as_json)
    if path is not None:
        write_text(path, json.dumps(drawn.speedscope(), ensure_ascii=False) + "\n")
        print(f"plexor: wrote {path}", file=sys.stderr)
    return found.exit_code()
