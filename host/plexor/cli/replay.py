# SPDX-License-Identifier: Apache-2.0
"""`plexor replay`: the figures of a stored run or scan."""

from __future__ import annotations

from pathlib import Path

from plexor.cli.conclude import RunUse, conclude, show
from plexor.cli.options import AsJson, Budgeted
from plexor.cli.parameters import no_run_options
from plexor.library.load import load
from plexor.library.run import Run, load_budget
from plexor.library.specs.options import Less


def replay(path: Path, less: Less, judged: Budgeted, shown: AsJson) -> int:
    """Print the figures of what is stored, and return the exit code."""
    found = load(path)
    if not isinstance(found, Run):
        no_run_options(found.what)
        show(found, shown.as_json)
        return found.exit_code()
    limits = None if judged.budget is None else load_budget(judged.budget)
    return conclude(found.less(**less.keywords()), RunUse(limits, shown.as_json))
