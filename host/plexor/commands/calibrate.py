"""`plexor calibrate`: where the bins of each channel end."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from plexor.commands.parameters import COUNT, json_option, link_option, option_name, usage


@click.command()
@link_option()
@click.option(
    "--edges",
    type=COUNT,
    default="20k",
    show_default=True,
    metavar="N",
    help="Number of rising edges, and of falling edges, on each channel. At least 1k.",
)
@click.option(
    "--calibration",
    "path",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File to write. Default: one for each board and build, in the user's data folder.",
)
@click.option(
    "--forget",
    is_flag=True,
    help="Remove the file that is kept for this board and build, and measure nothing.",
)
@json_option
@click.pass_context
def calibrate(
    context: click.Context, link: str, edges: int, path: Path | None, forget: bool, as_json: bool
) -> None:
    """Measure where the bins of each channel end, and the delays from strikes to channels.

    Nothing needs to be connected. First an oscillator on the chip gives the edges, then each strike
    output is looped back. `plexor measure` applies what is kept for a board. That of a simulated
    instrument is applied only where --calibration names it.

    \b
      plexor calibrate --link serial:/dev/ttyUSB1
      plexor calibrate --link serial:/dev/ttyUSB1 --forget
    """
    given = click.core.ParameterSource.COMMANDLINE
    for name in ("edges", "path", "as_json"):
        if forget and context.get_parameter_source(name) == given:
            raise click.UsageError(f"--forget measures nothing; leave out {option_name(name)}")
    # Imported here so that --help and wrong options answer at once.
    from plexor.commands.conclude import show  # noqa: PLC0415
    from plexor.commands.output import check_outputs  # noqa: PLC0415
    from plexor.library.open import open_any  # noqa: PLC0415
    from plexor.library.upkeep.calibrate import (  # noqa: PLC0415
        edges_of,
        forgotten,
        target_of,
    )

    with usage():
        edges_of(edges, option_name)
    if forget:
        with open_any(link) as instrument:
            _say(f"removed {forgotten(instrument.device)}")
        return
    with open_any(link) as instrument:
        for note in instrument.notes:
            _say(note)
        target = target_of(instrument.device, path)
        check_outputs(target, folder=target.parent, whole=False)
        found = instrument.calibrate(edges=edges, path=target, on_line=_say)
    show(found, as_json, indent=2)
    if found.unsaved is not None:
        raise found.unsaved
    applied = f"; it is applied with --calibration {found.path}"
    _say(f"calibration kept in {found.path}{applied if found.calibration.simulated else ''}")


def _say(line: str) -> None:
    print(f"plexor: {line}", file=sys.stderr)
