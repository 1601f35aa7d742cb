# SPDX-License-Identifier: Apache-2.0
"""`plexor import`: the capture of another analyser as a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from plexor.commands.conclude import RunUse, conclude
from plexor.commands.options import Keyed
from plexor.commands.output import check_outputs, check_run_folder, kept
from plexor.commands.parameters import command_line
from plexor.library import exchange
from plexor.library.import_spec import ImportSpec
from plexor.library.specs.options import NewFolder


def import_capture(capture: Path, asked: ImportSpec, place: NewFolder, described: Keyed) -> int:
    """Make a run of a capture, keep it, print its figures and return the exit code."""
    target = check_run_folder(place)
    check_outputs(folder=place.out)
    asked = replace(asked, device=described.device)
    run = exchange.import_capture(capture, **asked.keywords()).taken_by(command_line())
    return conclude(run, RunUse(unsaved=None if target is None else kept(run, target)))
