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
@json_option
def calibrate(link: str, edges: int, path: Path | None, as_json: bool) -> None:
    """Measure where the bins of each channel end, and the delays from strikes to channels.

    Nothing needs to be connected. First an oscillator on the chip gives the edges, then each strike
    output is looped back. `plexor measure` applies the stored result.
    """
    # Imported here so that --help and wrong options answer at once.
    from plexor.commands.conclude import show  # noqa: PLC0415
    from plexor.commands.output import check_outputs  # noqa: PLC0415
    from plexor.library.open import open_any  # noqa: PLC0415
    from plexor.library.upkeep.calibrate import edges_of, target_of  # noqa: PLC0415

    with usage():
        edges_of(edges, option_name)
    with open_any(link) as instrument:
        target = target_of(instrument.device, path)
        check_outputs(target, folder=target.parent, whole=False)
        found = instrument.calibrate(edges=edges, path=target, on_line=_say)
    show(found, as_json, indent=2)
    if found.unsaved is not None:
        raise found.unsaved
    _say(f"calibration kept in {found.path}")


def _say(line: str) -> None:
    print(f"plexor: {line}", file=sys.stderr)
