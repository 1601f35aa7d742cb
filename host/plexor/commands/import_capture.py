"""`plexor import`: the capture of another analyser as a run."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import click

from plexor.commands.parameters import (
    command_line,
    key_option,
    time_option,
)

_POLICIES = ("oldest", "latest", "window")
_PATH = click.Path(path_type=Path)


@click.command("import")
@click.argument("capture", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--channel",
    "channels",
    multiple=True,
    required=True,
    metavar="NAME=SIGNAL[:after=EDGE,deadline=TIME,invert]",
    help="A signal with responses. Repeat it for each: the first is ch0, the next ch1. EDGE is the "
    "edge that it answers, such as strike0 or ch0.fall. With invert, the active level is low.",
)
@click.option(
    "--strike",
    "strikes",
    multiple=True,
    metavar="SIGNAL[:invert]",
    help="A signal with strikes. Repeat it for each: the first is strike0.",
)
@click.option(
    "--policy",
    type=click.Choice(_POLICIES),
    default="oldest",
    show_default=True,
    help="Rule that selects the outstanding strike that a response answers.",
)
@time_option("--window", default="0", help="Minimum latency, for --policy window.")
@time_option(
    "--timeout",
    help="Age at which an unanswered strike is missed. Default: the median time between strikes.",
)
@time_option("--deadline", help="Latency above which a response is late.")
@time_option("--early", default="0", help="How long before its strike a response may come.")
@key_option
@click.option(
    "--out", type=_PATH, required=True, metavar="DIR", help="Keep the run in a new folder."
)
@click.option("--force", is_flag=True, help="Replace the folder of --out.")
def import_capture(
    capture: Path,
    channels: tuple[str, ...],
    strikes: tuple[str, ...],
    policy: str,
    window: Fraction,
    timeout: Fraction | None,
    deadline: Fraction | None,
    early: Fraction,
    keys: tuple[tuple[str, str], ...],
    out: Path,
    force: bool,
) -> int:
    """Make a run of CAPTURE, a .vcd or .sr file of another analyser.

    SIGNAL is a name in the file, with its scopes if it is there more than once. The run can be
    replayed, reported, compared and exported as any other. It says that it is imported.

    \b
      plexor import capture.vcd --strike trig --channel ISR=irq_out:deadline=5us --out run1
    """
    from plexor.commands.conclude import Wanted, conclude  # noqa: PLC0415
    from plexor.commands.output import check_outputs, check_run_folder, kept  # noqa: PLC0415
    from plexor.library import exchange  # noqa: PLC0415

    place = check_run_folder(out, force=force)
    check_outputs(folder=out)
    run = exchange.import_capture(
        capture,
        channels,
        strikes,
        policy=policy,
        timeout=timeout,
        window=window,
        early=early,
        deadline=deadline,
        device=dict(keys),
    ).taken_by(command_line())
    return conclude(run, Wanted(unsaved=None if place is None else kept(run, place)))
