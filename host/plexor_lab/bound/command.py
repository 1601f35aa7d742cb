# SPDX-License-Identifier: Apache-2.0
"""`plexor bound`: what a service takes at most, and whether that holds."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import click

from plexor.commands.parameters import (
    json_option,
    only_page_option,
    option_name,
    time_option,
    usage,
)
from plexor_lab.bound.fit_command import fit
from plexor_lab.bound.trace_command import trace

_FILE = click.Path(path_type=Path)
OF = ("latency", "on-width")
"""What is compared; plexor_lab.bound.check, which has it too, is imported later."""
MOST_N = 10**12
_platform_option = click.option(
    "--platform",
    type=_FILE,
    required=True,
    metavar="FILE",
    help="Nanoseconds of each access on the platform, by region and kind: a TOML or CSV file.",
)
_map_option = click.option(
    "--map",
    "region_map",
    type=_FILE,
    metavar="FILE",
    help="Regions of the platform in which the model's regions lie: a TOML or CSV file. Default: "
    "those with the same names.",
)
_N = click.IntRange(0, MOST_N)


@click.group(no_args_is_help=False)
def bound() -> None:
    """Compute what a service takes at most, and check it against what was measured."""


@bound.command("eval")
@click.argument("model", type=_FILE, metavar="MODEL")
@_platform_option
@_map_option
@click.option(
    "--n",
    "ns",
    type=_N,
    multiple=True,
    metavar="N",
    help="Show all values at this N too. Repeat it for each N.",
)
@json_option
def evaluate(
    model: Path, platform: Path, region_map: Path | None, ns: tuple[int, ...], as_json: bool
) -> None:
    """Show what a service takes at most on a platform, part by part, as T(N) = A + B N.

    MODEL is a TOML or CSV file: the sections of the service, how often each runs, whether it
    blocks, and how many accesses it makes. All times are exact, in nanoseconds.

    \b
      plexor bound eval createthread.toml --platform platform-1.toml --n 13
      plexor bound eval createthread.csv --platform memory.toml --map map.toml
    """
    from plexor.commands.conclude import show  # noqa: PLC0415
    from plexor_lab.bound.bound import Bound  # noqa: PLC0415

    show(Bound(model, platform, region_map).evaluate(*ns), as_json)


@bound.command()
@click.argument(
    "run", type=click.Path(exists=True, path_type=Path), metavar="[RUN]", required=False
)
@click.option(
    "--model",
    type=_FILE,
    required=True,
    metavar="FILE",
    help="Accesses of the service, section by section: a TOML or CSV file.",
)
@_platform_option
@_map_option
@click.option(
    "--n", type=_N, metavar="N", help="N of this run. Default: what --key N=... said of it."
)
@click.option(
    "--channel",
    metavar="NAME",
    help="Channel of the run that answers when the service is done, or is high while it runs. "
    "Default: the only one.",
)
@click.option(
    "--of",
    type=click.Choice(OF),
    default=OF[0],
    show_default=True,
    help="What took that long: from the strike to the response, or while the pin was active.",
)
@time_option("--measured", help="The maximum itself, in place of RUN.")
@click.option(
    "--phase",
    "scan",
    type=click.Path(exists=True, path_type=Path),
    metavar="SCAN",
    help="Phase scan of the worst case, from the --out of `plexor phase`, to show on --page.",
)
@only_page_option
@json_option
@click.pass_context
def check(
    context: click.Context,
    run: Path | None,
    model: Path,
    platform: Path,
    region_map: Path | None,
    n: int | None,
    channel: str | None,
    of: str,
    measured: Fraction | None,
    scan: Path | None,
    page: Path | None,
    as_json: bool,
) -> int:
    """Check that nothing which was measured exceeds what the service takes at most.

    RUN is a folder of --out, or the raw bytes of a link; or give --measured. The estimate is SAFE
    if the maximum does not exceed it. The overestimation is shown as a part of what was measured,
    and of the estimate.

    The exit code is 1 for an UNSAFE estimate, and 4 if the run is invalid or strikes were missed.

    \b
      plexor bound check --model createthread.toml --platform platform-1.toml --n 13
             --measured 51111ns
    """
    if (run is None) == (measured is None):
        raise click.UsageError("name a RUN, or the maximum with --measured; give one of them")
    if run is None:
        for name in ("channel", "of"):
            if context.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE:
                raise click.UsageError(f"--{name} is for a RUN; --measured is a time itself")
    if scan is not None and page is None:
        raise click.UsageError("--phase is for --page; give a page too")
    # Imported here so that --help and wrong options answer at once.
    from plexor.commands.conclude import show  # noqa: PLC0415
    from plexor.commands.output import check_outputs  # noqa: PLC0415
    from plexor.errors import UsageError  # noqa: PLC0415
    from plexor.library.files import write_text  # noqa: PLC0415
    from plexor.library.load import load  # noqa: PLC0415
    from plexor.library.run import Run  # noqa: PLC0415
    from plexor.library.scans.phase import PhaseScan  # noqa: PLC0415
    from plexor_lab.bound.bound import Bound  # noqa: PLC0415

    check_outputs(page)
    found = Bound(model, platform, region_map)
    scanned = None if scan is None else load(scan)
    if scanned is not None and not isinstance(scanned, PhaseScan):
        raise UsageError(f"{scan}: holds another result; must be the --out of `plexor phase`")
    kept = None if run is None else load(run)
    if kept is not None and not isinstance(kept, Run):
        raise UsageError(f"{run}: holds a {kept.what}; only runs can be checked")
    with usage():
        if kept is None:
            judged = found.check_value(measured or Fraction(0), n=n, name=option_name)
        else:
            judged = found.check(kept, n=n, channel=channel, of=of, name=option_name)
    show(judged, as_json)
    if page is not None:
        write_text(page, judged.page(scanned))
        print(f"plexor: page {page}", file=sys.stderr)
    return judged.exit_code()


bound.add_command(trace)
bound.add_command(fit)
