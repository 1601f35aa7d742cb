"""`plexor prove`: the acceptance of an instrument, guided."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import click

from plexor.commands.parameters import (
    edges_option,
    json_option,
    only_page_option,
    option_name,
    pps_option,
    time_option,
    usage,
    wire_option,
)
from plexor.commands.specs import one_of
from plexor.library.specs.options import Target


@click.command()
@one_of(Target, "link")
@click.option(
    "--only", multiple=True, metavar="STEP", help="Do this step only. Repeat it for each step."
)
@click.option(
    "--skip", multiple=True, metavar="STEP", help="Leave this step out. Repeat it for each step."
)
@click.option(
    "--wired",
    is_flag=True,
    help="The wires of the steps in --only are in place: ask nothing. All need the same ones.",
)
@wire_option(
    help="How much longer the longer wire is than the jumper: 1m, 30cm or 5ns. Default: it is "
    "measured only.",
)
@edges_option
@time_option("--soak", help="How long the link is loaded. Default: 10s; 20ms of a simulated one.")
@pps_option
@time_option("--pps-time", help="How long it is watched. Default: 10s; 5ms of a simulated clock.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Document to write. Default: one for each board and build, in the user's data folder.",
)
@only_page_option
@json_option
def prove(
    link: str,
    only: tuple[str, ...],
    skip: tuple[str, ...],
    wired: bool,
    wire: str | None,
    edges: int,
    soak: Fraction | None,
    pps: tuple[int, Fraction] | None,
    pps_time: Fraction | None,
    out: Path | None,
    page: Path | None,
    as_json: bool,
) -> int:
    """Prove an instrument: what holds, with which error, and what was not proven.

    Without a wire: selftest, bins (against the sheets), soak (the link under more than it carries).
    With a jumper from strike0 to ch0: jumper (the way through the pins, both edges). With a longer
    wire: wire. With wires of one length to all channels: tee (skew and RMS). With a reference: pps
    (the oscillator's rate). On a terminal each wiring is asked for; elsewhere those steps are left
    out, but for --wired. A simulated instrument has its wires at once.

    The document is sealed with its SHA-256, and later runs of the same board and build name it. The
    exit code is 1 if a step failed, 4 if nothing was proven.

    \b
      plexor prove --link serial:/dev/ttyUSB1 --wire 1m --page proof.html
      plexor prove --link serial:/dev/ttyUSB1 --only selftest --only bins
    """
    # Imported here so that --help and wrong options answer at once.
    from plexor.commands.conclude import show  # noqa: PLC0415
    from plexor.commands.output import check_outputs, raise_first  # noqa: PLC0415
    from plexor.errors import PlexorError, StoreError  # noqa: PLC0415
    from plexor.library.files import write_text  # noqa: PLC0415
    from plexor.library.upkeep.prove import (  # noqa: PLC0415
        check_wired,
        proven,
    )

    with usage():
        if wired:
            check_wired(only)
        check_outputs(out, page)
        found = proven(
            link,
            only=only,
            skip=skip,
            edges=edges,
            wire=wire,
            soak=soak,
            pps=pps,
            pps_time=pps_time,
            path=out,
            ask=(lambda text: True) if wired else _ask,
            on_line=_say,
            name=option_name,
        )
    show(found, as_json, indent=2)
    failures: list[PlexorError] = [] if found.unsaved is None else [found.unsaved]
    if page is not None:
        try:
            write_text(page, found.page())
            _say(f"page {page}")
        except StoreError as error:
            failures.append(error)
    if found.path is not None and found.unsaved is None:
        _say(f"proof kept in {found.path}")
    raise_first(failures)
    return found.exit_code()


def _ask(text: str) -> bool:
    """Ask for wires on a terminal; elsewhere nobody can put them."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    prompt = f"plexor: {text}, then press Enter; s and Enter leaves the step out: "
    print(prompt, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() not in ("s", "skip", "n", "no")


def _say(line: str) -> None:
    print(f"plexor: {line}", file=sys.stderr)
