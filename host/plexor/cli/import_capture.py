# SPDX-License-Identifier: Apache-2.0
"""`plexor import`: the signals of a capture, or the capture as a run."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from plexor.base.errors import ExitCode
from plexor.cli.conclude import RunUse, conclude, show
from plexor.cli.options import AsJson, Keyed
from plexor.cli.output import check_outputs, check_run_folder, kept
from plexor.cli.parameters import command_line
from plexor.library import exchange
from plexor.library.specs.import_spec import ImportSpec, ReadSpec
from plexor.library.specs.options import NewFolder


def import_capture(
    capture: Path, asked: ImportSpec, place: NewFolder, described: Keyed, shown: AsJson
) -> int:
    """List a capture's signals, or make a run of it and keep it; return the exit code."""
    if not asked.names_signals:
        if place.out is not None:
            print(
                f"plexor: --out {place.out}: nothing kept; --strike and --channel say what is "
                "measured",
                file=sys.stderr,
            )
        reading = {name: getattr(asked, name) for name in ReadSpec.options()}
        show(exchange.list_capture(capture, **reading), shown.as_json)
        return ExitCode.PASS
    target = check_run_folder(place)
    check_outputs(folder=place.out)
    asked = replace(asked, device=described.device)
    run = exchange.import_capture(capture, **asked.keywords()).taken_by(command_line())
    unsaved = None if target is None else kept(run, target)
    return conclude(run, RunUse(unsaved=unsaved, json=shown.as_json))
