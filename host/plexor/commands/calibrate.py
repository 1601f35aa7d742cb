# SPDX-License-Identifier: Apache-2.0
"""`plexor calibrate`: where the bins of each channel end."""

from __future__ import annotations

import sys
from dataclasses import replace

import click

from plexor.commands.parameters import json_option, option_name, usage
from plexor.commands.specs import asks, one_of
from plexor.errors import UsageError
from plexor.library.specs.options import Target
from plexor.library.upkeep.specs import CalibrateSpec


@click.command()
@one_of(Target, "link")
@asks(asked=CalibrateSpec)
@click.option(
    "--forget",
    is_flag=True,
    help="Remove the file that is kept for this board and build, and measure nothing.",
)
@json_option
@click.pass_context
def calibrate(
    context: click.Context, link: str, asked: CalibrateSpec, forget: bool, as_json: bool
) -> None:
    """Measure where the bins of each channel end, and the delays from strikes to channels.

    Nothing needs to be connected. First an oscillator on the chip gives the edges, then each strike
    output is looped back. Loopback does not pass the channels' own pads; a jumper does. What
    jumpers and a reference gave before is kept with a new calibration. `plexor measure` applies
    what is kept for a board. That of a simulated instrument is applied only where --calibration
    names it.

    \b
      plexor calibrate --link serial:/dev/ttyUSB1
      plexor calibrate --link serial:/dev/ttyUSB1 --jumper strike0=ch0,strike0=ch1
      plexor calibrate --link serial:/dev/ttyUSB1 --pps ch7
      plexor calibrate --link serial:/dev/ttyUSB1 --forget
    """
    given = click.core.ParameterSource.COMMANDLINE
    for name in (*CalibrateSpec.options(), "as_json"):
        if forget and context.get_parameter_source(name) == given:
            raise click.UsageError(f"--forget measures nothing; leave out {option_name(name)}")
    # Imported here so that --help and wrong options answer at once.
    from plexor.commands.conclude import show  # noqa: PLC0415
    from plexor.commands.output import check_outputs  # noqa: PLC0415
    from plexor.library.open import open_any  # noqa: PLC0415
    from plexor.library.upkeep.calibrate import forgotten, reference_of, target_of  # noqa: PLC0415

    with usage():
        reference_of(asked.pps, asked.pps_time, option_name)
        if asked.wire is not None and not asked.jumpers:
            raise UsageError("--wire is the delay of jumpers; name them with --jumper")
    if forget:
        with open_any(link) as instrument:
            _say(f"removed {forgotten(instrument.device)}")
        return
    with open_any(link) as instrument:
        for note in instrument.notes:
            _say(note)
        target = target_of(instrument.device, asked.path)
        check_outputs(target, folder=target.parent, whole=False)
        with usage():
            asked = replace(asked, path=target, on_line=_say)
            found = instrument.calibrate(**asked.keywords())
    show(found, as_json, indent=2)
    if found.unsaved is not None:
        raise found.unsaved
    applied = f"; it is applied with --calibration {found.path}"
    _say(f"calibration kept in {found.path}{applied if found.calibration.simulated else ''}")


def _say(line: str) -> None:
    print(f"plexor: {line}", file=sys.stderr)
