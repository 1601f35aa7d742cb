# SPDX-License-Identifier: Apache-2.0
"""`plexor import`: the capture of another analyser as a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from plexor.commands.parameters import command_line, key_option
from plexor.commands.specs import asks
from plexor.library.import_spec import ImportSpec
from plexor.library.specs.options import NewFolder


@click.command("import")
@click.argument("capture", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@asks(asked=ImportSpec, place=NewFolder)
@key_option
def import_capture(
    capture: Path, asked: ImportSpec, place: NewFolder, keys: tuple[tuple[str, str], ...]
) -> int:
    """Make a run of CAPTURE, a .vcd or .sr file of another analyser.

    SIGNAL is a name in the file, with its scopes if it is there more than once. The run can be
    replayed, reported, compared and exported as any other. It says that it is imported.

    \b
      plexor import capture.vcd --strike trig --channel ISR=irq_out:deadline=5us --out run1
    """
    from plexor.commands.conclude import RunUse, conclude  # noqa: PLC0415
    from plexor.commands.output import check_outputs, check_run_folder, kept  # noqa: PLC0415
    from plexor.library import exchange  # noqa: PLC0415

    if place.out is None:
        raise click.UsageError("--out: is missing; name a new folder for the run")
    target = check_run_folder(place.out, force=place.force)
    check_outputs(folder=place.out)
    asked = replace(asked, device=dict(keys))
    run = exchange.import_capture(capture, **asked.keywords()).taken_by(command_line())
    return conclude(run, RunUse(unsaved=None if target is None else kept(run, target)))
