"""`plexor calibrate`: where the bins of each channel end."""

from __future__ import annotations

import sys
from fractions import Fraction
from itertools import chain
from pathlib import Path

import click

from plexor.commands.parameters import (
    edges_option,
    json_option,
    jumper_option,
    option_name,
    pps_option,
    time_option,
    usage,
    wire_option,
)
from plexor.commands.specs import one_of
from plexor.errors import UsageError
from plexor.library.specs.options import Target


@click.command()
@one_of(Target, "link")
@edges_option
@click.option(
    "--calibration",
    "path",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File to write. Default: one for each board and build, in the user's data folder.",
)
@jumper_option(
    help="A wire from a strike's pin to a channel's pin, through which the way over both pins is "
    "measured. One strike may be wired to several channels. Repeat it for each wire, or part wires "
    "by commas. Without it, latencies are corrected within about 5 ns.",
)
@wire_option(help="Length or delay of each jumper: 30cm or 1.5ns. Default: up to 1 ns, 20 cm.")
@pps_option
@time_option("--pps-time", default="10s", show_default=True, help="How long it is watched.")
@click.option(
    "--forget",
    is_flag=True,
    help="Remove the file that is kept for this board and build, and measure nothing.",
)
@json_option
@click.pass_context
def calibrate(
    context: click.Context,
    link: str,
    edges: int,
    path: Path | None,
    jumpers: tuple[tuple[tuple[int, int], ...], ...],
    wire: str | None,
    pps: tuple[int, Fraction] | None,
    pps_time: Fraction,
    forget: bool,
    as_json: bool,
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
    for name in ("edges", "path", "jumpers", "wire", "pps", "pps_time", "as_json"):
        if forget and context.get_parameter_source(name) == given:
            raise click.UsageError(f"--forget measures nothing; leave out {option_name(name)}")
    # Imported here so that --help and wrong options answer at once.
    from plexor.commands.conclude import show  # noqa: PLC0415
    from plexor.commands.output import check_outputs  # noqa: PLC0415
    from plexor.library.open import open_any  # noqa: PLC0415
    from plexor.library.pins import wiring_of  # noqa: PLC0415
    from plexor.library.upkeep.calibrate import (  # noqa: PLC0415
        edges_of,
        forgotten,
        reference_of,
        target_of,
    )
    from plexor.library.upkeep.wire import wire_ps  # noqa: PLC0415

    wires = list(chain.from_iterable(jumpers))
    with usage():
        edges_of(edges, option_name)
        wiring_of(wires, option_name)
        if wire is not None:
            wire_ps(wire, option_name)
        reference_of(pps, pps_time, option_name)
        if wire is not None and not wires:
            raise UsageError("--wire is the delay of jumpers; name them with --jumper")
    if forget:
        with open_any(link) as instrument:
            _say(f"removed {forgotten(instrument.device)}")
        return
    with open_any(link) as instrument:
        for note in instrument.notes:
            _say(note)
        target = target_of(instrument.device, path)
        check_outputs(target, folder=target.parent, whole=False)
        with usage():
            found = instrument.calibrate(
                edges=edges,
                path=target,
                on_line=_say,
                jumpers=wires,
                wire=wire,
                pps=pps,
                pps_time=pps_time,
                name=option_name,
            )
    show(found, as_json, indent=2)
    if found.unsaved is not None:
        raise found.unsaved
    applied = f"; it is applied with --calibration {found.path}"
    _say(f"calibration kept in {found.path}{applied if found.calibration.simulated else ''}")


def _say(line: str) -> None:
    print(f"plexor: {line}", file=sys.stderr)
