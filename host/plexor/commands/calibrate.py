"""`plexor calibrate`: where the bins of each channel end."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import click

from plexor.commands.parameters import COUNT, json_option, link_option


@click.command()
@link_option("Link to the instrument: sim:, tcp://HOST:PORT, udp://HOST:PORT or serial:PORT.")
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
@json_option
def calibrate(link: str, edges: int, path: Path | None, as_json: bool) -> None:
    """Measure where the bins of each channel end, and the delays from strikes to channels.

    Nothing needs to be connected. First an oscillator on the chip gives the edges, then each strike
    output is looped back. `plexor measure` applies the stored result.
    """
    from plexor.calibration import store  # noqa: PLC0415
    from plexor.calibration.density import LEAST_EDGES  # noqa: PLC0415
    from plexor.calibration.run import Wanted  # noqa: PLC0415
    from plexor.calibration.run import calibrate as run  # noqa: PLC0415
    from plexor.commands.conclude import wants_colour  # noqa: PLC0415
    from plexor.commands.output import check_outputs  # noqa: PLC0415
    from plexor.device.device import Device  # noqa: PLC0415
    from plexor.jsonable import to_json  # noqa: PLC0415
    from plexor.link.open import instrument_link  # noqa: PLC0415
    from plexor.render.terminal.calibration import calibration_text  # noqa: PLC0415

    if edges < LEAST_EDGES:
        raise click.UsageError(f"--edges {edges}; must be at least {LEAST_EDGES}")
    with Device(instrument_link(link)) as device:
        target = path or store.default_path(device.serial, device.identity.placement)
        check_outputs(target, folder=target.parent, whole=False)
        found = run(device, Wanted(edges), _say)
    if as_json:
        click.echo(json.dumps(to_json(found), indent=2))
    else:
        width = shutil.get_terminal_size((100, 24)).columns
        click.echo(calibration_text(found, width=width, colour=wants_colour()), nl=False)
    store.save(found, target)
    _say(f"calibration kept in {target}")


def _say(line: str) -> None:
    print(f"plexor: {line}", file=sys.stderr)
